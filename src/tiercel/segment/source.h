// What a reader sees of an index: immutable segments, their live documents, and the snapshot that pins them.
//
// A Segment is one object (docs/format/segment.md), from the store or frozen from the write buffer in memory: the same
// bytes, the same code. Field readers are found by full name; nullptr: no document of the segment has a value.
//
// Thread safety: a Segment and its field readers are immutable and shared; cursors belong to one thread. Lifetime:
// readers and cursors borrow the Segment, which callers hold by shared_ptr. Cost: opening reads the directory only;
// everything else is borrowed when first used, except what accessors hand out without a way to fail (field lengths,
// block bounds, maps of sparse vectors): a few bytes a document.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/cache/input.h"
#include "tiercel/mapping/field.h"

namespace tiercel::segment {

using DocId = uint32_t;  // position in a segment
inline constexpr DocId kNoMoreDocs = UINT32_MAX;

// Names of the columns every segment has.
inline constexpr std::string_view kSeqNoField = "_seq_no";
inline constexpr std::string_view kPrimaryTermField = "_primary_term";
inline constexpr std::string_view kVersionField = "_version";
inline constexpr std::string_view kIgnoredField = "_ignored";  // keyword column, absent when nothing was ignored
inline constexpr std::string_view kRoutingField = "_routing";  // keyword column, absent when no document had one

// ---- columns
// ------------------------------------------------------------------------------------------------------------

// A numeric column: zero or more int64 per document, ascending, duplicates kept. Values are bit-packed in blocks of
// kBlock, each with its minimum and maximum.
class NumericColumn {
 public:
  static constexpr uint32_t kBlock = 256;  // documents per block

  virtual ~NumericColumn() = default;
  virtual mapping::NumericEncoding encoding() const = 0;
  virtual uint32_t doc_count() const = 0;  // documents of the segment
  virtual uint32_t docs_with_value() const = 0;
  virtual uint64_t value_count() const = 0;
  bool dense_single() const { return docs_with_value() == doc_count() && value_count() == doc_count(); }
  virtual int64_t min() const = 0;
  virtual int64_t max() const = 0;

  uint32_t block_count() const { return (doc_count() + kBlock - 1) / kBlock; }
  // Smallest and largest value of any document in the block; min > max when it has none.
  virtual int64_t block_min(uint32_t block) const = 0;
  virtual int64_t block_max(uint32_t block) const = 0;

  // Values of a block. counts[i] is how many values document block*kBlock+i has; values are concatenated.
  struct Block {
    uint32_t doc_count = 0;
    bool single = false;  // every document has exactly one value: values[i] belongs to document i and starts is unset
    std::vector<int64_t> values;
    std::vector<uint32_t> starts;  // doc_count + 1 entries into values
    std::span<const int64_t> Of(uint32_t i) const {
      return single ? std::span(values).subspan(i, 1) : std::span(values).subspan(starts[i], starts[i + 1] - starts[i]);
    }
  };
  // Decodes into `out`, reusing its memory.
  virtual Status ReadBlock(uint32_t block, Block& out) const = 0;
  // One document's only value; nothing when it has none or several. Decodes no block of a dense column.
  virtual Result<std::optional<int64_t>> OnlyValue(DocId doc) const = 0;
};

// Reads single documents through the block they lie in, decoding each block once while access is local.
class NumericCursor {
 public:
  explicit NumericCursor(const NumericColumn* column) : column_(column) {}
  // Values of `doc`, ascending; empty when it has none or the column is null. Valid until the next call.
  Result<std::span<const int64_t>> Values(DocId doc);

 private:
  const NumericColumn* column_;
  uint32_t block_ = UINT32_MAX;
  NumericColumn::Block data_;
};

using Ordinal = uint32_t;

// A dictionary column: zero or more distinct byte strings per document, as ascending ordinals into the sorted
// dictionary.
class KeywordColumn {
 public:
  static constexpr uint32_t kBlock = 256;

  virtual ~KeywordColumn() = default;
  virtual uint32_t doc_count() const = 0;
  virtual uint32_t docs_with_value() const = 0;
  virtual uint64_t value_count() const = 0;
  virtual uint32_t cardinality() const = 0;  // ordinals are [0, cardinality)
  virtual Result<std::string> Term(Ordinal ordinal) const = 0;
  // First ordinal whose term is >= `term` (cardinality() when none), and whether it is equal.
  virtual Result<std::pair<Ordinal, bool>> LowerBound(std::string_view term) const = 0;

  struct Block {
    uint32_t doc_count = 0;
    bool single = false;
    std::vector<Ordinal> ordinals;
    std::vector<uint32_t> starts;
    std::span<const Ordinal> Of(uint32_t i) const {
      return single ? std::span(ordinals).subspan(i, 1)
                    : std::span(ordinals).subspan(starts[i], starts[i + 1] - starts[i]);
    }
  };
  virtual Status ReadBlock(uint32_t block, Block& out) const = 0;
};

class KeywordCursor {
 public:
  explicit KeywordCursor(const KeywordColumn* column) : column_(column) {}
  Result<std::span<const Ordinal>> Ordinals(DocId doc);

 private:
  const KeywordColumn* column_;
  uint32_t block_ = UINT32_MAX;
  KeywordColumn::Block data_;
};

// Fixed-length vectors of the documents that have one. Rows lie 64-byte aligned (rows under 64 bytes: aligned to their
// own power-of-two stride) and never cross a 16 MiB multiple of the object.
class VectorColumn {
 public:
  virtual ~VectorColumn() = default;
  virtual uint32_t dims() const = 0;
  virtual mapping::ElementType element() const = 0;
  virtual uint32_t row_bytes() const = 0;
  virtual uint32_t count() const = 0;  // rows
  virtual bool dense() const = 0;      // row i belongs to document i
  virtual DocId doc_of(uint32_t row) const = 0;
  // Row of a document, or nothing.
  virtual std::optional<uint32_t> row_of(DocId doc) const = 0;
  virtual uint64_t row_offset(uint32_t row) const = 0;  // in input()
  virtual const cache::Input& input() const = 0;
  // Rows [first, first+n) that lie contiguously with `stride` bytes between them, n as large as possible but <= limit.
  struct Run {
    cache::Borrowed bytes;
    uint32_t rows = 0;
    uint32_t stride = 0;
  };
  virtual Result<Run> BorrowRun(uint32_t first, uint32_t limit) const = 0;
  // Euclidean length of each row as float32, for cosine; empty for kBit.
  virtual Result<std::span<const float>> magnitudes() const = 0;
};

// ---- terms
// --------------------------------------------------------------------------------------------------------------

struct TermStats {
  uint32_t doc_freq = 0;  // documents with the term, deleted ones included
  uint64_t total_term_freq = 0;
};

// The best scores a run of postings can reach: every (freq, norm) in the run is dominated by one of these.
struct Impact {
  uint32_t freq;
  uint8_t norm;  // encoded length, see Norms
};

// Walks the documents of one term in ascending order; starts before the first document. Errors are sticky: a cursor
// that cannot read on reports kNoMoreDocs and keeps the reason in status(), which whoever drives it checks once at the
// end.
class PostingsCursor {
 public:
  virtual ~PostingsCursor() = default;
  virtual DocId doc() const = 0;  // kNoMoreDocs at the end; undefined before the first Next/Advance
  virtual DocId Next() = 0;
  virtual DocId Advance(DocId target) = 0;  // first document >= target; target > doc()
  virtual uint32_t freq() const = 0;        // of the current document (1 when frequencies were not stored)
  virtual uint32_t cost() const = 0;        // doc_freq
  virtual const Status& status() const = 0;
  // Positions of the current document, ascending; empty when not stored. Valid until the cursor moves.
  virtual std::span<const uint32_t> Positions() = 0;
  // For block-max pruning: the last document of the block that holds the first document >= target, and that block's
  // impacts. Does not move the cursor. BlockImpacts(kNoMoreDocs) are those of the whole list.
  virtual DocId BlockLast(DocId target) = 0;
  virtual std::span<const Impact> BlockImpacts(DocId target) = 0;
  // The bulk path: fills docs[] (and freqs[], unless empty) from the current document on (the first one before any
  // Next) and moves past them; returns how many, 0 at the end. doc() is then the first document not returned.
  virtual uint32_t NextBatch(std::span<DocId> docs, std::span<uint32_t> freqs) = 0;
};

// Enumerates dictionary terms in byte order.
class TermsCursor {
 public:
  virtual ~TermsCursor() = default;
  virtual bool valid() const = 0;
  virtual std::string_view term() const = 0;  // valid until the cursor moves
  virtual Ordinal ordinal() const = 0;
  virtual TermStats stats() const = 0;
  virtual Status Next() = 0;
};

// The inverted index of one field: sorted dictionary, postings, and for text norms.
class TermIndex {
 public:
  virtual ~TermIndex() = default;
  virtual uint32_t term_count() const = 0;
  virtual bool has_positions() const = 0;
  virtual uint32_t doc_count() const = 0;            // documents with at least one term
  virtual uint64_t sum_total_term_freq() const = 0;  // tokens of the field
  virtual Result<std::optional<TermStats>> Find(std::string_view term) const = 0;
  // Null when the term does not occur.
  virtual Result<std::unique_ptr<PostingsCursor>> Postings(std::string_view term) const = 0;
  // Positioned at the first term >= `from`.
  virtual Result<std::unique_ptr<TermsCursor>> Terms(std::string_view from) const = 0;
  // Postings of the term the cursor stands on.
  virtual Result<std::unique_ptr<PostingsCursor>> Postings(const TermsCursor& at) const = 0;
};

// Field lengths of a text field, one byte a document: Lucene's intToByte4 encoding (exact to 40), and presence.
class Norms {
 public:
  virtual ~Norms() = default;
  virtual ByteSpan bytes() const = 0;     // one per document
  virtual bool has(DocId doc) const = 0;  // the document has the field, even with no token
  virtual uint32_t docs_with_field() const = 0;
};
uint8_t EncodeLength(uint32_t tokens);
uint32_t DecodeLength(uint8_t norm);

// ---- segment
// ------------------------------------------------------------------------------------------------------------

struct FieldInfo {
  std::string name;
  mapping::FieldType type;
};

class Segment {
 public:
  // Reads and checks header and directory. Corruption names the object and the offset.
  static Result<std::shared_ptr<const Segment>> Open(std::shared_ptr<const cache::Input> input);

  virtual ~Segment() = default;
  virtual const std::string& name() const = 0;
  virtual uint64_t size_bytes() const = 0;
  virtual uint32_t doc_count() const = 0;
  virtual std::string_view codec() const = 0;  // stored fields: "lz4"
  // In order of name; the engine's own columns ("_seq_no", ...) are among them.
  virtual std::span<const FieldInfo> fields() const = 0;

  virtual Result<std::string> Id(DocId doc) const = 0;
  virtual Result<std::optional<DocId>> FindId(std::string_view id) const = 0;
  // The document's source, byte for byte as it was indexed.
  virtual Result<std::string> Source(DocId doc) const = 0;

  virtual const NumericColumn* numeric(std::string_view field) const = 0;
  virtual const KeywordColumn* keyword(std::string_view field) const = 0;
  virtual const VectorColumn* vector(std::string_view field) const = 0;
  virtual const TermIndex* terms(std::string_view field) const = 0;  // text, keyword and ip
  virtual const Norms* norms(std::string_view field) const = 0;      // text

  // Checks every checksum and structural invariant; the first problem as a Corruption naming object and offset.
  virtual Status Verify() const = 0;
};

// Which documents of a segment are not deleted. Immutable; Delete makes a new one. docs/format/live_docs.md.
class LiveDocs {
 public:
  explicit LiveDocs(uint32_t doc_count);  // all live
  bool live(DocId doc) const { return (words_[doc / 64] >> (doc % 64)) & 1; }
  uint32_t doc_count() const { return doc_count_; }
  uint32_t live_count() const { return live_count_; }
  std::span<const uint64_t> words() const { return words_; }
  // For building the next version.
  void Delete(DocId doc);

  Bytes Encode() const;
  static Result<LiveDocs> Decode(ByteSpan bytes, std::string_view object, uint32_t doc_count);

 private:
  uint32_t doc_count_;
  uint32_t live_count_;
  std::vector<uint64_t> words_;
};

// One segment as a search sees it. `live` is null when nothing is deleted.
struct SegmentView {
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const LiveDocs> live;

  bool IsLive(DocId doc) const { return !live || live->live(doc); }
  uint32_t live_count() const { return live ? live->live_count() : segment->doc_count(); }
};

// What one search reads: a shard's segments at one moment. Holding it pins their objects against garbage collection.
struct Snapshot {
  std::vector<SegmentView> segments;
  std::shared_ptr<const void> pin;
};

}  // namespace tiercel::segment
