#include "tiercel/segment/value_blocks.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "tiercel/format/bitpack.h"
#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

constexpr uint64_t kEntryBytes = 24;
constexpr size_t kHeadBytes = 16;
constexpr size_t kPresenceBytes = ValueBlocksWriter::kBlock / 8;

enum Form : uint8_t { kSingle = 1, kOptional = 2, kMulti = 3 };

// How far values stand from the smallest, without signed overflow.
uint64_t Distance(int64_t value, int64_t min) { return static_cast<uint64_t>(value) - static_cast<uint64_t>(min); }

uint64_t CommonStep(std::span<const uint64_t> distances) {
  uint64_t step = 0;
  for (const uint64_t distance : distances) {
    step = std::gcd(step, distance);
    if (step == 1) break;
  }
  return step == 0 ? 1 : step;
}

// Document starts of a block in which a bit marks each document with a value.
void StartsFromPresence(const uint8_t* presence, uint32_t docs, std::vector<uint32_t>& starts) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < docs; ++i) {
    starts[i] = at;
    at += presence[i / 8] >> (i % 8) & 1;
  }
  starts[docs] = at;
}

}  // namespace

Status ValueBlocksWriter::Add(std::span<const int64_t> values) {
  if (counts_.size() == kBlock) TIERCEL_TRY(FlushBlock());
  counts_.push_back(static_cast<uint32_t>(values.size()));
  values_.insert(values_.end(), values.begin(), values.end());
  docs_with_value_ += !values.empty();
  ++docs_;
  return {};
}

Status ValueBlocksWriter::SkipTo(uint32_t doc) {
  while (docs_ < doc) TIERCEL_TRY(Add({}));
  return {};
}

Status ValueBlocksWriter::FlushBlock() {
  Entry entry{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), out_.section_offset()};
  for (const int64_t value : values_) {
    entry.min = std::min(entry.min, value);
    entry.max = std::max(entry.max, value);
  }
  directory_.push_back(entry);
  if (!values_.empty()) {
    min_ = std::min(min_, entry.min);
    max_ = std::max(max_, entry.max);
    value_count_ += values_.size();
    packed_.clear();
    for (const int64_t value : values_) packed_.push_back(Distance(value, entry.min));
    const uint64_t step = CommonStep(packed_);
    if (step > 1) {
      for (uint64_t& distance : packed_) distance /= step;
    }
    const uint32_t most = *std::max_element(counts_.begin(), counts_.end());
    const uint32_t least = *std::min_element(counts_.begin(), counts_.end());
    const Form form = most > 1 ? kMulti : least == 0 ? kOptional : kSingle;
    unsigned width = format::BitsFor(Distance(entry.max, entry.min) / step);
    // A value takes at least a bit here: the size of a block then bounds the values it can claim to hold.
    if (form == kMulti) width = std::max(width, 1u);
    const unsigned counts_width = form == kMulti ? format::BitsFor(most) : 0;
    encoded_.clear();
    format::Writer writer(encoded_);
    writer.U8(form);
    writer.U8(static_cast<uint8_t>(width));
    writer.U8(static_cast<uint8_t>(counts_width));
    writer.Align(8);
    writer.U64(step);
    if (form == kOptional) {
      uint8_t presence[kPresenceBytes] = {};
      for (size_t i = 0; i < counts_.size(); ++i) presence[i / 8] |= static_cast<uint8_t>(counts_[i] << (i % 8));
      writer.Raw(presence);
    } else if (form == kMulti) {
      format::Pack(std::span<const uint32_t>(counts_), counts_width, encoded_);
    }
    format::Pack(std::span<const uint64_t>(packed_), width, encoded_);
    TIERCEL_TRY(out_.Append(encoded_));
  }
  values_.clear();
  counts_.clear();
  return {};
}

Status ValueBlocksWriter::Finish() {
  if (!counts_.empty()) TIERCEL_TRY(FlushBlock());
  TIERCEL_TRY(out_.Align(8));
  encoded_.clear();
  format::Writer writer(encoded_);
  for (const Entry& entry : directory_) {
    writer.U64(static_cast<uint64_t>(entry.min));
    writer.U64(static_cast<uint64_t>(entry.max));
    writer.U64(entry.offset);
  }
  return out_.Append(encoded_);
}

Result<ValueBlocksReader> ValueBlocksReader::Open(const InputSlice& section, uint32_t doc_count) {
  ValueBlocksReader reader;
  reader.section_ = section;
  reader.doc_count_ = doc_count;
  reader.block_count_ = (doc_count + kBlock - 1) / kBlock;
  const uint64_t bytes = reader.block_count_ * kEntryBytes;
  if (section.size() < bytes) return section.Bad(0, "value blocks without room for their directory");
  reader.directory_offset_ = section.size() - bytes;
  TIERCEL_TRY_ASSIGN(reader.directory_, section.Borrow(reader.directory_offset_, bytes));
  return reader;
}

int64_t ValueBlocksReader::block_min(uint32_t block) const {
  return static_cast<int64_t>(format::LoadU64(directory_.data() + block * kEntryBytes));
}
int64_t ValueBlocksReader::block_max(uint32_t block) const {
  return static_cast<int64_t>(format::LoadU64(directory_.data() + block * kEntryBytes + 8));
}

// What precedes the packed values of a block, checked.
struct ValueBlocksReader::Head {
  bool single = false;
  unsigned width = 0;
  uint64_t step = 1;
  uint32_t values = 0;
  const uint8_t* packed = nullptr;
};

Result<ValueBlocksReader::Head> ValueBlocksReader::ReadHead(uint32_t block, uint32_t docs, const cache::Borrowed& bytes,
                                                            uint64_t offset, unsigned max_width,
                                                            std::vector<uint32_t>& starts) const {
  if (bytes.size() < kHeadBytes) return section_.Bad(offset, "truncated value block " + std::to_string(block));
  const uint8_t form = bytes.data()[0];
  Head head;
  head.width = bytes.data()[1];
  head.step = format::LoadU64(bytes.data() + 8);
  const unsigned counts_width = bytes.data()[2];
  size_t at = kHeadBytes;
  if (head.width > max_width || counts_width > 32 || form < kSingle || form > kMulti ||
      (form == kMulti && head.width == 0)) {
    return section_.Bad(offset, "impossible value block " + std::to_string(block));
  }
  uint64_t values = docs;
  head.single = form == kSingle;
  if (form == kOptional) {
    if (bytes.size() - at < kPresenceBytes)
      return section_.Bad(offset, "truncated value block " + std::to_string(block));
    starts.resize(docs + 1);
    StartsFromPresence(bytes.data() + at, docs, starts);
    values = starts[docs];
    at += kPresenceBytes;
  } else if (form == kMulti) {
    if (bytes.size() - at < format::PackedBytes(docs, counts_width)) {
      return section_.Bad(offset, "truncated value block " + std::to_string(block));
    }
    starts.resize(docs + 1);
    format::Unpack(bytes.data() + at, docs, counts_width, starts.data());
    at += format::PackedBytes(docs, counts_width);
    values = 0;
    for (uint32_t i = 0; i < docs; ++i) {
      const uint32_t count = starts[i];
      starts[i] = static_cast<uint32_t>(values);
      values += count;
      if (values > uint64_t{bytes.size()} * 8)
        return section_.Bad(offset, "impossible counts in value block " + std::to_string(block));
    }
    starts[docs] = static_cast<uint32_t>(values);
  }
  if (bytes.size() - at < format::PackedBytes(values, head.width)) {
    return section_.Bad(offset, "truncated value block " + std::to_string(block));
  }
  head.values = static_cast<uint32_t>(values);
  head.packed = bytes.data() + at;
  return head;
}

Result<cache::Borrowed> ValueBlocksReader::BorrowBlock(uint32_t block, uint64_t& offset) const {
  const uint8_t* entry = directory_.data() + block * kEntryBytes + 16;
  offset = format::LoadU64(entry);
  const uint64_t end = block + 1 < block_count_ ? format::LoadU64(entry + kEntryBytes) : directory_offset_;
  if (offset > end || end > directory_offset_)
    return section_.Bad(directory_offset_ + block * kEntryBytes, "value block out of range");
  return section_.Borrow(offset, end - offset);
}

Result<std::optional<int64_t>> ValueBlocksReader::ReadSingle(uint32_t doc) const {
  if (doc >= doc_count_) return InvalidArgument("document " + std::to_string(doc) + " does not exist");
  const uint32_t block = doc / kBlock, docs = std::min(kBlock, doc_count_ - block * kBlock);
  if (block_min(block) > block_max(block)) return std::optional<int64_t>();
  uint64_t begin = 0;
  TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, BorrowBlock(block, begin));
  if (bytes.size() < kHeadBytes || bytes.data()[0] != kSingle) return std::optional<int64_t>();
  std::vector<uint32_t> no_starts;
  TIERCEL_TRY_ASSIGN(const Head head, ReadHead(block, docs, bytes, begin, 64, no_starts));
  const uint64_t packed = format::PackedAt(head.packed, doc - block * kBlock, head.width);
  return std::optional(static_cast<int64_t>(packed * head.step + static_cast<uint64_t>(block_min(block))));
}

template <typename Value>
Status ValueBlocksReader::Read(uint32_t block, uint32_t& doc_count, bool& single, std::vector<Value>& values,
                               std::vector<uint32_t>& starts) const {
  using Unsigned = std::make_unsigned_t<Value>;
  if (block >= block_count_) return InvalidArgument("value block " + std::to_string(block) + " does not exist");
  const uint32_t docs = std::min(kBlock, doc_count_ - block * kBlock);
  doc_count = docs;
  const int64_t min = block_min(block);
  if (min > block_max(block)) {
    single = false;
    values.clear();
    starts.assign(docs + 1, 0);
    return {};
  }
  uint64_t begin = 0;
  TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, BorrowBlock(block, begin));
  TIERCEL_TRY_ASSIGN(const Head head, ReadHead(block, docs, bytes, begin, sizeof(Value) * 8, starts));
  single = head.single;
  values.resize(head.values);
  // A signed vector may be written through the unsigned type of the same size.
  Unsigned* out = reinterpret_cast<Unsigned*>(values.data());
  format::Unpack(head.packed, head.values, head.width, out);
  const Unsigned base = static_cast<Unsigned>(min);
  const Unsigned step = static_cast<Unsigned>(head.step);
  if (step == 1) {
    for (uint32_t i = 0; i < head.values; ++i) out[i] += base;
  } else {
    for (uint32_t i = 0; i < head.values; ++i) out[i] = out[i] * step + base;
  }
  return {};
}

template Status ValueBlocksReader::Read(uint32_t, uint32_t&, bool&, std::vector<int64_t>&,
                                        std::vector<uint32_t>&) const;
template Status ValueBlocksReader::Read(uint32_t, uint32_t&, bool&, std::vector<uint32_t>&,
                                        std::vector<uint32_t>&) const;

Status ValueBlocksReader::Verify(uint32_t block, uint64_t& docs_with_value, uint64_t& value_count) const {
  uint32_t docs = 0;
  bool single = false;
  std::vector<int64_t> values;
  std::vector<uint32_t> starts;
  TIERCEL_TRY(Read(block, docs, single, values, starts));
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();
  for (const int64_t value : values) min = std::min(min, value), max = std::max(max, value);
  const bool none = block_min(block) > block_max(block);
  if (none ? !values.empty() : (min != block_min(block) || max != block_max(block))) {
    return section_.Bad(directory_offset_ + block * kEntryBytes, "values outside the bounds of their block");
  }
  for (uint32_t i = 0; i < docs; ++i) {
    const uint32_t begin = single ? i : starts[i];
    const uint32_t end = single ? i + 1 : starts[i + 1];
    docs_with_value += end > begin;
    if (!std::is_sorted(values.begin() + begin, values.begin() + end)) {
      return section_.Bad(directory_offset_ + block * kEntryBytes,
                          "values of document " + std::to_string(block * kBlock + i) + " out of order");
    }
  }
  value_count += values.size();
  return {};
}

}  // namespace tiercel::segment
