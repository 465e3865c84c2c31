// Dictionary: the sorted terms of one field, and for indexed fields where their postings lie. Bytes:
// docs/format/segment.md.
//
// Thread safety: DictionaryWriter and DictionaryCursor belong to one thread, DictionaryReader is immutable. Lifetime:
// readers borrow the segment's Input. Cost: a lookup bisects block starts over borrowed bytes and scans one block of 32
// terms; nothing is kept in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/input_slice.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

// What the terms of a dictionary say about their postings.
enum class PostingsKind : uint8_t { kNone, kDocuments, kPositions };

// Where the documents of a term are.
struct TermEntry {
  uint32_t doc_freq = 0;
  uint64_t total_term_freq = 0;
  DocId single = 0;               // the document, when doc_freq is 1
  uint64_t offset = 0;            // of the term's data in the postings section
  uint64_t positions_length = 0;  // they come first
  uint64_t postings_length = 0;   // 0 when doc_freq is 1
};

class DictionaryWriter {
 public:
  explicit DictionaryWriter(PostingsKind kind) : kind_(kind) {}
  // Terms ascend. `entry` is ignored without postings.
  void Add(std::string_view term, const TermEntry& entry);
  // Writes everything into the section that `out` has begun.
  Status Write(format::ContainerWriter& out);
  uint32_t term_count() const { return count_; }

 private:
  void FlushBlock();

  PostingsKind kind_;
  uint32_t count_ = 0;
  std::string previous_;
  Bytes terms_;    // of the block
  Bytes entries_;  // of the block
  Bytes blocks_;
  std::vector<uint64_t> starts_;
};

class DictionaryReader {
 public:
  static constexpr uint32_t kBlock = 32;  // terms

  DictionaryReader() = default;
  static Result<DictionaryReader> Open(const InputSlice& section, uint64_t term_count, PostingsKind kind);

  uint32_t term_count() const { return term_count_; }
  PostingsKind kind() const { return kind_; }
  Result<std::string> Term(Ordinal ordinal) const;
  // First ordinal whose term is >= `term`, and whether it is equal.
  Result<std::pair<Ordinal, bool>> LowerBound(std::string_view term) const;
  Result<std::optional<TermEntry>> Find(std::string_view term) const;

  const InputSlice& section() const { return section_; }

 private:
  friend class DictionaryCursor;
  // The parts of one block, borrowed.
  struct Block {
    cache::Borrowed bytes;
    const uint8_t* terms = nullptr;
    const uint8_t* entries = nullptr;  // also the end of the terms
    const uint8_t* end = nullptr;
    uint64_t offset = 0;
    uint32_t count = 0;
  };
  uint64_t BlockStart(uint32_t block) const;
  Result<Block> ReadBlock(uint32_t block) const;
  Result<uint32_t> FindBlock(std::string_view term) const;

  InputSlice section_;
  uint64_t starts_offset_ = 0;
  uint32_t term_count_ = 0;
  uint32_t block_count_ = 0;
  PostingsKind kind_ = PostingsKind::kNone;
};

// Walks the terms in order, with their entries.
class DictionaryCursor {
 public:
  explicit DictionaryCursor(const DictionaryReader* dictionary) : dictionary_(dictionary) {}

  // To `ordinal`; past the end when it is term_count().
  Status Seek(Ordinal ordinal);
  Status Next();
  bool valid() const { return ordinal_ < dictionary_->term_count(); }
  Ordinal ordinal() const { return ordinal_; }
  std::string_view term() const { return term_; }
  const TermEntry& entry() const { return entry_; }

 private:
  Status OpenBlock(uint32_t block);
  Status ReadTerm();

  const DictionaryReader* dictionary_;
  DictionaryReader::Block block_;
  const uint8_t* at_term_ = nullptr;
  const uint8_t* at_entry_ = nullptr;
  uint64_t next_offset_ = 0;  // of the next term's data
  Ordinal ordinal_ = 0;
  std::string term_;
  TermEntry entry_;
};

}  // namespace tiercel::segment
