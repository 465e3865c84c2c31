// AVX-512 with VNNI and VPOPCNTDQ.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "tiercel/simd/kernel_table.h"

namespace tiercel::simd::avx512vnni {
namespace {

#include "tiercel/simd/isa/forms.inc"

#include "tiercel/simd/isa/avx512.inc"

struct WordPopcount {
  static __m512i Of(__m512i v) { return _mm512_popcnt_epi64(v); }
};

// VPDPBUSD multiplies unsigned by signed bytes. A row byte with its sign bit flipped is row + 128 as unsigned, so
// row . query = (row + 128) . query - 128 * sum(query), and the last term belongs to the query alone.
struct DotI8 {
  using Element = int8_t;
  using Value = int32_t;
  static constexpr size_t kRows = 4;
  const int8_t* query;
  size_t dims;
  int32_t offset;

  DotI8(const int8_t* q, size_t n) : query(q), dims(n) {
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += 64)
      sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), _mm512_maskz_loadu_epi8(ByteMask(n - i), q + i));
    offset = 128 * _mm512_reduce_add_epi32(sum);
  }

  template <int R>
  void Run(const int8_t* const* rows, int32_t* out) const {
    const __m512i flip = _mm512_set1_epi8(-128);
    __m512i sums[R];
    TIERCEL_UNROLL
    for (int r = 0; r < R; ++r) sums[r] = _mm512_setzero_si512();
    for (size_t i = 0; i < dims; i += 64) {
      const __mmask64 mask = ByteMask(dims - i);  // lanes past the end multiply 128 by a query byte of 0
      const __m512i q = _mm512_maskz_loadu_epi8(mask, query + i);
      TIERCEL_UNROLL
      for (int r = 0; r < R; ++r)
        sums[r] = _mm512_dpbusd_epi32(sums[r], _mm512_xor_si512(flip, _mm512_maskz_loadu_epi8(mask, rows[r] + i)), q);
    }
    TIERCEL_UNROLL
    for (int r = 0; r < R; ++r) out[r] = _mm512_reduce_add_epi32(sums[r]) - offset;
  }
};

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = {Forms<FloatSum<Dot>>(), Forms<FloatSum<SquaredL2>>(), Forms<DotI8>(),
                                      Forms<IntegerSum<SquaredL2>>(), Forms<HammingSum<WordPopcount>>()};

}  // namespace tiercel::simd::avx512vnni
