// Bm25: the score of one term (or phrase) in one document, float for float as Elasticsearch computes it.
//
//   score = w - w / (1 + freq / (k1 * (1 - b + b * length / average)))      w = boost * (k1 + 1) * idf
//
// Thread safety: immutable. Cost: a table of 256 lengths is filled at construction; a score is four float operations.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tiercel/segment/source.h"

namespace tiercel::search {

// What BM25 needs to know of a field, summed over all segments of the index; deleted documents count.
struct FieldStatistics {
  uint64_t doc_count = 0;            // documents with at least one term
  uint64_t sum_total_term_freq = 0;  // tokens

  float AverageLength() const {
    return doc_count == 0
               ? 1.0f
               : static_cast<float>(static_cast<double>(sum_total_term_freq) / static_cast<double>(doc_count));
  }
};

float InverseDocumentFrequency(uint64_t doc_freq, uint64_t doc_count);

class Bm25 {
 public:
  // The norm of fields that store none: one token.
  static constexpr uint8_t kNoNorm = 1;

  Bm25(float boost, float idf, const FieldStatistics& field);

  float Score(float freq, uint8_t norm) const { return weight_ - weight_ / (1.0f + freq * inverse_length_[norm]); }
  // The best score any document dominated by `impacts` can have.
  float MaxScore(std::span<const segment::Impact> impacts) const;
  // No score is larger.
  float limit() const { return weight_; }

 private:
  float weight_;
  std::array<float, 256> inverse_length_;
};

}  // namespace tiercel::search
