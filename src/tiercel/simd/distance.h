// Distance kernels on plain pointers: float32 dot product and squared L2, int8 dot product and squared L2, Hamming.
//
// Three forms of each: a pair, Bulk (one query against n rows `stride` bytes apart) and Rows (one query against n rows
// given by address). All forms of a kernel give bit-identical results for the same pair, so a document's score does not
// depend on how it was reached; levels may differ in the last bits of a float sum, since they add in another order.
//
// Bounds: `dims` (bytes for Hamming) is any number up to kDimsMax, 0 gives 0; exactly that many elements of each row
// are read, never more. Alignment: none needed; rows on 64-byte boundaries are fastest. `out` must not overlap the
// inputs. NaN and infinity propagate as float arithmetic does. Integer results are exact.
//
// Thread safety: pure functions. Cost: one indirect call, then memory bandwidth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tiercel/simd/cpu.h"

namespace tiercel::simd {

inline constexpr size_t kDimsMax = 32768;  // the largest int8 squared L2 still fits 32 bits

// The level whose kernels run: the best this machine has, or a lower one named in the environment variable
// TIERCEL_SIMD.
Level ActiveLevel();

float DotF32(const float* a, const float* b, size_t dims);
void DotF32Bulk(const float* query, const void* rows, size_t stride, size_t n, size_t dims, float* out);
void DotF32Rows(const float* query, const uint8_t* const* rows, size_t n, size_t dims, float* out);

float SquaredL2F32(const float* a, const float* b, size_t dims);
void SquaredL2F32Bulk(const float* query, const void* rows, size_t stride, size_t n, size_t dims, float* out);
void SquaredL2F32Rows(const float* query, const uint8_t* const* rows, size_t n, size_t dims, float* out);

int32_t DotI8(const int8_t* a, const int8_t* b, size_t dims);
void DotI8Bulk(const int8_t* query, const void* rows, size_t stride, size_t n, size_t dims, int32_t* out);
void DotI8Rows(const int8_t* query, const uint8_t* const* rows, size_t n, size_t dims, int32_t* out);

int32_t SquaredL2I8(const int8_t* a, const int8_t* b, size_t dims);
void SquaredL2I8Bulk(const int8_t* query, const void* rows, size_t stride, size_t n, size_t dims, int32_t* out);
void SquaredL2I8Rows(const int8_t* query, const uint8_t* const* rows, size_t n, size_t dims, int32_t* out);

// Bits that differ.
int32_t Hamming(const uint8_t* a, const uint8_t* b, size_t bytes);
void HammingBulk(const uint8_t* query, const void* rows, size_t stride, size_t n, size_t bytes, int32_t* out);
void HammingRows(const uint8_t* query, const uint8_t* const* rows, size_t n, size_t bytes, int32_t* out);

}  // namespace tiercel::simd
