// KernelTable: the kernels of one level as plain function pointers. Dispatch picks a table once; tests run every one.
//
// Thread safety: immutable statics. This header is included by units compiled for wider CPUs than the rest of the
// program, so it may name only built-in types: an inline function or a std template here could be emitted with their
// instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tiercel::simd {

template <typename Element, typename Value>
struct Kernel {
  Value (*pair)(const Element* a, const Element* b, size_t dims);
  void (*bulk)(const Element* query, const void* rows, size_t stride, size_t n, size_t dims, Value* out);
  void (*rows)(const Element* query, const uint8_t* const* rows, size_t n, size_t dims, Value* out);
};

struct KernelTable {
  Kernel<float, float> dot_f32;
  Kernel<float, float> squared_l2_f32;
  Kernel<int8_t, int32_t> dot_i8;
  Kernel<int8_t, int32_t> squared_l2_i8;
  Kernel<uint8_t, int32_t> hamming;
};

namespace scalar {
extern const KernelTable kTable;
}
#if defined(__x86_64__)
namespace avx2 {
extern const KernelTable kTable;
}
namespace avx512 {
extern const KernelTable kTable;
}
namespace avx512vnni {
extern const KernelTable kTable;
}
#endif

}  // namespace tiercel::simd
