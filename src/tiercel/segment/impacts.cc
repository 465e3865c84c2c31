#include "tiercel/segment/impacts.h"

#include <algorithm>

namespace tiercel::segment {

void ImpactAccumulator::Take(std::vector<Impact>& out) {
  out.clear();
  uint32_t highest_freq = 0;
  for (uint32_t norm = lowest_; norm <= highest_; ++norm) {
    if (best_[norm] > highest_freq) {
      highest_freq = best_[norm];
      out.push_back({highest_freq, static_cast<uint8_t>(norm)});
    }
    best_[norm] = 0;
  }
  lowest_ = 255;
  highest_ = 0;
  // Join the neighbours whose frequencies are closest: the pair (higher frequency, smaller norm) beats both.
  while (out.size() > kMaxImpacts) {
    size_t closest = 1;
    for (size_t i = 2; i < out.size(); ++i) {
      if (out[i].freq - out[i - 1].freq < out[closest].freq - out[closest - 1].freq) closest = i;
    }
    out[closest].norm = out[closest - 1].norm;
    out.erase(out.begin() + static_cast<ptrdiff_t>(closest) - 1);
  }
}

}  // namespace tiercel::segment
