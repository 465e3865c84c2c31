// Random: a small seeded generator (SplitMix64), and the time-ordered document ids made from one.
//
// Thread safety: one thread at a time; give each thread its own. Cost: a few instructions a number.
#pragma once

#include <cstdint>
#include <string>

namespace tiercel {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A generator seeded by the operating system.
  static Random FromEntropy();

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound); bound > 0. The bias is below 2^-32 for bounds below 2^32.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // 22 URL-safe base64 characters of 128 random bits: index uuids and ids of documents without one.
  std::string Uuid();

 private:
  uint64_t state_;
};

}  // namespace tiercel
