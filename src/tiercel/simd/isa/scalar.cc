// The baseline: sixteen partial sums, so that the compiler may use whatever the baseline CPU has.
#include <cstddef>
#include <cstdint>

#include "tiercel/simd/kernel_table.h"

namespace tiercel::simd::scalar {
namespace {

#include "tiercel/simd/isa/forms.inc"

struct Dot {
  template <typename T>
  static T Step(T a, T b) {
    return a * b;
  }
};
struct SquaredL2 {
  template <typename T>
  static T Step(T a, T b) {
    return (a - b) * (a - b);
  }
};

template <typename Step>
struct FloatSum {
  using Element = float;
  using Value = float;
  static constexpr size_t kRows = 1;
  static constexpr size_t kLanes = 16;
  const float* query;
  size_t dims;
  FloatSum(const float* q, size_t n) : query(q), dims(n) {}

  template <int R>
  void Run(const float* const* rows, float* out) const {
    const float* row = rows[0];
    float lanes[kLanes] = {};
    size_t i = 0;
    for (; i + kLanes <= dims; i += kLanes)
      for (size_t l = 0; l < kLanes; ++l) lanes[l] += Step::Step(query[i + l], row[i + l]);
    for (size_t l = 0; i < dims; ++i, ++l) lanes[l] += Step::Step(query[i], row[i]);
    for (size_t half = kLanes / 2; half > 0; half /= 2)
      for (size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    out[0] = lanes[0];
  }
};

template <typename Step>
struct IntegerSum {
  using Element = int8_t;
  using Value = int32_t;
  static constexpr size_t kRows = 1;
  const int8_t* query;
  size_t dims;
  IntegerSum(const int8_t* q, size_t n) : query(q), dims(n) {}

  template <int R>
  void Run(const int8_t* const* rows, int32_t* out) const {
    int32_t sum = 0;
    for (size_t i = 0; i < dims; ++i) sum += Step::template Step<int32_t>(query[i], rows[0][i]);
    out[0] = sum;
  }
};

struct HammingSum {
  using Element = uint8_t;
  using Value = int32_t;
  static constexpr size_t kRows = 1;
  const uint8_t* query;
  size_t bytes;
  HammingSum(const uint8_t* q, size_t n) : query(q), bytes(n) {}

  template <int R>
  void Run(const uint8_t* const* rows, int32_t* out) const {
    int32_t sum = 0;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
      uint64_t a, b;
      __builtin_memcpy(&a, query + i, 8);
      __builtin_memcpy(&b, rows[0] + i, 8);
      sum += __builtin_popcountll(a ^ b);
    }
    for (; i < bytes; ++i) sum += __builtin_popcount(static_cast<unsigned>(query[i] ^ rows[0][i]));
    out[0] = sum;
  }
};

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = {Forms<FloatSum<Dot>>(), Forms<FloatSum<SquaredL2>>(), Forms<IntegerSum<Dot>>(),
                                      Forms<IntegerSum<SquaredL2>>(), Forms<HammingSum>()};

}  // namespace tiercel::simd::scalar
