// NumericColumnReader and KeywordColumnReader: the stored columns of a segment, over value blocks and a dictionary.
//
// Thread safety: immutable. Lifetime: borrow the segment's Input.
#pragma once

#include <memory>
#include <string>

#include "tiercel/segment/dictionary.h"
#include "tiercel/segment/source.h"
#include "tiercel/segment/value_blocks.h"

namespace tiercel::segment {

// What meta says of a column.
struct ColumnCounts {
  uint64_t docs_with_value = 0;
  uint64_t value_count = 0;
  int64_t min = 0;
  int64_t max = 0;
};

class NumericColumnReader final : public NumericColumn {
 public:
  static Result<std::unique_ptr<NumericColumnReader>> Open(const InputSlice& section, mapping::NumericEncoding encoding,
                                                           uint32_t doc_count, const ColumnCounts& counts);

  mapping::NumericEncoding encoding() const override { return encoding_; }
  uint32_t doc_count() const override { return doc_count_; }
  uint32_t docs_with_value() const override { return static_cast<uint32_t>(counts_.docs_with_value); }
  uint64_t value_count() const override { return counts_.value_count; }
  int64_t min() const override { return counts_.min; }
  int64_t max() const override { return counts_.max; }
  int64_t block_min(uint32_t block) const override { return blocks_.block_min(block); }
  int64_t block_max(uint32_t block) const override { return blocks_.block_max(block); }
  Status ReadBlock(uint32_t block, Block& out) const override;
  Result<std::optional<int64_t>> OnlyValue(DocId doc) const override;
  Status Verify() const;

 private:
  ValueBlocksReader blocks_;
  mapping::NumericEncoding encoding_ = mapping::NumericEncoding::kInt64;
  uint32_t doc_count_ = 0;
  ColumnCounts counts_;
};

class KeywordColumnReader final : public KeywordColumn {
 public:
  // `dictionary` outlives the reader.
  static Result<std::unique_ptr<KeywordColumnReader>> Open(const InputSlice& section,
                                                           const DictionaryReader* dictionary, uint32_t doc_count,
                                                           const ColumnCounts& counts);

  uint32_t doc_count() const override { return doc_count_; }
  uint32_t docs_with_value() const override { return static_cast<uint32_t>(counts_.docs_with_value); }
  uint64_t value_count() const override { return counts_.value_count; }
  uint32_t cardinality() const override { return dictionary_->term_count(); }
  Result<std::string> Term(Ordinal ordinal) const override { return dictionary_->Term(ordinal); }
  Result<std::pair<Ordinal, bool>> LowerBound(std::string_view term) const override {
    return dictionary_->LowerBound(term);
  }
  Status ReadBlock(uint32_t block, Block& out) const override;
  Status Verify() const;

 private:
  ValueBlocksReader blocks_;
  const DictionaryReader* dictionary_ = nullptr;
  uint32_t doc_count_ = 0;
  ColumnCounts counts_;
};

}  // namespace tiercel::segment
