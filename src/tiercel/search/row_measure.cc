#include "tiercel/search/row_measure.h"

#include "tiercel/simd/distance.h"

namespace tiercel::search {

using mapping::ElementType;
using mapping::Similarity;

void RowMeasure::Bulk(const uint8_t* rows, size_t stride, size_t n, float* out) {
  const bool distance = vector_.similarity == Similarity::kL2Norm;
  if (vector_.element == ElementType::kFloat) {
    const auto kernel = distance ? simd::SquaredL2F32Bulk : simd::DotF32Bulk;
    kernel(vector_.floats.data(), rows, stride, n, vector_.dims, out);
    return;
  }
  if (vector_.element == ElementType::kBit) {
    simd::HammingBulk(vector_.bytes.data(), rows, stride, n, vector_.bytes.size(), integers_);
  } else {
    const auto kernel = distance ? simd::SquaredL2I8Bulk : simd::DotI8Bulk;
    kernel(reinterpret_cast<const int8_t*>(vector_.bytes.data()), rows, stride, n, vector_.dims, integers_);
  }
  Widen(n, out);
}

void RowMeasure::ByAddress(const uint8_t* const* rows, size_t n, float* out) {
  const bool distance = vector_.similarity == Similarity::kL2Norm;
  if (vector_.element == ElementType::kFloat) {
    const auto kernel = distance ? simd::SquaredL2F32Rows : simd::DotF32Rows;
    kernel(vector_.floats.data(), rows, n, vector_.dims, out);
    return;
  }
  if (vector_.element == ElementType::kBit) {
    simd::HammingRows(vector_.bytes.data(), rows, n, vector_.bytes.size(), integers_);
  } else {
    const auto kernel = distance ? simd::SquaredL2I8Rows : simd::DotI8Rows;
    kernel(reinterpret_cast<const int8_t*>(vector_.bytes.data()), rows, n, vector_.dims, integers_);
  }
  Widen(n, out);
}

void RowMeasure::Widen(size_t n, float* out) const {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(integers_[i]);
}

}  // namespace tiercel::search
