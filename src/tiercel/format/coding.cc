#include "tiercel/format/coding.h"

#include <cstring>

namespace tiercel::format {

void Writer::U32(uint32_t value) {
  const size_t at = out_.size();
  out_.resize(at + sizeof value);
  StoreU32(value, out_.data() + at);
}

void Writer::U64(uint64_t value) {
  const size_t at = out_.size();
  out_.resize(at + sizeof value);
  StoreU64(value, out_.data() + at);
}

void Writer::Varint(uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<uint8_t>(value));
}

void Writer::String(std::string_view text) {
  Varint(text.size());
  Raw(AsBytes(text));
}

Status CorruptionAt(std::string_view object, uint64_t offset, std::string_view what) {
  return Corruption(std::string(object) + ": " + std::string(what) + " at offset " + std::to_string(offset))
      .With("object", std::string(object))
      .With("offset", std::to_string(offset));
}

Status Reader::Bad(std::string_view what) const { return CorruptionAt(object_, offset(), what); }

Result<uint8_t> Reader::U8() {
  if (remaining() < 1) return Bad("truncated byte");
  return bytes_[position_++];
}

Result<uint32_t> Reader::U32() {
  if (remaining() < 4) return Bad("truncated 32-bit integer");
  position_ += 4;
  return LoadU32(bytes_.data() + position_ - 4);
}

Result<uint64_t> Reader::U64() {
  if (remaining() < 8) return Bad("truncated 64-bit integer");
  position_ += 8;
  return LoadU64(bytes_.data() + position_ - 8);
}

Result<uint64_t> Reader::Varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (AtEnd()) return Bad("truncated varint");
    const uint8_t byte = bytes_[position_++];
    if (shift == 63 && byte > 1) return Bad("varint over 64 bits");
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return Bad("varint over 64 bits");
}

Result<int64_t> Reader::SignedVarint() {
  TIERCEL_TRY_ASSIGN(const uint64_t value, Varint());
  return UnZigZag(value);
}

Result<ByteSpan> Reader::Raw(uint64_t length) {
  if (remaining() < length) return Bad("truncated run of " + std::to_string(length) + " bytes");
  const ByteSpan run = bytes_.subspan(position_, length);
  position_ += length;
  return run;
}

Result<std::string_view> Reader::String() {
  TIERCEL_TRY_ASSIGN(const uint64_t length, Varint());
  TIERCEL_TRY_ASSIGN(const ByteSpan run, Raw(length));
  return AsText(run);
}

Status Reader::Skip(uint64_t length) { return Raw(length).status(); }

}  // namespace tiercel::format
