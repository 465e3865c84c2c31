#include "tiercel/segment/norms.h"

#include <bit>

#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

// Lengths below this are stored as they are; the code of larger ones is a float with 3 bits behind the leading one.
constexpr uint32_t kExact = 24;

uint8_t EncodeFloating(uint32_t value) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(value));
  if (bits < 4) return static_cast<uint8_t>(value);
  const unsigned shift = bits - 4;
  return static_cast<uint8_t>(((value >> shift) & 7) | ((shift + 1) << 3));
}

uint32_t DecodeFloating(uint32_t code) {
  const uint32_t mantissa = code & 7;
  const uint32_t exponent = code >> 3;
  return exponent == 0 ? mantissa : (mantissa | 8) << (exponent - 1);
}

uint64_t WordsFor(uint32_t doc_count) { return (uint64_t{doc_count} + 63) / 64; }
uint64_t PresenceOffset(uint32_t doc_count) { return (uint64_t{doc_count} + 7) / 8 * 8; }

}  // namespace

uint8_t EncodeLength(uint32_t tokens) {
  tokens = std::min<uint32_t>(tokens, INT32_MAX);
  return static_cast<uint8_t>(tokens < kExact ? tokens : kExact + EncodeFloating(tokens - kExact));
}

uint32_t DecodeLength(uint8_t norm) { return norm < kExact ? norm : kExact + DecodeFloating(norm - kExact); }

void NormsBuffer::Set(DocId doc, uint8_t norm) {
  if (bytes_.size() <= doc) bytes_.resize(doc + 1);
  if (present_.size() <= doc / 64) present_.resize(doc / 64 + 1);
  bytes_[doc] = norm;
  present_[doc / 64] |= uint64_t{1} << (doc % 64);
  ++docs_with_field_;
}

void NormsBuffer::Close(uint32_t doc_count) {
  bytes_.resize(doc_count);
  present_.resize(WordsFor(doc_count));
}

Status NormsBuffer::Write(format::ContainerWriter& out) const {
  TIERCEL_TRY(out.Append(bytes_));
  if (docs_with_field_ == bytes_.size()) return {};
  TIERCEL_TRY(out.Align(8));
  return out.Append({reinterpret_cast<const uint8_t*>(present_.data()), present_.size() * 8});
}

Result<std::unique_ptr<NormsReader>> NormsReader::Open(const InputSlice& section, uint32_t doc_count,
                                                       uint64_t docs_with_field) {
  if (docs_with_field > doc_count) return section.Bad(0, "more field lengths than documents");
  auto reader = std::make_unique<NormsReader>();
  TIERCEL_TRY_ASSIGN(reader->bytes_, section.Borrow(0, doc_count));
  if (docs_with_field < doc_count) {
    TIERCEL_TRY_ASSIGN(reader->present_, section.Borrow(PresenceOffset(doc_count), WordsFor(doc_count) * 8));
  }
  reader->docs_with_field_ = static_cast<uint32_t>(docs_with_field);
  return reader;
}

bool NormsReader::has(DocId doc) const {
  if (present_.size() == 0) return true;
  return present_.data()[doc / 8] >> (doc % 8) & 1;
}

Status NormsReader::Verify(const InputSlice& section) const {
  if (present_.size() == 0) return {};
  uint64_t set = 0;
  for (size_t i = 0; i < present_.size(); i += 8)
    set += static_cast<uint64_t>(std::popcount(format::LoadU64(present_.data() + i)));
  if (set != docs_with_field_)
    return section.Bad(PresenceOffset(static_cast<uint32_t>(bytes_.size())), "wrong number of field lengths");
  return {};
}

}  // namespace tiercel::segment
