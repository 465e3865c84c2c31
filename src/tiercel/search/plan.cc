#include "tiercel/search/plan.h"

#include <algorithm>

#include "tiercel/search/knn.h"
#include "tiercel/search/request_error.h"

namespace tiercel::search {

std::vector<SegmentRef> ListSegments(std::span<const SearchTarget> targets) {
  std::vector<SegmentRef> refs;
  uint32_t shard_number = 0;
  for (uint32_t t = 0; t < targets.size(); ++t) {
    for (const auto& shard : targets[t].shards) {
      uint64_t base = 0;
      for (const segment::SegmentView& view : shard->segments) {
        refs.push_back({&targets[t], t, shard_number, base, &view});
        base += view.segment->doc_count();
      }
      ++shard_number;
    }
  }
  return refs;
}

Result<std::unique_ptr<Query>> PlanQuery(json::Value query, const PlanContext& context, size_t target_index) {
  Result<std::unique_ptr<Query>> parsed = ParseQuery(query, context.For(target_index));
  if (!parsed.ok()) return QueryFailure(std::move(parsed).status(), context.targets[target_index].index);
  return parsed;
}

Result<std::unique_ptr<Query>> PlanFiltered(std::unique_ptr<Query> query, float score,
                                            std::span<const json::Value> filters, const PlanContext& context,
                                            size_t target_index) {
  std::vector<std::unique_ptr<Query>> parsed;
  for (const json::Value filter : filters) {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> one, PlanQuery(filter, context, target_index));
    parsed.push_back(std::move(one));
  }
  if (const auto& alias = context.targets[target_index].alias_filter_json) {
    TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(*alias));
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> one, PlanQuery(document.root(), context, target_index));
    parsed.push_back(std::move(one));
  }
  if (query == nullptr) query = MakeMatchAll(score);
  return parsed.empty() ? std::move(query) : MakeFiltered(std::move(query), std::move(parsed));
}

Result<std::vector<std::vector<ScoredDoc>>> PlanKnn(const KnnClause& clause, std::span<const json::Value> more_filters,
                                                    const PlanContext& context) {
  struct Found {
    size_t target;
    ScoredDoc doc;
  };
  std::vector<Found> all;
  for (size_t t = 0; t < context.targets.size(); ++t) {
    Result<BoundKnn> bound = BindKnn(clause, more_filters, context.For(t));
    if (!bound.ok()) return QueryFailure(std::move(bound).status(), context.targets[t].index);
    Result<std::vector<ScoredDoc>> found = FindNearestInIndex(*bound, context.For(t));
    if (!found.ok()) return QueryFailure(std::move(found).status(), context.targets[t].index);
    for (const ScoredDoc& doc : *found) all.push_back({t, doc});
  }
  // Each list comes best first with ties in order of documents, so a stable sort keeps ties in order of targets.
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.doc.score > b.doc.score; });
  if (all.size() > clause.k.value_or(10)) all.resize(clause.k.value_or(10));
  std::vector<std::vector<ScoredDoc>> lists(context.targets.size());
  for (const Found& found : all) lists[found.target].push_back(found.doc);
  return lists;
}

}  // namespace tiercel::search
