// BucketIndex: numbers the buckets of one bucket aggregation, (bucket of the parent, key) → 0, 1, 2, ..., and counts
// their documents.
//
// Small key ranges live in a flat table of owner × key; large ones, or very many owners, in an open-addressed hash
// table. Thread safety: one thread. Cost: about 1 ns a document in the flat table, 3-5 ns in the hash table while it
// fits the cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tiercel::search::aggs {

class BucketIndex {
 public:
  // Keys are in [0, key_bound); 0: any key, always hashed.
  explicit BucketIndex(uint64_t key_bound);

  // out[i] becomes the bucket of (owners[i], keys[i]); its document count grows by one. Every owner is below
  // owner_bound.
  void Count(std::span<const uint32_t> owners, std::span<const uint32_t> keys, uint32_t owner_bound, uint32_t* out) {
    CountKeys(owners, keys, owner_bound, out);
  }
  void Count(std::span<const uint32_t> owners, std::span<const int64_t> keys, uint32_t owner_bound, uint32_t* out) {
    CountKeys(owners, keys, owner_bound, out);
  }
  // The bucket of one key; new ones have no documents.
  uint32_t Add(uint32_t owner, int64_t key);

  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }
  std::vector<uint32_t>& owners() { return owners_; }
  std::vector<int64_t>& keys() { return keys_; }
  std::vector<uint64_t>& counts() { return counts_; }
  uint64_t memory_bytes() const;

 private:
  template <typename Key>
  void CountKeys(std::span<const uint32_t> owners, std::span<const Key> keys, uint32_t owner_bound, uint32_t* out);
  void ReserveOwners(uint32_t owner_bound);
  uint32_t FindHashed(uint32_t owner, int64_t key);
  uint32_t NewBucket(uint32_t owner, int64_t key);
  void Rehash(size_t capacity);
  static uint64_t Hash(uint32_t owner, int64_t key);

  const uint64_t key_bound_;
  bool flat_;
  uint32_t owner_capacity_ = 0;
  std::vector<uint32_t> slots_;  // bucket + 1, 0: none
  std::vector<uint32_t> owners_;
  std::vector<int64_t> keys_;
  std::vector<uint64_t> counts_;
};

}  // namespace tiercel::search::aggs
