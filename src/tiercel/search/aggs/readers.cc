#include "tiercel/search/aggs/readers.h"

namespace tiercel::search::aggs {

NumericReader::NumericReader(const segment::NumericColumn* column, const ValueType& type)
    : column_(column), encoding_(column ? column->encoding() : type.encoding), factor_(type.factor) {
  data_.starts.assign(kBlock + 1, 0);
}

Status NumericReader::Load(uint32_t block) {
  if (column_ == nullptr || block == block_) return {};
  block_ = UINT32_MAX;
  TIERCEL_TRY(column_->ReadBlock(block, data_));
  block_ = block;
  decoded_block_ = UINT32_MAX;
  return {};
}

const double* NumericReader::numbers() {
  if (column_ != nullptr && decoded_block_ != block_) DecodeNumbers();
  return numbers_.data();
}

void NumericReader::DecodeNumbers() {
  const size_t n = data_.values.size();
  if (numbers_.size() < n) numbers_.resize(n);
  if (encoding_ == mapping::NumericEncoding::kInt64) {
    for (size_t i = 0; i < n; ++i) numbers_[i] = static_cast<double>(data_.values[i]);
  } else {
    for (size_t i = 0; i < n; ++i) numbers_[i] = mapping::DecodeToDouble(encoding_, data_.values[i]);
  }
  if (factor_ != 1) {
    for (size_t i = 0; i < n; ++i) numbers_[i] /= factor_;
  }
  decoded_block_ = block_;
}

KeywordReader::KeywordReader(const segment::KeywordColumn* column) : column_(column) {
  data_.starts.assign(kBlock + 1, 0);
}

Status KeywordReader::Load(uint32_t block) {
  if (column_ == nullptr || block == block_) return {};
  block_ = UINT32_MAX;
  TIERCEL_TRY(column_->ReadBlock(block, data_));
  block_ = block;
  return {};
}

NumericReader* Readers::Numeric(const ValueType& type) {
  auto& reader = numeric_[type.column];
  if (!reader) reader = std::make_unique<NumericReader>(segment_.numeric(type.column), type);
  return reader.get();
}

KeywordReader* Readers::Keyword(const ValueType& type) {
  auto& reader = keyword_[type.column];
  if (!reader) reader = std::make_unique<KeywordReader>(segment_.keyword(type.column));
  return reader.get();
}

}  // namespace tiercel::search::aggs
