#include "tiercel/search/fusion.h"

#include <algorithm>
#include <unordered_map>

#include "tiercel/search/collect.h"
#include "tiercel/search/knn.h"
#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

bool Better(const RankedDoc& a, const RankedDoc& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.segment != b.segment ? a.segment < b.segment : a.doc < b.doc;
}

std::vector<json::Value> Joined(std::span<const json::Value> outer, std::span<const json::Value> own) {
  std::vector<json::Value> filters(outer.begin(), outer.end());
  filters.insert(filters.end(), own.begin(), own.end());
  return filters;
}

void DropBelow(const std::optional<float>& min_score, std::vector<RankedDoc>& docs) {
  if (min_score) std::erase_if(docs, [&](const RankedDoc& doc) { return !(doc.score >= *min_score); });
}

Result<std::vector<RankedDoc>> RunStandard(const Retriever& retriever, uint32_t limit,
                                           std::span<const json::Value> filters, std::span<const SegmentRef> segments,
                                           const PlanContext& context) {
  std::vector<TargetPlan> plans(context.targets.size());
  for (size_t t = 0; t < plans.size(); ++t) {
    std::unique_ptr<Query> query;
    if (retriever.query.exists()) {
      TIERCEL_TRY_ASSIGN(query, PlanQuery(retriever.query, context, t));
    }
    TIERCEL_TRY_ASSIGN(plans[t].query,
                       PlanFiltered(std::move(query), filters.empty() ? 1.0f : 0.0f, filters, context, t));
    Result<BoundSort> sort = BindSort(retriever.sort, retriever.search_after, context.targets[t], context.now_ms);
    if (!sort.ok()) return ShardFailure(std::move(sort).status(), context.targets[t].index);
    plans[t].sort = std::move(sort).value();
  }
  const CollectOptions options{.limit = limit,
                               .track_total_hits = kTotalHitsOff,
                               .min_score = retriever.min_score,
                               .terminate_after = retriever.terminate_after};
  TIERCEL_TRY_ASSIGN(const Collected collected, CollectHits(segments, plans, options, *context.environment));
  std::vector<RankedDoc> docs;
  for (const Hit& hit : collected.hits) docs.push_back({hit.segment, hit.doc, hit.score});
  return docs;
}

Result<std::vector<RankedDoc>> RunKnn(const Retriever& retriever, uint32_t limit, std::span<const json::Value> filters,
                                      std::span<const SegmentRef> segments, const PlanContext& context) {
  TIERCEL_TRY_ASSIGN(const auto lists, PlanKnn(retriever.knn, filters, context));
  std::vector<RankedDoc> docs;
  uint32_t base = 0;
  for (size_t t = 0; t < lists.size(); ++t) {
    for (const ScoredDoc& doc : lists[t]) docs.push_back({base + doc.segment, doc.doc, doc.score});
    while (base < segments.size() && segments[base].target_index == t) ++base;
  }
  std::sort(docs.begin(), docs.end(), Better);
  DropBelow(retriever.min_score, docs);
  if (docs.size() > limit) docs.resize(limit);
  return docs;
}

}  // namespace

std::vector<RankedDoc> FuseRanks(std::span<const std::vector<RankedDoc>> lists, uint32_t rank_constant,
                                 uint32_t limit) {
  std::unordered_map<uint64_t, float> scores;
  for (const std::vector<RankedDoc>& list : lists) {
    for (size_t rank = 1; rank <= list.size(); ++rank) {
      const RankedDoc& doc = list[rank - 1];
      scores[(uint64_t{doc.segment} << 32) | doc.doc] += 1.0f / static_cast<float>(rank_constant + rank);
    }
  }
  std::vector<RankedDoc> fused;
  for (const auto& [key, score] : scores)
    fused.push_back({static_cast<uint32_t>(key >> 32), static_cast<segment::DocId>(key), score});
  const size_t kept = std::min<size_t>(fused.size(), limit);
  std::partial_sort(fused.begin(), fused.begin() + static_cast<ptrdiff_t>(kept), fused.end(), Better);
  fused.resize(kept);
  return fused;
}

Result<std::vector<RankedDoc>> RunRetriever(const Retriever& retriever, uint32_t limit,
                                            std::span<const json::Value> outer, std::span<const SegmentRef> segments,
                                            const PlanContext& context) {
  const std::vector<json::Value> filters = Joined(outer, retriever.filters);
  if (retriever.kind == Retriever::Kind::kStandard) return RunStandard(retriever, limit, filters, segments, context);
  if (retriever.kind == Retriever::Kind::kKnn) return RunKnn(retriever, limit, filters, segments, context);
  std::vector<std::vector<RankedDoc>> lists;
  for (const Retriever& child : retriever.children) {
    TIERCEL_TRY_ASSIGN(std::vector<RankedDoc> list,
                       RunRetriever(child, retriever.rank_window_size, filters, segments, context));
    lists.push_back(std::move(list));
  }
  std::vector<RankedDoc> fused = FuseRanks(lists, retriever.rank_constant, std::min(limit, retriever.rank_window_size));
  DropBelow(retriever.min_score, fused);
  return fused;
}

Result<std::unique_ptr<Query>> PlanRetrieverUnion(const Retriever& retriever, std::span<const json::Value> outer,
                                                  const PlanContext& context, size_t target_index) {
  const std::vector<json::Value> filters = Joined(outer, retriever.filters);
  if (retriever.kind == Retriever::Kind::kStandard) {
    std::unique_ptr<Query> query;
    if (retriever.query.exists()) {
      TIERCEL_TRY_ASSIGN(query, PlanQuery(retriever.query, context, target_index));
    }
    return PlanFiltered(std::move(query), 1, filters, context, target_index);
  }
  if (retriever.kind == Retriever::Kind::kKnn) {
    TIERCEL_TRY_ASSIGN(auto lists, PlanKnn(retriever.knn, filters, context));
    return MakeFixedQuery(SegmentsOf(context.targets[target_index]), std::move(lists[target_index]));
  }
  std::vector<std::unique_ptr<Query>> queries;
  for (const Retriever& child : retriever.children) {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, PlanRetrieverUnion(child, filters, context, target_index));
    queries.push_back(std::move(query));
  }
  return MakeUnion(std::move(queries));
}

}  // namespace tiercel::search
