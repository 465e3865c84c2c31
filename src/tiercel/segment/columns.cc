#include "tiercel/segment/columns.h"

#include <algorithm>

namespace tiercel::segment {
namespace {

Status CheckCounts(const InputSlice& section, uint32_t doc_count, const ColumnCounts& counts) {
  if (counts.docs_with_value > doc_count || counts.value_count < counts.docs_with_value)
    return section.Bad(0, "impossible counts of a column");
  return {};
}

Status VerifyBlocks(const ValueBlocksReader& blocks, const ColumnCounts& counts) {
  uint64_t docs = 0;
  uint64_t values = 0;
  for (uint32_t block = 0; block < blocks.block_count(); ++block) TIERCEL_TRY(blocks.Verify(block, docs, values));
  if (docs != counts.docs_with_value || values != counts.value_count)
    return blocks.section().Bad(0, "wrong counts of a column");
  return {};
}

}  // namespace

Result<std::unique_ptr<NumericColumnReader>> NumericColumnReader::Open(const InputSlice& section,
                                                                       mapping::NumericEncoding encoding,
                                                                       uint32_t doc_count, const ColumnCounts& counts) {
  TIERCEL_TRY(CheckCounts(section, doc_count, counts));
  auto column = std::make_unique<NumericColumnReader>();
  TIERCEL_TRY_ASSIGN(column->blocks_, ValueBlocksReader::Open(section, doc_count));
  column->encoding_ = encoding;
  column->doc_count_ = doc_count;
  column->counts_ = counts;
  return column;
}

Status NumericColumnReader::ReadBlock(uint32_t block, Block& out) const {
  TIERCEL_TRY(blocks_.Read(block, out.doc_count, out.single, out.values, out.starts));
  // Callers of a column that is dense by its counts do not look at the block again.
  if (dense_single() && !out.single) return blocks_.section().Bad(0, "a dense column with a block that is not");
  return {};
}

Result<std::optional<int64_t>> NumericColumnReader::OnlyValue(DocId doc) const {
  TIERCEL_TRY_ASSIGN(std::optional<int64_t> value, blocks_.ReadSingle(doc));
  if (value) return value;
  Block block;
  TIERCEL_TRY(ReadBlock(doc / kBlock, block));
  const std::span<const int64_t> values = block.Of(doc % kBlock);
  if (values.size() == 1) value = values.front();
  return value;
}

Status NumericColumnReader::Verify() const {
  TIERCEL_TRY(VerifyBlocks(blocks_, counts_));
  int64_t smallest = std::numeric_limits<int64_t>::max();
  int64_t largest = std::numeric_limits<int64_t>::min();
  for (uint32_t block = 0; block < blocks_.block_count(); ++block) {
    smallest = std::min(smallest, block_min(block));
    largest = std::max(largest, block_max(block));
  }
  if (smallest != counts_.min || largest != counts_.max) return blocks_.section().Bad(0, "wrong bounds of a column");
  return {};
}

Result<std::unique_ptr<KeywordColumnReader>> KeywordColumnReader::Open(const InputSlice& section,
                                                                       const DictionaryReader* dictionary,
                                                                       uint32_t doc_count, const ColumnCounts& counts) {
  TIERCEL_TRY(CheckCounts(section, doc_count, counts));
  auto column = std::make_unique<KeywordColumnReader>();
  TIERCEL_TRY_ASSIGN(column->blocks_, ValueBlocksReader::Open(section, doc_count));
  column->dictionary_ = dictionary;
  column->doc_count_ = doc_count;
  column->counts_ = counts;
  return column;
}

Status KeywordColumnReader::ReadBlock(uint32_t block, Block& out) const {
  TIERCEL_TRY(blocks_.Read(block, out.doc_count, out.single, out.ordinals, out.starts));
  // Ordinals index arrays of their readers.
  Ordinal largest = 0;
  for (const Ordinal ordinal : out.ordinals) largest = std::max(largest, ordinal);
  if (largest >= cardinality())
    return blocks_.section().Bad(0, "ordinal past the dictionary in block " + std::to_string(block));
  return {};
}

Status KeywordColumnReader::Verify() const {
  TIERCEL_TRY(VerifyBlocks(blocks_, counts_));
  Block block;
  for (uint32_t i = 0; i < blocks_.block_count(); ++i) TIERCEL_TRY(ReadBlock(i, block));
  return {};
}

Result<std::span<const int64_t>> NumericCursor::Values(DocId doc) {
  if (column_ == nullptr) return std::span<const int64_t>();
  const uint32_t block = doc / NumericColumn::kBlock;
  if (block != block_) {
    block_ = UINT32_MAX;
    TIERCEL_TRY(column_->ReadBlock(block, data_));
    block_ = block;
  }
  const uint32_t index = doc % NumericColumn::kBlock;
  if (index >= data_.doc_count) return InvalidArgument("document " + std::to_string(doc) + " does not exist");
  return data_.Of(index);
}

Result<std::span<const Ordinal>> KeywordCursor::Ordinals(DocId doc) {
  if (column_ == nullptr) return std::span<const Ordinal>();
  const uint32_t block = doc / KeywordColumn::kBlock;
  if (block != block_) {
    block_ = UINT32_MAX;
    TIERCEL_TRY(column_->ReadBlock(block, data_));
    block_ = block;
  }
  const uint32_t index = doc % KeywordColumn::kBlock;
  if (index >= data_.doc_count) return InvalidArgument("document " + std::to_string(doc) + " does not exist");
  return data_.Of(index);
}

}  // namespace tiercel::segment
