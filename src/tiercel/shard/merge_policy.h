// Merge policy: which segments to merge next. Tiered: segments of like size are merged, so that a document is rewritten
// a logarithmic number of times, and the number of segments stays near `segments_per_tier` per power of ten in size.
//
// Thread safety: pure. Cost: O(n log n) in the number of segments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tiercel::shard {

struct MergeCandidate {
  uint64_t bytes = 0;
  uint32_t docs = 0;
  uint32_t live = 0;
  bool busy = false;  // in a running merge: counted, never chosen

  // What the segment weighs in a merge: deleted documents are not copied.
  uint64_t live_bytes() const {
    return docs == 0 ? 0 : static_cast<uint64_t>(static_cast<double>(bytes) * live / docs);
  }
};

struct MergePolicyOptions {
  uint32_t segments_per_tier = 10;
  uint32_t merge_at_once = 10;
  uint64_t floor_bytes = 2ull << 20;  // smaller segments count as this large
  uint64_t max_merged_bytes = 5ull << 30;
  double max_deleted_fraction = 0.20;  // of the whole shard, before segments are rewritten for their deletes alone
};

// Indices of the segments of the best merge, ascending; empty when none is needed.
std::vector<size_t> PickMerge(std::span<const MergeCandidate> segments, const MergePolicyOptions& options);

// One step towards at most `max_segments`: the smallest ones, as many as needed. Empty when done.
std::vector<size_t> PickForceMerge(std::span<const MergeCandidate> segments, uint32_t max_segments);

// The next segment to rewrite because more than a tenth of it is deleted. Empty when none.
std::vector<size_t> PickExpungeDeletes(std::span<const MergeCandidate> segments);

}  // namespace tiercel::shard
