// Integers and strings to and from little-endian bytes, with bounds checked on every read.
//
// Writer appends to a buffer it is given; Reader walks a span and turns any overrun into a Corruption that names the
// object and the offset. Varints are LEB128 (7 bits a byte, low first); signed ones are zigzag first.
//
// Thread safety: one thread at a time. Lifetime: both borrow. Cost: a bounds test and a copy per call.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"

namespace tiercel::format {

constexpr uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

static_assert(std::endian::native == std::endian::little, "stored integers are loaded as they lie");
inline uint32_t LoadU32(const uint8_t* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline uint64_t LoadU64(const uint8_t* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline void StoreU32(uint32_t value, uint8_t* to) { std::memcpy(to, &value, sizeof value); }
inline void StoreU64(uint64_t value, uint8_t* to) { std::memcpy(to, &value, sizeof value); }

// "object: what at offset N", with both as attributes.
Status CorruptionAt(std::string_view object, uint64_t offset, std::string_view what);

// The hot-path form of Reader::Varint: the byte after the varint at `from`, or nullptr when it does not end before
// `end` or exceeds 64 bits.
inline const uint8_t* DecodeVarint(const uint8_t* from, const uint8_t* end, uint64_t& value) {
  if (from < end && *from < 0x80) [[likely]] {
    value = *from;
    return from + 1;
  }
  value = 0;
  for (unsigned shift = 0; shift < 64 && from < end; shift += 7) {
    const uint8_t byte = *from++;
    if (shift == 63 && byte > 1) return nullptr;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return from;
  }
  return nullptr;
}

class Writer {
 public:
  explicit Writer(Bytes& out) : out_(out) {}

  void U8(uint8_t value) { out_.push_back(value); }
  void U32(uint32_t value);
  void U64(uint64_t value);
  void Varint(uint64_t value);
  void SignedVarint(int64_t value) { Varint(ZigZag(value)); }
  void Raw(ByteSpan bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  // A varint length, then the bytes.
  void String(std::string_view text);
  // Zero bytes up to the next multiple of `alignment`.
  void Align(size_t alignment) { out_.resize((out_.size() + alignment - 1) / alignment * alignment); }
  size_t size() const { return out_.size(); }

 private:
  Bytes& out_;
};

class Reader {
 public:
  // `object` names the source in errors; `base` is the offset of bytes[0] in that object.
  Reader(ByteSpan bytes, std::string_view object, uint64_t base = 0) : bytes_(bytes), object_(object), base_(base) {}

  Result<uint8_t> U8();
  Result<uint32_t> U32();
  Result<uint64_t> U64();
  Result<uint64_t> Varint();
  Result<int64_t> SignedVarint();
  // The next `length` bytes, borrowed.
  Result<ByteSpan> Raw(uint64_t length);
  Result<std::string_view> String();
  Status Skip(uint64_t length);

  // The offset of the next byte in the object.
  uint64_t offset() const { return base_ + position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }
  bool AtEnd() const { return position_ == bytes_.size(); }
  // "what: object at offset N", for errors found by the caller.
  Status Bad(std::string_view what) const;

 private:
  ByteSpan bytes_;
  std::string_view object_;
  uint64_t base_;
  size_t position_ = 0;
};

}  // namespace tiercel::format
