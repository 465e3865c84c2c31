// A kNN clause run against one index: its vector and filters bound to the mapping, then FindNearest.
#include "tiercel/search/knn.h"

namespace tiercel::search {
namespace {

// Adds live documents that pass the filter and have no vector, in order, until there are k hits.
Status FillUpUnscored(const BoundKnn& knn, std::span<const segment::SegmentView> segments,
                      std::vector<ScoredDoc>& hits) {
  for (uint32_t s = 0; s < segments.size() && hits.size() < knn.k; ++s) {
    const segment::SegmentView& view = segments[s];
    const segment::VectorColumn* column = view.segment->vector(knn.field);
    TIERCEL_TRY_ASSIGN(const std::unique_ptr<Scorer> scorer, knn.filter->MakeScorer(view, ScoreMode::kNoScores));
    if (scorer == nullptr) continue;
    while (hits.size() < knn.k && scorer->Next() != kNoMoreDocs) {
      const DocId doc = scorer->doc();
      if (view.IsLive(doc) && (column == nullptr || !column->row_of(doc))) hits.push_back({s, doc, 0});
    }
    TIERCEL_TRY(scorer->status());
  }
  return {};
}

}  // namespace

std::vector<segment::SegmentView> SegmentsOf(const SearchTarget& target) {
  std::vector<segment::SegmentView> segments;
  for (const auto& shard : target.shards)
    segments.insert(segments.end(), shard->segments.begin(), shard->segments.end());
  return segments;
}

Result<BoundKnn> BindKnn(const KnnClause& clause, std::span<const json::Value> more_filters,
                         const QueryContext& context) {
  const SearchTarget& target = *context.target;
  BoundKnn bound{.vector = {},
                 .filter = nullptr,
                 .field = clause.field,
                 .k = clause.k.value_or(10),
                 .score_min = {},
                 .boost = clause.boost};
  TIERCEL_TRY_ASSIGN(bound.vector, BindVector(clause, *target.mapping));
  std::vector<std::unique_ptr<Query>> filters;
  const auto add_filter = [&](json::Value filter) -> Status {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, ParseQuery(filter, context));
    filters.push_back(std::move(query));
    return {};
  };
  for (const json::Value filter : clause.filters) TIERCEL_TRY(add_filter(filter));
  for (const json::Value filter : more_filters) TIERCEL_TRY(add_filter(filter));
  if (target.alias_filter_json) {
    TIERCEL_TRY_ASSIGN(const json::Document alias_filter, json::Document::Parse(*target.alias_filter_json));
    TIERCEL_TRY(add_filter(alias_filter.root()));
  }
  if (!filters.empty()) bound.filter = MakeFiltered(MakeMatchAll(1), std::move(filters));
  if (bound.vector && clause.similarity) bound.score_min = bound.vector->ScoreOfCutOff(*clause.similarity);
  return bound;
}

Result<std::vector<ScoredDoc>> FindNearestInIndex(const BoundKnn& knn, const QueryContext& context) {
  if (!knn.vector) return std::vector<ScoredDoc>();
  const std::vector<segment::SegmentView> segments = SegmentsOf(*context.target);
  TIERCEL_TRY_ASSIGN(std::vector<ScoredDoc> hits, FindNearest(knn.Search(), segments, *context.environment));
  if (knn.vector->flat && knn.filter != nullptr && !knn.score_min) TIERCEL_TRY(FillUpUnscored(knn, segments, hits));
  return hits;
}

}  // namespace tiercel::search
