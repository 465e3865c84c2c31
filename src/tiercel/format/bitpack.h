// Runs of integers packed with a fixed number of bits each.
//
// Value i occupies bits [i * bits, (i + 1) * bits) of the run, counted from the low bit of its first byte; a run is
// padded with zero bits to whole 8-byte words, so that readers work word by word and never look past its end. Width 0
// takes no bytes.
//
// Thread safety: pure. Cost: unpacking is about half a nanosecond a value; PackedAt reads one or two words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tiercel/base/bytes.h"

namespace tiercel::format {

inline constexpr unsigned kMaxPackedBits = 64;

// Bytes of a run of `count` values.
constexpr uint64_t PackedBytes(uint64_t count, unsigned bits) { return (count * bits + 63) / 64 * 8; }
// Bits that hold every value up to `max`.
constexpr unsigned BitsFor(uint64_t max) { return static_cast<unsigned>(std::bit_width(max)); }

// Appends the run to `out`; every value fits in `bits`.
void Pack(std::span<const uint64_t> values, unsigned bits, Bytes& out);
void Pack(std::span<const uint32_t> values, unsigned bits, Bytes& out);
// Reads `count` values from the PackedBytes(count, bits) bytes at `packed`. bits <= 64, <= 32 for 32-bit output.
void Unpack(const uint8_t* packed, size_t count, unsigned bits, uint64_t* out);
void Unpack(const uint8_t* packed, size_t count, unsigned bits, uint32_t* out);
// Value `index` of a run.
uint64_t PackedAt(const uint8_t* packed, size_t index, unsigned bits);

}  // namespace tiercel::format
