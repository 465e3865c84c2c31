// {"knn": …} as a query: the k nearest documents of each shard, found when the query is parsed, match with their
// scores. On exact ("flat") fields every document with a vector matches, as in Elasticsearch.
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/exact_vector_query.h"
#include "tiercel/search/knn.h"
#include "tiercel/search/query.h"

namespace tiercel::search {
namespace {

Result<std::vector<ScoredDoc>> FindNearestOfEachShard(const BoundKnn& knn, const QueryContext& context) {
  std::vector<ScoredDoc> hits;
  uint32_t base = 0;
  for (const auto& shard : context.target->shards) {
    TIERCEL_TRY_ASSIGN(const std::vector<ScoredDoc> best,
                       FindNearest(knn.Search(), shard->segments, *context.environment));
    for (const ScoredDoc& hit : best) hits.push_back({hit.segment + base, hit.doc, hit.score});
    base += static_cast<uint32_t>(shard->segments.size());
  }
  return hits;
}

}  // namespace

std::unique_ptr<Query> WithName(std::unique_ptr<Query> query, std::string name) {
  return name.empty() ? std::move(query) : MakeNamedQuery(std::move(query), std::move(name));
}

Result<std::unique_ptr<Query>> ParseKnnQuery(json::Value knn, const QueryContext& context) {
  TIERCEL_TRY_ASSIGN(const KnnClause clause, ParseKnnClause(knn, KnnForm::kQuery, context.request_size));
  TIERCEL_TRY_ASSIGN(BoundKnn bound, BindKnn(clause, {}, context));
  if (bound.vector && bound.vector->flat) return WithName(MakeExactVectorQuery(std::move(bound)), clause.name);
  std::vector<ScoredDoc> hits;
  if (bound.vector) {
    TIERCEL_TRY_ASSIGN(hits, FindNearestOfEachShard(bound, context));
  }
  return WithName(MakeFixedQuery(SegmentsOf(*context.target), std::move(hits)), clause.name);
}

}  // namespace tiercel::search
