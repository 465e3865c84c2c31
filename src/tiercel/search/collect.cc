#include "tiercel/search/collect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tiercel/search/request_error.h"
#include "tiercel/search/segment_collector.h"

namespace tiercel::search {
namespace {

void ForEachSegment(size_t count, bool in_parallel, const SearchEnvironment& environment,
                    const std::function<void(size_t)>& body) {
  if (in_parallel && count > 1 && environment.pool != nullptr) {
    environment.pool->ParallelFor(count, body);
  } else {
    for (size_t i = 0; i < count; ++i) body(i);
  }
}

void SortHits(std::vector<Hit>& hits, uint32_t limit, const BoundSort* sort) {
  const auto by_position = [](const Hit& a, const Hit& b) {
    return a.segment != b.segment ? a.segment < b.segment : a.doc < b.doc;
  };
  const auto by_score = [&](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : by_position(a, b);
  };
  const auto by_values = [&](const Hit& a, const Hit& b) {
    for (size_t i = 0; i < sort->fields.size(); ++i) {
      const int order = CompareSortValues(sort->fields[i], a.sort[i], b.sort[i]);
      if (order != 0) return order < 0;
    }
    return by_position(a, b);
  };
  const auto middle = hits.begin() + static_cast<ptrdiff_t>(std::min<size_t>(hits.size(), limit));
  if (sort == nullptr || sort->fields.empty()) {
    std::partial_sort(hits.begin(), middle, hits.end(), by_score);
  } else {
    std::partial_sort(hits.begin(), middle, hits.end(), by_values);
  }
  hits.erase(middle, hits.end());
}

}  // namespace

Result<Collected> CollectHits(std::span<const SegmentRef> segments, std::span<const TargetPlan> plans,
                              const CollectOptions& options, const SearchEnvironment& environment) {
  CollectProgress progress;
  progress.shard_collected.assign(segments.empty() ? 0 : segments.back().shard + 1, 0);
  std::vector<Result<SegmentOutcome>> outcomes;
  outcomes.reserve(segments.size());
  for (size_t i = 0; i < segments.size(); ++i) outcomes.emplace_back(SegmentOutcome{});
  ForEachSegment(segments.size(), options.terminate_after == 0, environment, [&](size_t i) {
    const SegmentRef& ref = segments[i];
    outcomes[i] =
        SegmentCollector(ref, static_cast<uint32_t>(i), plans[ref.target_index], options, environment, progress).Run();
  });

  Collected collected;
  collected.max_score = std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    Result<SegmentOutcome>& outcome = outcomes[i];
    if (!outcome.ok()) return ShardFailure(std::move(outcome).status(), segments[i].target->index);
    collected.total += outcome->total;
    if (!(outcome->max_score <= collected.max_score) && !std::isnan(outcome->max_score))
      collected.max_score = outcome->max_score;
    std::move(outcome->hits.begin(), outcome->hits.end(), std::back_inserter(collected.hits));
    if (outcome->partial != nullptr) collected.partials.push_back(std::move(outcome->partial));
  }
  collected.timed_out = progress.timed_out;
  collected.terminated_early = progress.terminated_early;
  SortHits(collected.hits, options.limit, plans.empty() ? nullptr : &plans[0].sort);
  return collected;
}

}  // namespace tiercel::search
