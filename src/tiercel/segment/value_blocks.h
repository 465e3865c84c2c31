// Value blocks: zero or more ascending integers per document, bit-packed by 256 documents. The storage of numeric
// columns and of the ordinals of keyword columns. Bytes: docs/format/segment.md.
//
// Thread safety: the writer belongs to one thread, the reader is immutable. Lifetime: the reader borrows the segment's
// Input. Cost: a block of one value per document decodes at about a nanosecond a value, without allocating.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/input_slice.h"

namespace tiercel::segment {

class ValueBlocksWriter {
 public:
  static constexpr uint32_t kBlock = 256;

  // Writes into the section that `out` has begun.
  explicit ValueBlocksWriter(format::ContainerWriter& out) : out_(out) {}

  // The values of the next document, ascending.
  Status Add(std::span<const int64_t> values);
  // Skips to document `doc`: those before it have no values.
  Status SkipTo(uint32_t doc);
  Status Finish();

  uint32_t docs_with_value() const { return docs_with_value_; }
  uint64_t value_count() const { return value_count_; }
  int64_t min() const { return min_; }
  int64_t max() const { return max_; }

 private:
  struct Entry {
    int64_t min;
    int64_t max;
    uint64_t offset;
  };
  Status FlushBlock();

  format::ContainerWriter& out_;
  std::vector<int64_t> values_;   // of the block
  std::vector<uint32_t> counts_;  // of the block's documents
  std::vector<uint64_t> packed_;
  Bytes encoded_;
  std::vector<Entry> directory_;
  uint32_t docs_ = 0;
  uint32_t docs_with_value_ = 0;
  uint64_t value_count_ = 0;
  int64_t min_ = std::numeric_limits<int64_t>::max();
  int64_t max_ = std::numeric_limits<int64_t>::min();
};

class ValueBlocksReader {
 public:
  static constexpr uint32_t kBlock = ValueBlocksWriter::kBlock;

  ValueBlocksReader() = default;
  static Result<ValueBlocksReader> Open(const InputSlice& section, uint32_t doc_count);

  uint32_t block_count() const { return block_count_; }
  int64_t block_min(uint32_t block) const;
  int64_t block_max(uint32_t block) const;

  // Decodes a block into `values` and, unless every document has exactly one (then `single` is set), `starts`:
  // documents + 1 entries. Value is int64_t or uint32_t. Returns the block's document count through `doc_count`.
  template <typename Value>
  Status Read(uint32_t block, uint32_t& doc_count, bool& single, std::vector<Value>& values,
              std::vector<uint32_t>& starts) const;

  // The value of one document when each document of its block has exactly one; nothing otherwise. Decodes no more.
  Result<std::optional<int64_t>> ReadSingle(uint32_t doc) const;

  // The block's values and counts against the directory; adds to the totals.
  Status Verify(uint32_t block, uint64_t& docs_with_value, uint64_t& value_count) const;
  const InputSlice& section() const { return section_; }

 private:
  struct Head;
  Result<cache::Borrowed> BorrowBlock(uint32_t block, uint64_t& offset) const;
  Result<Head> ReadHead(uint32_t block, uint32_t docs, const cache::Borrowed& bytes, uint64_t offset,
                        unsigned max_width, std::vector<uint32_t>& starts) const;

  InputSlice section_;
  cache::Borrowed directory_;
  uint64_t directory_offset_ = 0;
  uint32_t doc_count_ = 0;
  uint32_t block_count_ = 0;
};

}  // namespace tiercel::segment
