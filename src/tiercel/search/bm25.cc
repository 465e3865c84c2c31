#include "tiercel/search/bm25.h"

#include <algorithm>
#include <cmath>

namespace tiercel::search {
namespace {

constexpr float kK1 = 1.2f;
constexpr float kB = 0.75f;

}  // namespace

float InverseDocumentFrequency(uint64_t doc_freq, uint64_t doc_count) {
  const double n = static_cast<double>(doc_freq);
  return static_cast<float>(std::log(1 + (static_cast<double>(doc_count) - n + 0.5) / (n + 0.5)));
}

Bm25::Bm25(float boost, float idf, const FieldStatistics& field) : weight_(boost * (1 + kK1) * idf) {
  const float average = field.AverageLength();
  for (uint32_t norm = 0; norm < inverse_length_.size(); ++norm) {
    const float length = static_cast<float>(segment::DecodeLength(static_cast<uint8_t>(norm)));
    inverse_length_[norm] = 1.0f / (kK1 * ((1 - kB) + kB * length / average));
  }
}

float Bm25::MaxScore(std::span<const segment::Impact> impacts) const {
  float best = 0;
  for (const segment::Impact& impact : impacts)
    best = std::max(best, Score(static_cast<float>(impact.freq), impact.norm));
  return best;
}

}  // namespace tiercel::search
