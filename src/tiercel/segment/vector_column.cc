#include "tiercel/segment/vector_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tiercel/base/check.h"
#include "tiercel/format/coding.h"
#include "tiercel/segment/postings_writer.h"

namespace tiercel::segment {
namespace {

constexpr uint64_t kAlignment = 64;

uint64_t RoundUp(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

float MagnitudeOf(ByteSpan row, mapping::ElementType element) {
  double sum = 0;
  if (element == mapping::ElementType::kFloat) {
    for (size_t i = 0; i < row.size(); i += sizeof(float)) {
      float value;
      std::memcpy(&value, row.data() + i, sizeof value);
      sum += static_cast<double>(value) * value;
    }
  } else {
    for (const uint8_t byte : row) {
      const int value = static_cast<int8_t>(byte);
      sum += value * value;
    }
  }
  return static_cast<float>(std::sqrt(sum));
}

}  // namespace

RowLayout::RowLayout(uint64_t start, uint32_t row_bytes) : start_(start) {
  stride_ = row_bytes < kAlignment ? std::bit_ceil(std::max(row_bytes, 1u))
                                   : static_cast<uint32_t>(RoundUp(row_bytes, kAlignment));
  region_rows_ = kRegionBytes / stride_;
  first_rows_ = (kRegionBytes - start % kRegionBytes) / stride_;
}

uint64_t RowLayout::OffsetOf(uint64_t row) const {
  if (row < first_rows_) return start_ + row * stride_;
  const uint64_t later = row - first_rows_;
  return (start_ / kRegionBytes + 1 + later / region_rows_) * kRegionBytes + later % region_rows_ * stride_;
}

uint64_t RowLayout::Together(uint64_t row) const {
  return row < first_rows_ ? first_rows_ - row : region_rows_ - (row - first_rows_) % region_rows_;
}

VectorWriter::VectorWriter(format::ContainerWriter& out, VectorShape shape)
    : out_(out), shape_(shape), layout_(out.offset(), shape.row_bytes()) {}

Status VectorWriter::Add(DocId doc, ByteSpan row) {
  TIERCEL_CHECK(row.size() == shape_.row_bytes());
  TIERCEL_TRY(out_.AppendZeros(layout_.OffsetOf(docs_.size()) - out_.offset()));
  docs_.push_back(doc);
  if (shape_.element != mapping::ElementType::kBit) magnitudes_.push_back(MagnitudeOf(row, shape_.element));
  return out_.Append(row);
}

Status VectorWriter::Finish(uint32_t doc_count) {
  TIERCEL_TRY(out_.Align(kAlignment));
  TIERCEL_TRY(out_.Append({reinterpret_cast<const uint8_t*>(magnitudes_.data()), magnitudes_.size() * sizeof(float)}));
  if (docs_.size() == doc_count) return {};
  TIERCEL_TRY(out_.Align(kAlignment));
  TIERCEL_TRY(out_.Append({reinterpret_cast<const uint8_t*>(docs_.data()), docs_.size() * sizeof(DocId)}));
  std::vector<uint64_t> words((uint64_t{doc_count} + 63) / 64);
  for (const DocId doc : docs_) words[doc / 64] |= uint64_t{1} << (doc % 64);
  std::vector<uint32_t> ranks(words.size());
  uint32_t rows = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    ranks[i] = rows;
    rows += static_cast<uint32_t>(std::popcount(words[i]));
  }
  TIERCEL_TRY(out_.Align(8));
  TIERCEL_TRY(out_.Append({reinterpret_cast<const uint8_t*>(words.data()), words.size() * 8}));
  return out_.Append({reinterpret_cast<const uint8_t*>(ranks.data()), ranks.size() * 4});
}

Result<std::unique_ptr<VectorColumnReader>> VectorColumnReader::Open(const InputSlice& section, VectorShape shape,
                                                                     uint64_t count, uint32_t doc_count) {
  if (count == 0 || count > doc_count || shape.dims == 0 || shape.dims > kMaxVectorDims || shape.row_bytes() == 0 ||
      section.offset() % kAlignment != 0) {
    return section.Bad(0, "impossible shape of a vector column");
  }
  auto column = std::make_unique<VectorColumnReader>();
  column->section_ = section;
  column->shape_ = shape;
  column->count_ = static_cast<uint32_t>(count);
  column->doc_count_ = doc_count;
  column->layout_ = RowLayout(section.offset(), shape.row_bytes());
  const uint64_t rows_end = column->layout_.OffsetOf(count - 1) + shape.row_bytes() - section.offset();
  column->magnitudes_offset_ = RoundUp(rows_end, kAlignment);
  const uint64_t magnitudes_end =
      column->magnitudes_offset_ + (shape.element == mapping::ElementType::kBit ? 0 : count * sizeof(float));
  if (rows_end > section.size() || magnitudes_end > section.size())
    return section.Bad(0, "vector column shorter than its rows");
  if (count < doc_count) TIERCEL_TRY(column->OpenMap(doc_count, RoundUp(magnitudes_end, kAlignment)));
  return column;
}

Status VectorColumnReader::OpenMap(uint32_t doc_count, uint64_t offset) {
  const uint64_t words = (uint64_t{doc_count} + 63) / 64;
  const uint64_t words_offset = RoundUp(offset + uint64_t{count_} * 4, 8);
  TIERCEL_TRY_ASSIGN(map_, section_.Borrow(offset, uint64_t{count_} * 4));
  TIERCEL_TRY_ASSIGN(words_, section_.Borrow(words_offset, words * 8));
  TIERCEL_TRY_ASSIGN(ranks_, section_.Borrow(words_offset + words * 8, words * 4));
  // Map and bits must say the same, since doc_of and row_of cannot fail: walking the bits has to give the map.
  uint32_t row = 0;
  for (uint64_t i = 0; i < words; ++i) {
    if (format::LoadU32(ranks_.data() + i * 4) != row)
      return section_.Bad(words_offset + words * 8 + i * 4, "wrong rank of a sparse vector column");
    for (uint64_t word = format::LoadU64(words_.data() + i * 8); word != 0; word &= word - 1) {
      const uint64_t doc = i * 64 + static_cast<uint64_t>(std::countr_zero(word));
      if (doc >= doc_count || row >= count_ || doc_of(row) != doc)
        return section_.Bad(offset, "damaged map of a sparse vector column");
      ++row;
    }
  }
  return row == count_ ? Status() : section_.Bad(offset, "damaged map of a sparse vector column");
}

DocId VectorColumnReader::doc_of(uint32_t row) const {
  return dense() ? row : format::LoadU32(map_.data() + uint64_t{row} * 4);
}

std::optional<uint32_t> VectorColumnReader::row_of(DocId doc) const {
  if (doc >= doc_count_) return std::nullopt;
  if (dense()) return doc;
  const uint64_t word = format::LoadU64(words_.data() + doc / 64 * uint64_t{8});
  const uint64_t bit = uint64_t{1} << (doc % 64);
  if ((word & bit) == 0) return std::nullopt;
  return format::LoadU32(ranks_.data() + doc / 64 * uint64_t{4}) +
         static_cast<uint32_t>(std::popcount(word & (bit - 1)));
}

Result<VectorColumn::Run> VectorColumnReader::BorrowRun(uint32_t first, uint32_t limit) const {
  if (first >= count_) return InvalidArgument("vector row " + std::to_string(first) + " does not exist");
  Run run;
  run.stride = layout_.stride();
  run.rows = static_cast<uint32_t>(std::min<uint64_t>({limit, count_ - first, layout_.Together(first)}));
  if (run.rows == 0) return run;
  const uint64_t length = uint64_t{run.rows - 1} * run.stride + shape_.row_bytes();
  TIERCEL_TRY_ASSIGN(run.bytes, section_.Borrow(layout_.OffsetOf(first) - section_.offset(), length));
  return run;
}

Result<std::span<const float>> VectorColumnReader::magnitudes() const {
  if (shape_.element == mapping::ElementType::kBit) return std::span<const float>();
  MutexLock lock(mutex_);
  if (!magnitudes_) {
    TIERCEL_TRY_ASSIGN(cache::Borrowed bytes, section_.Borrow(magnitudes_offset_, uint64_t{count_} * sizeof(float)));
    magnitudes_ = std::move(bytes);
  }
  return std::span(reinterpret_cast<const float*>(magnitudes_->data()), count_);
}

Status VectorColumnReader::Verify() const {
  TIERCEL_TRY_ASSIGN(const std::span<const float> lengths, magnitudes());
  for (uint32_t row = 0; row < count_;) {
    TIERCEL_TRY_ASSIGN(const Run run, BorrowRun(row, count_ - row));
    for (uint32_t i = 0; i < run.rows && !lengths.empty(); ++i) {
      const ByteSpan bytes = run.bytes.bytes().subspan(uint64_t{i} * run.stride, shape_.row_bytes());
      const float length = MagnitudeOf(bytes, shape_.element);
      if (std::memcmp(&length, &lengths[row + i], sizeof length) != 0 && !std::isnan(length)) {
        return section_.Bad(magnitudes_offset_ + (row + i) * sizeof(float), "wrong length of a vector");
      }
    }
    row += run.rows;
  }
  return {};
}

}  // namespace tiercel::segment
