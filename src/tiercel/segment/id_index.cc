#include "tiercel/segment/id_index.h"

#include <algorithm>
#include <bit>

#include "tiercel/base/check.h"
#include "tiercel/format/bitpack.h"
#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

constexpr size_t kHeadBytes = 8;
constexpr uint64_t kSlotsPerRun = 16;  // a cache line

// The bits of the hash that a slot keeps above its document.
uint32_t Fingerprint(uint64_t hash, unsigned doc_bits) {
  return static_cast<uint32_t>(hash >> 32) >> doc_bits << doc_bits;
}

uint32_t Fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3ULL;
  return static_cast<uint32_t>(hash >> 32 ^ hash);
}

}  // namespace

Status IdWriter::Add(std::string_view id) {
  if (ends_.size() == kBlock) TIERCEL_TRY(FlushBlock());
  hashes_.push_back({format::Checksum(AsBytes(id)), Fnv1a(id)});
  ids_.insert(ids_.end(), id.begin(), id.end());
  ends_.push_back(static_cast<uint32_t>(ids_.size()));
  return {};
}

Status IdWriter::FlushBlock() {
  starts_.push_back(out_.section_offset());
  const unsigned width = format::BitsFor(ids_.size());
  encoded_.clear();
  format::Writer writer(encoded_);
  writer.U8(static_cast<uint8_t>(width));
  writer.Align(kHeadBytes);
  std::vector<uint32_t> offsets = {0};
  offsets.insert(offsets.end(), ends_.begin(), ends_.end());
  format::Pack(std::span<const uint32_t>(offsets), width, encoded_);
  writer.Raw(ids_);
  writer.Align(8);
  ids_.clear();
  ends_.clear();
  return out_.Append(encoded_);
}

Status IdWriter::Finish() {
  if (!ends_.empty()) TIERCEL_TRY(FlushBlock());
  starts_.push_back(out_.section_offset());
  encoded_.clear();
  format::Writer writer(encoded_);
  for (const uint64_t start : starts_) writer.U64(start);
  return out_.Append(encoded_);
}

Status IdWriter::WriteHash() {
  const uint64_t count = hashes_.size();
  const uint64_t slots = std::bit_ceil(count + count / 2 + 1);
  const unsigned doc_bits = format::BitsFor(count);
  std::vector<uint32_t> table(slots);
  const uint32_t doc_mask = (1u << doc_bits) - 1;
  // Of equal ids only the last gets a slot: the others are deleted documents, and a run of them would make probing
  // slow.
  for (uint64_t doc = count; doc-- > 0;) {
    const Hash& hash = hashes_[doc];
    uint64_t slot = hash.first & (slots - 1);
    bool known = false;
    for (; table[slot] != 0 && !known; slot = (slot + 1) & (slots - 1)) {
      const Hash& other = hashes_[(table[slot] & doc_mask) - 1];
      known = other.first == hash.first && other.second == hash.second;
    }
    if (!known) table[slot] = Fingerprint(hash.first, doc_bits) | static_cast<uint32_t>(doc + 1);
  }
  return out_.Append({reinterpret_cast<const uint8_t*>(table.data()), table.size() * sizeof(uint32_t)});
}

Result<IdReader> IdReader::Open(const InputSlice& ids, const InputSlice& hash, uint32_t doc_count) {
  IdReader reader;
  reader.ids_ = ids;
  reader.hash_ = hash;
  reader.doc_count_ = doc_count;
  reader.block_count_ = (doc_count + IdWriter::kBlock - 1) / IdWriter::kBlock;
  const uint64_t starts = (uint64_t{reader.block_count_} + 1) * 8;
  if (ids.size() < starts) return ids.Bad(0, "ids without room for their block starts");
  reader.starts_offset_ = ids.size() - starts;
  reader.slots_ = hash.size() / 4;
  reader.doc_bits_ = format::BitsFor(doc_count);
  if (hash.size() % 4 != 0 || !std::has_single_bit(reader.slots_) || reader.slots_ <= doc_count) {
    return hash.Bad(0, "impossible size of the id table");
  }
  return reader;
}

Result<std::string_view> IdReader::Read(DocId doc, cache::Borrowed& block) const {
  if (doc >= doc_count_) return InvalidArgument("document " + std::to_string(doc) + " does not exist");
  const uint32_t index = doc / IdWriter::kBlock;
  const uint64_t entry = starts_offset_ + uint64_t{index} * 8;
  TIERCEL_TRY_ASSIGN(const cache::Borrowed starts, ids_.Borrow(entry, 16));
  const uint64_t begin = format::LoadU64(starts.data());
  const uint64_t end = format::LoadU64(starts.data() + 8);
  if (begin > end || end > starts_offset_) return ids_.Bad(entry, "block of ids out of range");
  TIERCEL_TRY_ASSIGN(block, ids_.Borrow(begin, end - begin));
  const uint32_t count = std::min(IdWriter::kBlock, doc_count_ - index * IdWriter::kBlock);
  const unsigned width = block.size() == 0 ? 33 : block.data()[0];
  const uint64_t head = kHeadBytes + format::PackedBytes(count + 1, width);
  if (width > 32 || head > block.size()) return ids_.Bad(begin, "truncated block of ids");
  const uint8_t* packed = block.data() + kHeadBytes;
  const uint64_t from = format::PackedAt(packed, doc % IdWriter::kBlock, width);
  const uint64_t to = format::PackedAt(packed, doc % IdWriter::kBlock + 1, width);
  if (from > to || to > block.size() - head) return ids_.Bad(begin, "id out of range");
  return AsText(block.bytes().subspan(head + from, to - from));
}

Result<std::string> IdReader::Id(DocId doc) const {
  cache::Borrowed block;
  TIERCEL_TRY_ASSIGN(const std::string_view id, Read(doc, block));
  return std::string(id);
}

Result<std::optional<DocId>> IdReader::Find(std::string_view id) const {
  const uint64_t hash = format::Checksum(AsBytes(id));
  const uint32_t fingerprint = Fingerprint(hash, doc_bits_);
  const uint32_t doc_mask = (1u << doc_bits_) - 1;
  uint64_t slot = hash & (slots_ - 1);
  cache::Borrowed block;
  for (uint64_t seen = 0; seen < slots_;) {
    const uint64_t run = std::min({kSlotsPerRun - slot % kSlotsPerRun, slots_ - slot, slots_ - seen});
    TIERCEL_TRY_ASSIGN(const cache::Borrowed slots, hash_.Borrow(slot * 4, run * 4));
    for (uint64_t i = 0; i < run; ++i) {
      const uint32_t value = format::LoadU32(slots.data() + i * 4);
      if (value == 0) return std::optional<DocId>();
      if ((value & ~doc_mask) != fingerprint) continue;
      const DocId doc = (value & doc_mask) - 1;
      if (doc >= doc_count_) return hash_.Bad((slot + i) * 4, "document past the last in the id table");
      TIERCEL_TRY_ASSIGN(const std::string_view candidate, Read(doc, block));
      if (candidate == id) return std::optional<DocId>(doc);
    }
    seen += run;
    slot = (slot + run) & (slots_ - 1);
  }
  return std::optional<DocId>();
}

Status IdReader::Verify() const {
  cache::Borrowed block;
  for (DocId doc = 0; doc < doc_count_; ++doc) {
    TIERCEL_TRY_ASSIGN(const std::string_view id, Read(doc, block));
    TIERCEL_TRY_ASSIGN(const std::optional<DocId> found, Find(id));
    if (!found || *found < doc) return hash_.Bad(0, "document " + std::to_string(doc) + " is not found by its id");
  }
  return {};
}

}  // namespace tiercel::segment
