// SegmentCollector: one segment's share of CollectHits.
//
// Thread safety: one thread; what segments share is in CollectProgress. Lifetime: borrows everything it is given.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "tiercel/search/collect.h"
#include "tiercel/search/hit_queue.h"

namespace tiercel::search {

// What the segments of one search tell each other.
struct CollectProgress {
  std::atomic<uint64_t> counted{0};
  // A score that some segment's full heap asks to beat. A document of another segment may still equal it and come
  // first.
  std::atomic<float> score_bound{-std::numeric_limits<float>::infinity()};
  std::atomic<bool> timed_out{false};
  std::atomic<bool> terminated_early{false};
  // Documents collected in each shard, for terminate_after; then segments run one after the other.
  std::vector<uint64_t> shard_collected;
};

struct SegmentOutcome {
  std::vector<Hit> hits;
  uint64_t total = 0;
  float max_score;
  std::unique_ptr<AggregationPartial> partial;
};

class SegmentCollector {
 public:
  SegmentCollector(const SegmentRef& ref, uint32_t segment_number, const TargetPlan& plan,
                   const CollectOptions& options, const SearchEnvironment& environment, CollectProgress& progress);
  Result<SegmentOutcome> Run();

 private:
  Status Open();
  Status Drain(Scorer& scorer);
  // Filters docs_/scores_[0, n) in place down to what counts; returns how many stay.
  uint32_t KeepMatching(uint32_t n);
  Result<uint32_t> KeepPostFiltered(uint32_t n);
  Status Collect(uint32_t n);
  void Prune(Scorer& scorer);
  // Whether to stop here: time ran out, or enough was collected.
  Result<bool> ShouldStop();
  uint32_t RoomBeforeTermination() const;

  const SegmentRef& ref_;
  const uint32_t number_;
  const TargetPlan& plan_;
  const CollectOptions& options_;
  const SearchEnvironment& environment_;
  CollectProgress& progress_;

  bool scores_needed_ = false;
  bool prunable_ = false;
  std::optional<uint64_t> known_count_;
  std::optional<ScoreQueue> by_score_;
  std::optional<SortQueue> by_sort_;
  std::unique_ptr<Scorer> post_filter_;
  bool post_filter_started_ = false;
  std::unique_ptr<AggregationCollector> aggregation_;
  std::vector<DocId> docs_;
  std::vector<float> scores_;
  uint64_t total_ = 0;
  float max_score_;
};

}  // namespace tiercel::search
