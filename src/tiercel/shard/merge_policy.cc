#include "tiercel/shard/merge_policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tiercel::shard {
namespace {

constexpr double kExpungeFraction = 0.10;

uint64_t Floored(uint64_t bytes, const MergePolicyOptions& options) { return std::max(bytes, options.floor_bytes); }

// Indices by live size, largest first.
std::vector<size_t> BySize(std::span<const MergeCandidate> segments) {
  std::vector<size_t> order(segments.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(segments[b].live_bytes(), a) < std::pair(segments[a].live_bytes(), b);
  });
  return order;
}

// How many segments the tiers may hold: as many as fit each level, levels growing by a factor of merge_at_once.
double AllowedSegments(uint64_t total_bytes, uint64_t smallest_bytes, const MergePolicyOptions& options) {
  double left = static_cast<double>(total_bytes);
  double level = static_cast<double>(Floored(smallest_bytes, options));
  double allowed = 0;
  while (true) {
    const double in_level = left / level;
    if (in_level < options.segments_per_tier || level >= static_cast<double>(options.max_merged_bytes)) {
      return std::max(allowed + std::ceil(in_level), static_cast<double>(options.segments_per_tier));
    }
    allowed += options.segments_per_tier;
    left -= options.segments_per_tier * level;
    level *= options.merge_at_once;
  }
}

// Lower is better: even sizes, small totals, many deletes.
double Score(std::span<const MergeCandidate> segments, const std::vector<size_t>& merge,
             const MergePolicyOptions& options) {
  uint64_t floored = 0, largest = 0, live = 0, bytes = 0;
  for (const size_t i : merge) {
    const uint64_t weight = Floored(segments[i].live_bytes(), options);
    floored += weight;
    largest = std::max(largest, weight);
    live += segments[i].live_bytes();
    bytes += segments[i].bytes;
  }
  const double skew = static_cast<double>(largest) / static_cast<double>(floored);
  const double live_ratio = bytes == 0 ? 1 : static_cast<double>(live) / static_cast<double>(bytes);
  return skew * std::pow(static_cast<double>(std::max<uint64_t>(live, 1)), 0.05) * live_ratio * live_ratio;
}

std::vector<size_t> PickTiered(std::span<const MergeCandidate> segments, const std::vector<size_t>& order,
                               const MergePolicyOptions& options) {
  std::vector<size_t> best;
  double best_score = 0;
  for (size_t start = 0; start < order.size(); ++start) {
    std::vector<size_t> merge;
    uint64_t bytes = 0;
    for (size_t i = start; i < order.size() && merge.size() < options.merge_at_once; ++i) {
      const uint64_t weight = segments[order[i]].live_bytes();
      if (bytes + weight > options.max_merged_bytes) continue;  // a smaller one may still fit
      bytes += weight;
      merge.push_back(order[i]);
    }
    if (merge.size() < 2) continue;
    const double score = Score(segments, merge, options);
    if (best.empty() || score < best_score) {
      best = std::move(merge);
      best_score = score;
    }
  }
  return best;
}

// The segment with the largest deleted share, when deletes are too many in the whole shard.
std::vector<size_t> PickForDeletes(std::span<const MergeCandidate> segments, const std::vector<size_t>& order,
                                   const MergePolicyOptions& options) {
  uint64_t docs = 0, live = 0;
  for (const MergeCandidate& segment : segments) {
    docs += segment.docs;
    live += segment.live;
  }
  if (static_cast<double>(docs - live) <= options.max_deleted_fraction * static_cast<double>(docs)) return {};
  std::vector<size_t> worst;
  double worst_fraction = 0;
  for (const size_t i : order) {
    const double fraction = static_cast<double>(segments[i].docs - segments[i].live) / segments[i].docs;
    if (fraction > worst_fraction) {
      worst = {i};
      worst_fraction = fraction;
    }
  }
  return worst;
}

}  // namespace

std::vector<size_t> PickMerge(std::span<const MergeCandidate> segments, const MergePolicyOptions& options) {
  uint64_t total = 0, smallest = UINT64_MAX;
  size_t counted = 0;
  std::vector<size_t> order;
  for (const size_t i : BySize(segments)) {
    const uint64_t weight = segments[i].live_bytes();
    // A segment near the largest size is done, unless deletes have eaten into it.
    if (weight > options.max_merged_bytes / 2) continue;
    total += Floored(weight, options);
    smallest = std::min(smallest, weight);
    ++counted;
    if (!segments[i].busy) order.push_back(i);
  }
  std::vector<size_t> merge;
  if (counted > 0 && static_cast<double>(counted) > AllowedSegments(total, smallest, options))
    merge = PickTiered(segments, order, options);
  if (merge.empty()) {
    order.clear();
    for (size_t i = 0; i < segments.size(); ++i) {
      if (!segments[i].busy && segments[i].docs > 0) order.push_back(i);
    }
    merge = PickForDeletes(segments, order, options);
  }
  std::sort(merge.begin(), merge.end());
  return merge;
}

std::vector<size_t> PickForceMerge(std::span<const MergeCandidate> segments, uint32_t max_segments) {
  const size_t target = std::max<uint32_t>(max_segments, 1);
  std::vector<size_t> order = BySize(segments);
  std::erase_if(order, [&](size_t i) { return segments[i].busy; });
  if (segments.size() <= target) {
    // One segment with deletes is not what was asked for when a single one is.
    if (target == 1 && order.size() == 1 && segments[order[0]].live < segments[order[0]].docs) return order;
    return {};
  }
  const size_t wanted = std::min(order.size(), segments.size() - target + 1);
  if (wanted < 2) return {};
  std::vector<size_t> merge(order.end() - static_cast<ptrdiff_t>(wanted), order.end());
  std::sort(merge.begin(), merge.end());
  return merge;
}

std::vector<size_t> PickExpungeDeletes(std::span<const MergeCandidate> segments) {
  for (size_t i = 0; i < segments.size(); ++i) {
    const MergeCandidate& s = segments[i];
    if (!s.busy && s.docs > 0 && static_cast<double>(s.docs - s.live) > kExpungeFraction * s.docs) return {i};
  }
  return {};
}

}  // namespace tiercel::shard
