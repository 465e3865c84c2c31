// A kNN clause run against one index: its vector and filters bound to the mapping, then FindNearest.
#include "tiercel/search/knn.h"

namespace tiercel::search {

std::vector<segment::SegmentView> SegmentsOf(const SearchTarget& target) {
  std::vector<segment::SegmentView> segments;
  for (const auto& shard : target.shards)
    segments.insert(segments.end(), shard->segments.begin(), shard->segments.end());
  return segments;
}

Result<std::vector<ScoredDoc>> FindNearestInIndex(const KnnClause& clause, std::span<const json::Value> more_filters,
                                                  const QueryContext& context, bool k_per_shard) {
  const SearchTarget& target = *context.target;
  TIERCEL_TRY_ASSIGN(const std::optional<VectorQuery> vector, BindVector(clause, *target.mapping));
  std::vector<std::unique_ptr<Query>> filters;
  const auto add_filter = [&](json::Value filter) -> Status {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, ParseQuery(filter, context));
    filters.push_back(std::move(query));
    return {};
  };
  for (const json::Value filter : clause.filters) TIERCEL_TRY(add_filter(filter));
  for (const json::Value filter : more_filters) TIERCEL_TRY(add_filter(filter));
  if (!vector) return std::vector<ScoredDoc>();
  std::optional<json::Document> alias_filter;
  if (target.alias_filter_json) {
    TIERCEL_TRY_ASSIGN(alias_filter, json::Document::Parse(*target.alias_filter_json));
    TIERCEL_TRY(add_filter(alias_filter->root()));
  }
  const std::unique_ptr<Query> filter = filters.empty() ? nullptr : MakeFiltered(MakeMatchAll(1), std::move(filters));
  KnnSearch search{.vector = &*vector,
                   .field = clause.field,
                   .filter = filter.get(),
                   .k = clause.k.value_or(10),
                   .score_min = {},
                   .boost = clause.boost};
  if (clause.similarity) search.score_min = vector->ScoreOfCutOff(*clause.similarity);
  if (!k_per_shard) return FindNearest(search, SegmentsOf(target), *context.environment);
  std::vector<ScoredDoc> hits;
  uint32_t base = 0;
  for (const auto& shard : target.shards) {
    TIERCEL_TRY_ASSIGN(const std::vector<ScoredDoc> best, FindNearest(search, shard->segments, *context.environment));
    for (const ScoredDoc& hit : best) hits.push_back({hit.segment + base, hit.doc, hit.score});
    base += static_cast<uint32_t>(shard->segments.size());
  }
  return hits;
}

}  // namespace tiercel::search
