// RowMeasure: raw measures (dot products, squared distances, differing bits, cosines) between a query vector and rows
// where they lie.
//
// Thread safety: one thread. Lifetime: borrows the query vector. Cost: the simd kernels'; at most kBatch rows a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tiercel/search/vector_query.h"

namespace tiercel::search {

class RowMeasure {
 public:
  static constexpr uint32_t kBatch = 256;

  explicit RowMeasure(const VectorQuery& vector) : vector_(vector) {}

  // n <= kBatch rows, `stride` bytes apart or by address, into out[]. For cosine
  // these are dot products still, to be multiplied by VectorQuery::CosineFactor.
  void Bulk(const uint8_t* rows, size_t stride, size_t n, float* out);
  void ByAddress(const uint8_t* const* rows, size_t n, float* out);

 private:
  void Widen(size_t n, float* out) const;

  const VectorQuery& vector_;
  int32_t integers_[kBatch];
};

}  // namespace tiercel::search
