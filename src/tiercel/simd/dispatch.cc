#include "tiercel/simd/dispatch.h"

#include <algorithm>
#include <cstdlib>

#include "tiercel/simd/distance.h"

namespace tiercel::simd {
namespace {

struct Choice {
  Level level;
  const KernelTable* table;
};

const Choice& Active() {
  static const Choice choice = [] {
    Level level = ChooseLevel(DetectLevel(), std::getenv("TIERCEL_SIMD"));
    while (TableFor(level) == nullptr) level = static_cast<Level>(static_cast<int>(level) - 1);
    return Choice{level, TableFor(level)};
  }();
  return choice;
}

const KernelTable& Table() { return *Active().table; }

}  // namespace

const KernelTable* TableFor(Level level) {
  switch (level) {
    case Level::kScalar:
      return &scalar::kTable;
#if defined(__x86_64__)
    case Level::kAvx2:
      return &avx2::kTable;
    case Level::kAvx512:
      return &avx512::kTable;
    case Level::kAvx512Vnni:
      return &avx512vnni::kTable;
#else
    default:
      break;
#endif
  }
  return nullptr;
}

Level ChooseLevel(Level detected, const char* forced) {
  const std::optional<Level> wanted = forced ? ParseLevel(forced) : std::nullopt;
  return wanted ? std::min(*wanted, detected) : detected;
}

Level ActiveLevel() { return Active().level; }

float DotF32(const float* a, const float* b, size_t dims) { return Table().dot_f32.pair(a, b, dims); }
void DotF32Bulk(const float* query, const void* rows, size_t stride, size_t n, size_t dims, float* out) {
  Table().dot_f32.bulk(query, rows, stride, n, dims, out);
}
void DotF32Rows(const float* query, const uint8_t* const* rows, size_t n, size_t dims, float* out) {
  Table().dot_f32.rows(query, rows, n, dims, out);
}

float SquaredL2F32(const float* a, const float* b, size_t dims) { return Table().squared_l2_f32.pair(a, b, dims); }
void SquaredL2F32Bulk(const float* query, const void* rows, size_t stride, size_t n, size_t dims, float* out) {
  Table().squared_l2_f32.bulk(query, rows, stride, n, dims, out);
}
void SquaredL2F32Rows(const float* query, const uint8_t* const* rows, size_t n, size_t dims, float* out) {
  Table().squared_l2_f32.rows(query, rows, n, dims, out);
}

int32_t DotI8(const int8_t* a, const int8_t* b, size_t dims) { return Table().dot_i8.pair(a, b, dims); }
void DotI8Bulk(const int8_t* query, const void* rows, size_t stride, size_t n, size_t dims, int32_t* out) {
  Table().dot_i8.bulk(query, rows, stride, n, dims, out);
}
void DotI8Rows(const int8_t* query, const uint8_t* const* rows, size_t n, size_t dims, int32_t* out) {
  Table().dot_i8.rows(query, rows, n, dims, out);
}

int32_t SquaredL2I8(const int8_t* a, const int8_t* b, size_t dims) { return Table().squared_l2_i8.pair(a, b, dims); }
void SquaredL2I8Bulk(const int8_t* query, const void* rows, size_t stride, size_t n, size_t dims, int32_t* out) {
  Table().squared_l2_i8.bulk(query, rows, stride, n, dims, out);
}
void SquaredL2I8Rows(const int8_t* query, const uint8_t* const* rows, size_t n, size_t dims, int32_t* out) {
  Table().squared_l2_i8.rows(query, rows, n, dims, out);
}

int32_t Hamming(const uint8_t* a, const uint8_t* b, size_t bytes) { return Table().hamming.pair(a, b, bytes); }
void HammingBulk(const uint8_t* query, const void* rows, size_t stride, size_t n, size_t bytes, int32_t* out) {
  Table().hamming.bulk(query, rows, stride, n, bytes, out);
}
void HammingRows(const uint8_t* query, const uint8_t* const* rows, size_t n, size_t bytes, int32_t* out) {
  Table().hamming.rows(query, rows, n, bytes, out);
}

}  // namespace tiercel::simd
