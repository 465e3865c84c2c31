// Collecting: runs planned queries over segments in parallel, keeps the best hits, counts, and feeds aggregations.
//
// Counting may stop being exact beyond a limit; then, when only scores matter, the collector tells scorers what score
// is to be beaten and they skip what cannot reach it. Ties go to the earlier segment and document, whatever thread was
// faster.
//
// Thread safety: CollectHits may run on many threads at once. Cost: one scorer and one heap a segment.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/search/aggregation.h"
#include "tiercel/search/hit.h"
#include "tiercel/search/plan.h"
#include "tiercel/search/request.h"

namespace tiercel::search {

struct CollectOptions {
  uint32_t limit = 10;  // hits wanted, best first
  int64_t track_total_hits = kTotalHitsDefault;
  bool track_scores = false;  // even when sorting by fields
  std::optional<float> min_score;
  uint32_t terminate_after = 0;
  int64_t deadline_ns = runtime::Cancellation::kNoDeadline;
  const AggregationSet* aggregations = nullptr;
};

struct Collected {
  std::vector<Hit> hits;
  uint64_t total = 0;   // exact up to track_total_hits; beyond, at least this many match
  float max_score = 0;  // NaN: no hit, or no scores
  bool timed_out = false;
  bool terminated_early = false;
  std::vector<std::unique_ptr<AggregationPartial>> partials;
};

// plans[i] belongs to the target of SegmentRef::target_index i.
Result<Collected> CollectHits(std::span<const SegmentRef> segments, std::span<const TargetPlan> plans,
                              const CollectOptions& options, const SearchEnvironment& environment);

}  // namespace tiercel::search
