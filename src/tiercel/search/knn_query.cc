// {"knn": …} as a query: the k nearest documents of each shard, found when the query is parsed, match with their
// scores.
#include "tiercel/search/knn.h"
#include "tiercel/search/query.h"

namespace tiercel::search {
namespace {

class NamedQuery final : public Query {
 public:
  NamedQuery(std::unique_ptr<Query> query, std::string name) : query_(std::move(query)), name_(std::move(name)) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const segment::SegmentView& view, ScoreMode mode) const override {
    return query_->MakeScorer(view, mode);
  }
  std::optional<uint64_t> KnownCount(const segment::SegmentView& view) const override {
    return query_->KnownCount(view);
  }
  const std::string* name() const override { return &name_; }

 private:
  std::unique_ptr<Query> query_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Query> WithName(std::unique_ptr<Query> query, std::string name) {
  if (name.empty()) return query;
  return std::make_unique<NamedQuery>(std::move(query), std::move(name));
}

Result<std::unique_ptr<Query>> ParseKnnQuery(json::Value knn, const QueryContext& context) {
  TIERCEL_TRY_ASSIGN(const KnnClause clause, ParseKnnClause(knn, KnnForm::kQuery, context.request_size));
  TIERCEL_TRY_ASSIGN(std::vector<ScoredDoc> hits, FindNearestInIndex(clause, {}, context, /*k_per_shard=*/true));
  const std::vector<segment::SegmentView> segments = SegmentsOf(*context.target);
  return WithName(MakeFixedQuery(segments, std::move(hits)), clause.name);
}

}  // namespace tiercel::search
