// DistinctCounter: how many different 64-bit hashes were added; exact while few, HyperLogLog after.
//
// Precision p in [4, 18]: up to 3 * 2^(p-4) different hashes are kept as they are (the count is exact), then they go
// into 2^p registers of one byte and the count is estimated (relative error about 1.04 / sqrt(2^p)) with Ertl's
// improved estimator, which needs no bias tables. Thread safety: one thread. Cost: 2-5 ns an addition; memory at most
// the larger of both forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tiercel::search::aggs {

class DistinctCounter {
 public:
  explicit DistinctCounter(int precision) : precision_(precision) {}

  // `hash` must be well mixed.
  void Add(uint64_t hash);
  void Merge(const DistinctCounter& other);
  uint64_t Count() const;
  uint64_t memory_bytes() const { return sizeof *this + slots_.capacity() * sizeof(uint64_t) + registers_.capacity(); }

  // The precision that keeps counts below `threshold` exact, as Elasticsearch derives it.
  static int PrecisionFor(uint64_t threshold);

 private:
  size_t exact_max() const { return size_t{3} << (precision_ - 4); }
  void AddExact(uint64_t hash);
  void AddToRegisters(uint64_t hash);
  void Rehash(size_t capacity);
  void Upgrade();
  double Estimate() const;

  int precision_;
  size_t size_ = 0;                 // hashes in slots_
  bool has_zero_ = false;           // the hash that stands for an empty slot
  std::vector<uint64_t> slots_;     // open addressing; a power of two, or empty
  std::vector<uint8_t> registers_;  // empty while exact
};

// Mixes the bits of an integer key.
inline uint64_t MixBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace tiercel::search::aggs
