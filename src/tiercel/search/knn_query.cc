// {"knn": …} as a query: the k nearest documents of each shard, found when the query is parsed, match with their
// scores.
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/knn.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

std::unique_ptr<Query> WithName(std::unique_ptr<Query> query, std::string name) {
  return name.empty() ? std::move(query) : MakeNamedQuery(std::move(query), std::move(name));
}

Result<std::unique_ptr<Query>> ParseKnnQuery(json::Value knn, const QueryContext& context) {
  TIERCEL_TRY_ASSIGN(const KnnClause clause, ParseKnnClause(knn, KnnForm::kQuery, context.request_size));
  TIERCEL_TRY_ASSIGN(std::vector<ScoredDoc> hits, FindNearestInIndex(clause, {}, context, /*k_per_shard=*/true));
  const std::vector<segment::SegmentView> segments = SegmentsOf(*context.target);
  return WithName(MakeFixedQuery(segments, std::move(hits)), clause.name);
}

}  // namespace tiercel::search
