#include "tiercel/format/bitpack.h"

#include <array>
#include <utility>

#include "tiercel/format/coding.h"

namespace tiercel::format {
namespace {

constexpr uint64_t Mask(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

template <typename T>
void PackValues(std::span<const T> values, unsigned bits, Bytes& out) {
  if (bits == 0) return;
  const size_t start = out.size();
  out.resize(start + PackedBytes(values.size(), bits));
  uint8_t* to = out.data() + start;
  uint64_t word = 0;
  unsigned used = 0;
  for (const T value : values) {
    word |= static_cast<uint64_t>(value) << used;
    if (used + bits >= 64) {
      StoreU64(word, to);
      to += 8;
      word = used == 0 ? 0 : static_cast<uint64_t>(value) >> (64 - used);
      used = used + bits - 64;
    } else {
      used += bits;
    }
  }
  if (used != 0) StoreU64(word, to);
}

// Value `kIndex` of 64 values that fill exactly kBits words; all shifts are constants.
template <unsigned kBits, size_t kIndex>
inline uint64_t Extract(const uint8_t* words) {
  constexpr size_t kBit = kIndex * kBits;
  constexpr size_t kWord = kBit / 64;
  constexpr unsigned kShift = kBit % 64;
  uint64_t value = LoadU64(words + kWord * 8) >> kShift;
  if constexpr (kShift + kBits > 64) value |= LoadU64(words + kWord * 8 + 8) << (64 - kShift);
  return value & Mask(kBits);
}

template <unsigned kBits, typename T>
void Unpack64(const uint8_t* words, T* out) {
  [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((out[kIndex] = static_cast<T>(Extract<kBits, kIndex>(words))), ...);
  }(std::make_index_sequence<64>{});
}

template <typename T>
using UnpackFunction = void (*)(const uint8_t*, T*);

// Kernels for widths 1 to kMax, in order.
template <typename T, unsigned kMax>
constexpr auto kUnpack = []<size_t... kBits>(std::index_sequence<kBits...>) {
  return std::array<UnpackFunction<T>, kMax>{&Unpack64<kBits + 1, T>...};
}(std::make_index_sequence<kMax>{});

template <typename T, unsigned kMax>
void UnpackValues(const uint8_t* packed, size_t count, unsigned bits, T* out) {
  if (bits == 0) {
    for (size_t i = 0; i < count; ++i) out[i] = 0;
    return;
  }
  const UnpackFunction<T> kernel = kUnpack<T, kMax>[bits - 1];
  for (; count >= 64; count -= 64, packed += bits * 8, out += 64) kernel(packed, out);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<T>(PackedAt(packed, i, bits));
}

}  // namespace

void Pack(std::span<const uint64_t> values, unsigned bits, Bytes& out) { PackValues(values, bits, out); }
void Pack(std::span<const uint32_t> values, unsigned bits, Bytes& out) { PackValues(values, bits, out); }

void Unpack(const uint8_t* packed, size_t count, unsigned bits, uint64_t* out) {
  UnpackValues<uint64_t, 64>(packed, count, bits, out);
}
void Unpack(const uint8_t* packed, size_t count, unsigned bits, uint32_t* out) {
  UnpackValues<uint32_t, 32>(packed, count, bits, out);
}

uint64_t PackedAt(const uint8_t* packed, size_t index, unsigned bits) {
  if (bits == 0) return 0;
  const size_t bit = index * bits;
  const uint8_t* word = packed + bit / 64 * 8;
  const unsigned shift = bit % 64;
  uint64_t value = LoadU64(word) >> shift;
  if (shift + bits > 64) value |= LoadU64(word + 8) << (64 - shift);
  return value & Mask(bits);
}

}  // namespace tiercel::format
