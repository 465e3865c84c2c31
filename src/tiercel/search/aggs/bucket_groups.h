// BucketGroups: the merged buckets of an aggregation, grouped by the bucket of the parent they lie in.
//
// Thread safety: immutable once built. Cost: one counting sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tiercel::search::aggs {

class BucketGroups {
 public:
  // owners[b] is the parent's bucket of bucket b.
  void Build(std::span<const uint32_t> owners, uint32_t owner_count) {
    starts_.assign(owner_count + 1, 0);
    for (const uint32_t owner : owners) ++starts_[owner + 1];
    for (uint32_t i = 0; i < owner_count; ++i) starts_[i + 1] += starts_[i];
    buckets_.resize(owners.size());
    std::vector<uint32_t> next(starts_.begin(), starts_.end());
    for (uint32_t bucket = 0; bucket < owners.size(); ++bucket) buckets_[next[owners[bucket]]++] = bucket;
  }
  // In ascending order; none for an owner that was not known to Build.
  std::span<const uint32_t> Of(uint32_t owner) const {
    if (owner + size_t{1} >= starts_.size()) return {};
    return std::span(buckets_).subspan(starts_[owner], starts_[owner + 1] - starts_[owner]);
  }

 private:
  std::vector<uint32_t> starts_, buckets_;
};

}  // namespace tiercel::search::aggs
