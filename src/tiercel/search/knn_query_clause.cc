// knn below other queries.
#include "tiercel/search/clause_parser.h"
#include "tiercel/search/knn.h"

namespace tiercel::search {
namespace {

class KnnQueryClause final : public QueryClause {
 public:
  explicit KnnQueryClause(json::Value body) : body_(body) {}
  // The vector search reads its own boost and name.
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float) const override {
    return ParseKnnQuery(body_, binder.context());
  }

 private:
  const json::Value body_;
};

}  // namespace

ParsedClause ParseKnnQueryClause(json::Value body, ClauseParser&) {
  TIERCEL_TRY(ParseKnnClause(body, KnnForm::kQuery, /*size=*/10).status());
  return std::unique_ptr<QueryClause>(std::make_unique<KnnQueryClause>(body));
}

}  // namespace tiercel::search
