// AVX-512 F, BW, DQ, VL.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "tiercel/simd/kernel_table.h"

namespace tiercel::simd::avx512 {
namespace {

#include "tiercel/simd/isa/forms.inc"

#include "tiercel/simd/isa/avx512.inc"

// Bits of each 64-bit lane, by looking up nibbles.
struct NibblePopcount {
  static __m512i Of(__m512i v) {
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i counts = _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, low)),
                                           _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), low)));
    return _mm512_sad_epu8(counts, _mm512_setzero_si512());
  }
};

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = {Forms<FloatSum<Dot>>(), Forms<FloatSum<SquaredL2>>(), Forms<IntegerSum<Dot>>(),
                                      Forms<IntegerSum<SquaredL2>>(), Forms<HammingSum<NibblePopcount>>()};

}  // namespace tiercel::simd::avx512
