#include "tiercel/segment/dictionary.h"

#include <algorithm>

#include "tiercel/base/check.h"
#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

size_t SharedPrefix(std::string_view a, std::string_view b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < limit && a[i] == b[i]) ++i;
  return i;
}

// One term of a block as it is stored: what it shares with the term before, and the rest.
struct StoredTerm {
  uint64_t shared = 0;
  std::string_view rest;
};

// Nullptr when the term does not end before `end`.
const uint8_t* DecodeTerm(const uint8_t* at, const uint8_t* end, StoredTerm& term) {
  uint64_t length = 0;
  at = format::DecodeVarint(at, end, term.shared);
  if (at == nullptr) return nullptr;
  at = format::DecodeVarint(at, end, length);
  if (at == nullptr || length > static_cast<uint64_t>(end - at)) return nullptr;
  term.rest = {reinterpret_cast<const char*>(at), length};
  return at + length;
}

// Reads the entry of the term whose data start at `offset`, and moves `offset` past them.
const uint8_t* DecodeEntry(const uint8_t* at, const uint8_t* end, PostingsKind kind, uint64_t& offset,
                           TermEntry& entry) {
  const bool positions = kind == PostingsKind::kPositions;
  uint64_t docs = 0;
  uint64_t more = 0;
  uint64_t next = 0;
  if ((at = format::DecodeVarint(at, end, docs)) == nullptr || docs == 0 || docs > UINT32_MAX) return nullptr;
  if (positions && (at = format::DecodeVarint(at, end, more)) == nullptr) return nullptr;
  if ((at = format::DecodeVarint(at, end, next)) == nullptr) return nullptr;
  if (docs == 1 && next > UINT32_MAX) return nullptr;
  entry.doc_freq = static_cast<uint32_t>(docs);
  entry.total_term_freq = docs + more;
  entry.single = docs == 1 ? static_cast<DocId>(next) : 0;
  entry.postings_length = docs == 1 ? 0 : next;
  entry.positions_length = 0;
  if (positions && (at = format::DecodeVarint(at, end, entry.positions_length)) == nullptr) return nullptr;
  entry.offset = offset;
  if (__builtin_add_overflow(offset, entry.positions_length, &offset)) return nullptr;
  if (__builtin_add_overflow(offset, entry.postings_length, &offset)) return nullptr;
  return at;
}

}  // namespace

void DictionaryWriter::Add(std::string_view term, const TermEntry& entry) {
  TIERCEL_DCHECK(count_ == 0 || previous_ < term, "terms are added in order");
  const bool first = count_ % DictionaryReader::kBlock == 0;
  if (first && count_ > 0) FlushBlock();
  const size_t shared = first ? 0 : SharedPrefix(previous_, term);
  format::Writer terms(terms_);
  terms.Varint(shared);
  terms.String(term.substr(shared));
  previous_.assign(term);
  ++count_;
  if (kind_ == PostingsKind::kNone) return;
  const bool positions = kind_ == PostingsKind::kPositions;
  format::Writer entries(entries_);
  if (first) entries.Varint(entry.offset);
  entries.Varint(entry.doc_freq);
  if (positions) entries.Varint(entry.total_term_freq - entry.doc_freq);
  entries.Varint(entry.doc_freq == 1 ? entry.single : entry.postings_length);
  if (positions) entries.Varint(entry.positions_length);
}

void DictionaryWriter::FlushBlock() {
  starts_.push_back(blocks_.size());
  format::Writer blocks(blocks_);
  blocks.Varint(terms_.size());
  blocks.Raw(terms_);
  blocks.Raw(entries_);
  terms_.clear();
  entries_.clear();
}

Status DictionaryWriter::Write(format::ContainerWriter& out) {
  if (!terms_.empty()) FlushBlock();
  format::Writer blocks(blocks_);
  blocks.Align(8);
  for (const uint64_t start : starts_) blocks.U64(start);
  return out.Append(blocks_);
}

Result<DictionaryReader> DictionaryReader::Open(const InputSlice& section, uint64_t term_count, PostingsKind kind) {
  DictionaryReader reader;
  reader.section_ = section;
  reader.kind_ = kind;
  if (term_count == 0 || term_count >= UINT32_MAX) return section.Bad(0, "impossible term count");
  reader.term_count_ = static_cast<uint32_t>(term_count);
  reader.block_count_ = (reader.term_count_ + kBlock - 1) / kBlock;
  const uint64_t bytes = uint64_t{reader.block_count_} * 8;
  if (section.size() < bytes) return section.Bad(0, "dictionary without room for its block starts");
  reader.starts_offset_ = section.size() - bytes;
  return reader;
}

Result<DictionaryReader::Block> DictionaryReader::ReadBlock(uint32_t block) const {
  const bool last = block + 1 == block_count_;
  const uint64_t entry = starts_offset_ + uint64_t{block} * 8;
  TIERCEL_TRY_ASSIGN(const cache::Borrowed starts, section_.Borrow(entry, last ? 8 : 16));
  Block out;
  out.offset = format::LoadU64(starts.data());
  const uint64_t end = last ? starts_offset_ : format::LoadU64(starts.data() + 8);
  if (out.offset >= end || end > starts_offset_) return section_.Bad(entry, "dictionary block out of range");
  TIERCEL_TRY_ASSIGN(out.bytes, section_.Borrow(out.offset, end - out.offset));
  const uint8_t* limit = out.bytes.data() + out.bytes.size();
  uint64_t length = 0;
  out.terms = format::DecodeVarint(out.bytes.data(), limit, length);
  if (out.terms == nullptr || length > static_cast<uint64_t>(limit - out.terms)) {
    return section_.Bad(out.offset, "dictionary block with impossible length");
  }
  out.entries = out.terms + length;
  out.end = limit;
  out.count = std::min(kBlock, term_count_ - block * kBlock);
  return out;
}

Result<uint32_t> DictionaryReader::FindBlock(std::string_view term) const {
  // The last block whose first term is <= `term`; block 0 when there is none.
  uint32_t low = 0;
  uint32_t high = block_count_;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    TIERCEL_TRY_ASSIGN(const Block block, ReadBlock(middle));
    StoredTerm first;
    if (DecodeTerm(block.terms, block.entries, first) == nullptr || first.shared != 0) {
      return section_.Bad(block.offset, "damaged first term of a dictionary block");
    }
    (first.rest <= term ? low : high) = middle;
  }
  return low;
}

Result<std::string> DictionaryReader::Term(Ordinal ordinal) const {
  if (ordinal >= term_count_) return InvalidArgument("ordinal " + std::to_string(ordinal) + " does not exist");
  TIERCEL_TRY_ASSIGN(const Block block, ReadBlock(ordinal / kBlock));
  std::string term;
  const uint8_t* at = block.terms;
  for (uint32_t i = 0; i <= ordinal % kBlock; ++i) {
    StoredTerm stored;
    at = DecodeTerm(at, block.entries, stored);
    if (at == nullptr || stored.shared > term.size()) return section_.Bad(block.offset, "damaged dictionary block");
    term.resize(stored.shared);
    term += stored.rest;
  }
  return term;
}

Result<std::pair<Ordinal, bool>> DictionaryReader::LowerBound(std::string_view term) const {
  TIERCEL_TRY_ASSIGN(const uint32_t index, FindBlock(term));
  TIERCEL_TRY_ASSIGN(const Block block, ReadBlock(index));
  const uint8_t* at = block.terms;
  // How many leading bytes of `term` the term before shares; it is smaller than `term`.
  size_t matched = 0;
  for (uint32_t i = 0; i < block.count; ++i) {
    StoredTerm stored;
    at = DecodeTerm(at, block.entries, stored);
    if (at == nullptr) return section_.Bad(block.offset, "damaged dictionary block");
    if (stored.shared > matched) continue;  // still differs from `term` where the one before did
    const Ordinal here = index * kBlock + i;
    if (stored.shared < matched) return std::pair(here, false);  // greater where the one before was equal
    const std::string_view wanted = term.substr(matched);
    const size_t equal = SharedPrefix(stored.rest, wanted);
    if (equal == wanted.size()) return std::pair(here, equal == stored.rest.size());
    if (equal < stored.rest.size() && static_cast<uint8_t>(stored.rest[equal]) > static_cast<uint8_t>(wanted[equal])) {
      return std::pair(here, false);
    }
    matched += equal;
  }
  return std::pair(static_cast<Ordinal>(index * kBlock + block.count), false);
}

Result<std::optional<TermEntry>> DictionaryReader::Find(std::string_view term) const {
  TIERCEL_TRY_ASSIGN(const auto found, LowerBound(term));
  if (!found.second) return std::optional<TermEntry>();
  TIERCEL_TRY_ASSIGN(const Block block, ReadBlock(found.first / kBlock));
  uint64_t offset = 0;
  TermEntry entry;
  const uint8_t* at = format::DecodeVarint(block.entries, block.end, offset);
  for (uint32_t i = 0; i <= found.first % kBlock && at != nullptr; ++i)
    at = DecodeEntry(at, block.end, kind_, offset, entry);
  if (at == nullptr) return section_.Bad(block.offset, "damaged entries of a dictionary block");
  return std::optional<TermEntry>(entry);
}

Status DictionaryCursor::Seek(Ordinal ordinal) {
  ordinal_ = ordinal;
  if (!valid()) return {};
  TIERCEL_TRY(OpenBlock(ordinal / DictionaryReader::kBlock));
  for (uint32_t i = 0; i <= ordinal % DictionaryReader::kBlock; ++i) TIERCEL_TRY(ReadTerm());
  return {};
}

Status DictionaryCursor::Next() {
  ++ordinal_;
  if (!valid()) return {};
  if (ordinal_ % DictionaryReader::kBlock == 0) TIERCEL_TRY(OpenBlock(ordinal_ / DictionaryReader::kBlock));
  return ReadTerm();
}

Status DictionaryCursor::OpenBlock(uint32_t block) {
  TIERCEL_TRY_ASSIGN(block_, dictionary_->ReadBlock(block));
  term_.clear();
  at_term_ = block_.terms;
  at_entry_ = block_.entries;
  if (dictionary_->kind() == PostingsKind::kNone) return {};
  at_entry_ = format::DecodeVarint(at_entry_, block_.end, next_offset_);
  if (at_entry_ == nullptr) return dictionary_->section().Bad(block_.offset, "damaged entries of a dictionary block");
  return {};
}

Status DictionaryCursor::ReadTerm() {
  StoredTerm stored;
  at_term_ = DecodeTerm(at_term_, block_.entries, stored);
  if (at_term_ == nullptr || stored.shared > term_.size()) {
    return dictionary_->section().Bad(block_.offset, "damaged dictionary block");
  }
  term_.resize(stored.shared);
  term_ += stored.rest;
  if (dictionary_->kind() == PostingsKind::kNone) return {};
  at_entry_ = DecodeEntry(at_entry_, block_.end, dictionary_->kind(), next_offset_, entry_);
  if (at_entry_ == nullptr) return dictionary_->section().Bad(block_.offset, "damaged entries of a dictionary block");
  return {};
}

}  // namespace tiercel::segment
