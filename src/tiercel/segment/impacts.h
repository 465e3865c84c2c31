// ImpactAccumulator: the best (frequency, norm) pairs of a run of postings, for block-max pruning.
//
// A pair is kept when no other has both a higher frequency and a smaller norm (a shorter field). Thread safety: one
// thread. Cost: a compare and a store per posting, 256 steps per run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiercel/segment/source.h"

namespace tiercel::segment {

class ImpactAccumulator {
 public:
  static constexpr size_t kMaxImpacts = 8;

  void Add(uint32_t freq, uint8_t norm) {
    if (freq > best_[norm]) best_[norm] = freq;
    if (norm < lowest_) lowest_ = norm;
    if (norm > highest_) highest_ = norm;
  }
  // The pairs, both members ascending, at most kMaxImpacts; then starts anew.
  void Take(std::vector<Impact>& out);

 private:
  std::array<uint32_t, 256> best_{};  // by norm
  uint8_t lowest_ = 255;
  uint8_t highest_ = 0;
};

}  // namespace tiercel::segment
