// AVX2 and FMA: eight floats or sixteen widened int8 a step; tails through masks (floats) or scalars (integers).
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "tiercel/simd/kernel_table.h"

namespace tiercel::simd::avx2 {
namespace {

#include "tiercel/simd/isa/forms.inc"

struct Dot {
  static __m256 Step(__m256 a, __m256 b, __m256 sum) { return _mm256_fmadd_ps(a, b, sum); }
  static __m256i Step16(__m256i a, __m256i b) { return _mm256_madd_epi16(a, b); }
  static int32_t Step(int32_t a, int32_t b) { return a * b; }
};
struct SquaredL2 {
  static __m256 Step(__m256 a, __m256 b, __m256 sum) {
    const __m256 d = _mm256_sub_ps(a, b);
    return _mm256_fmadd_ps(d, d, sum);
  }
  static __m256i Step16(__m256i a, __m256i b) {
    const __m256i d = _mm256_sub_epi16(a, b);
    return _mm256_madd_epi16(d, d);
  }
  static int32_t Step(int32_t a, int32_t b) { return (a - b) * (a - b); }
};

// The first `n` (< 8) lanes.
__m256i TailMask(size_t n) {
  alignas(32) static constexpr int32_t kOnes[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kOnes + 8 - n));
}

float Sum(__m256 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

int32_t Sum(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

template <typename Step>
struct FloatSum {
  using Element = float;
  using Value = float;
  static constexpr size_t kRows = 2;
  static constexpr int kUnroll = 4;
  static constexpr size_t kLanes = 8;
  const float* query;
  size_t dims;
  FloatSum(const float* q, size_t n) : query(q), dims(n) {}

  template <int R>
  void Run(const float* const* rows, float* out) const {
    __m256 sums[R][kUnroll];
    TIERCEL_UNROLL
    for (int r = 0; r < R; ++r) TIERCEL_UNROLL
    for (int u = 0; u < kUnroll; ++u) sums[r][u] = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + kLanes * kUnroll <= dims; i += kLanes * kUnroll) TIERCEL_UNROLL
    for (int u = 0; u < kUnroll; ++u) {
      const size_t at = i + kLanes * static_cast<size_t>(u);
      const __m256 q = _mm256_loadu_ps(query + at);
      TIERCEL_UNROLL
      for (int r = 0; r < R; ++r) sums[r][u] = Step::Step(q, _mm256_loadu_ps(rows[r] + at), sums[r][u]);
    }
    for (; i + kLanes <= dims; i += kLanes) {
      const __m256 q = _mm256_loadu_ps(query + i);
      TIERCEL_UNROLL
      for (int r = 0; r < R; ++r) sums[r][0] = Step::Step(q, _mm256_loadu_ps(rows[r] + i), sums[r][0]);
    }
    if (i < dims) {
      const __m256i mask = TailMask(dims - i);
      const __m256 q = _mm256_maskload_ps(query + i, mask);
      TIERCEL_UNROLL
      for (int r = 0; r < R; ++r) sums[r][1] = Step::Step(q, _mm256_maskload_ps(rows[r] + i, mask), sums[r][1]);
    }
    TIERCEL_UNROLL
    for (int r = 0; r < R; ++r)
      out[r] = Sum(_mm256_add_ps(_mm256_add_ps(sums[r][0], sums[r][1]), _mm256_add_ps(sums[r][2], sums[r][3])));
  }
};

template <typename Step>
struct IntegerSum {
  using Element = int8_t;
  using Value = int32_t;
  static constexpr size_t kRows = 4;
  static constexpr size_t kLanes = 16;
  const int8_t* query;
  size_t dims;
  IntegerSum(const int8_t* q, size_t n) : query(q), dims(n) {}

  static __m256i Load(const int8_t* p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }

  template <int R>
  void Run(const int8_t* const* rows, int32_t* out) const {
    __m256i sums[R];
    TIERCEL_UNROLL
    for (int r = 0; r < R; ++r) sums[r] = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + kLanes <= dims; i += kLanes) {
      const __m256i q = Load(query + i);
      TIERCEL_UNROLL
      for (int r = 0; r < R; ++r) sums[r] = _mm256_add_epi32(sums[r], Step::Step16(q, Load(rows[r] + i)));
    }
    TIERCEL_UNROLL
    for (int r = 0; r < R; ++r) {
      int32_t sum = Sum(sums[r]);
      for (size_t j = i; j < dims; ++j) sum += Step::Step(int32_t{query[j]}, int32_t{rows[r][j]});
      out[r] = sum;
    }
  }
};

struct HammingSum {
  using Element = uint8_t;
  using Value = int32_t;
  static constexpr size_t kRows = 1;
  static constexpr size_t kLanes = 32;
  const uint8_t* query;
  size_t bytes;
  HammingSum(const uint8_t* q, size_t n) : query(q), bytes(n) {}

  static __m256i Popcount(__m256i v) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2,
                                           2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i counts = _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                                           _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    return _mm256_sad_epu8(counts, _mm256_setzero_si256());
  }

  template <int R>
  void Run(const uint8_t* const* rows, int32_t* out) const {
    __m256i counts = _mm256_setzero_si256();  // four 64-bit sums whose upper halves stay zero
    size_t i = 0;
    for (; i + kLanes <= bytes; i += kLanes) {
      const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + i));
      const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[0] + i));
      counts = _mm256_add_epi64(counts, Popcount(_mm256_xor_si256(a, b)));
    }
    int32_t sum = Sum(counts);
    for (; i < bytes; ++i) sum += __builtin_popcount(static_cast<unsigned>(query[i] ^ rows[0][i]));
    out[0] = sum;
  }
};

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = {Forms<FloatSum<Dot>>(), Forms<FloatSum<SquaredL2>>(), Forms<IntegerSum<Dot>>(),
                                      Forms<IntegerSum<SquaredL2>>(), Forms<HammingSum>()};

}  // namespace tiercel::simd::avx2
