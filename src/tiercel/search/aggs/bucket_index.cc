#include "tiercel/search/aggs/bucket_index.h"

#include <algorithm>
#include <bit>

namespace tiercel::search::aggs {
namespace {

constexpr uint64_t kFlatSlotsMax = uint64_t{1} << 22;  // 16 MiB
constexpr size_t kHashSlotsMin = 256;

}  // namespace

BucketIndex::BucketIndex(uint64_t key_bound)
    : key_bound_(key_bound), flat_(key_bound > 0 && key_bound <= kFlatSlotsMax) {
  if (!flat_) slots_.assign(kHashSlotsMin, 0);
}

uint64_t BucketIndex::memory_bytes() const {
  return slots_.capacity() * sizeof(uint32_t) +
         keys_.capacity() * (sizeof(uint32_t) + sizeof(int64_t) + sizeof(uint64_t));
}

template <typename Key>
void BucketIndex::CountKeys(std::span<const uint32_t> owners, std::span<const Key> keys, uint32_t owner_bound,
                            uint32_t* out) {
  ReserveOwners(owner_bound);
  if (!flat_) {
    for (size_t i = 0; i < keys.size(); ++i) ++counts_[out[i] = FindHashed(owners[i], static_cast<int64_t>(keys[i]))];
    return;
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    uint32_t& slot = slots_[owners[i] * key_bound_ + static_cast<uint64_t>(keys[i])];
    if (slot == 0) [[unlikely]]
      slot = NewBucket(owners[i], static_cast<int64_t>(keys[i])) + 1;
    out[i] = slot - 1;
    ++counts_[slot - 1];
  }
}

template void BucketIndex::CountKeys(std::span<const uint32_t>, std::span<const uint32_t>, uint32_t, uint32_t*);
template void BucketIndex::CountKeys(std::span<const uint32_t>, std::span<const int64_t>, uint32_t, uint32_t*);

uint32_t BucketIndex::Add(uint32_t owner, int64_t key) {
  ReserveOwners(owner + 1);
  if (!flat_) return FindHashed(owner, key);
  uint32_t& slot = slots_[owner * key_bound_ + static_cast<uint64_t>(key)];
  if (slot == 0) slot = NewBucket(owner, key) + 1;
  return slot - 1;
}

void BucketIndex::ReserveOwners(uint32_t owner_bound) {
  if (!flat_ || owner_bound <= owner_capacity_) return;
  const uint64_t wanted = std::max<uint64_t>(owner_bound, uint64_t{owner_capacity_} * 2);
  if (owner_bound * key_bound_ > kFlatSlotsMax) {
    flat_ = false;
    Rehash(std::bit_ceil(std::max<size_t>(kHashSlotsMin, keys_.size() * 4)));
    return;
  }
  owner_capacity_ = static_cast<uint32_t>(std::min(wanted, kFlatSlotsMax / key_bound_));
  slots_.resize(owner_capacity_ * key_bound_, 0);
}

uint64_t BucketIndex::Hash(uint32_t owner, int64_t key) {
  uint64_t hash = (static_cast<uint64_t>(key) ^ (uint64_t{owner} << 32 | owner)) * 0x9e3779b97f4a7c15ULL;
  hash ^= hash >> 32;
  return hash * 0xbf58476d1ce4e5b9ULL >> 20;
}

uint32_t BucketIndex::FindHashed(uint32_t owner, int64_t key) {
  const size_t mask = slots_.size() - 1;
  size_t at = Hash(owner, key) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const uint32_t bucket = slots_[at] - 1;
    if (keys_[bucket] == key && owners_[bucket] == owner) return bucket;
  }
  const uint32_t bucket = NewBucket(owner, key);
  slots_[at] = bucket + 1;
  if (keys_.size() * 2 > slots_.size()) Rehash(slots_.size() * 2);
  return bucket;
}

uint32_t BucketIndex::NewBucket(uint32_t owner, int64_t key) {
  owners_.push_back(owner);
  keys_.push_back(key);
  counts_.push_back(0);
  return static_cast<uint32_t>(keys_.size() - 1);
}

void BucketIndex::Rehash(size_t capacity) {
  slots_.assign(capacity, 0);
  const size_t mask = capacity - 1;
  for (uint32_t bucket = 0; bucket < keys_.size(); ++bucket) {
    size_t at = Hash(owners_[bucket], keys_[bucket]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = bucket + 1;
  }
}

}  // namespace tiercel::search::aggs
