// Block-wise access to columns for aggregations: each block is decoded once per column, however many aggregations read
// it, and a batch of documents becomes Rows, one per value, in flat arrays.
//
// Thread safety: one thread. Lifetime: Readers borrows the segment; Rows are valid until the next Expand of the same
// expander or the next block. Cost: a block of documents with one value each that is read whole is not copied.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/search/aggs/node.h"
#include "tiercel/search/aggs/value_source.h"

namespace tiercel::search::aggs {

class NumericReader {
 public:
  NumericReader(const segment::NumericColumn* column, const ValueType& type);
  // Decodes the block unless it is the current one.
  Status Load(uint32_t block);
  const segment::NumericColumn* column() const { return column_; }
  bool single() const { return data_.single; }
  const uint32_t* starts() const { return data_.starts.data(); }
  const int64_t* stored() const { return data_.values.data(); }
  // The same values as the numbers they stand for.
  const double* numbers();

 private:
  void DecodeNumbers();
  const segment::NumericColumn* column_;  // null: no document has a value
  const mapping::NumericEncoding encoding_;
  const double factor_;
  uint32_t block_ = UINT32_MAX;
  uint32_t decoded_block_ = UINT32_MAX;
  segment::NumericColumn::Block data_;
  std::vector<double> numbers_;
};

class KeywordReader {
 public:
  explicit KeywordReader(const segment::KeywordColumn* column);
  Status Load(uint32_t block);
  const segment::KeywordColumn* column() const { return column_; }
  uint32_t cardinality() const { return column_ ? column_->cardinality() : 0; }
  bool single() const { return data_.single; }
  const uint32_t* starts() const { return data_.starts.data(); }
  const segment::Ordinal* ordinals() const { return data_.ordinals.data(); }

 private:
  const segment::KeywordColumn* column_;
  uint32_t block_ = UINT32_MAX;
  segment::KeywordColumn::Block data_;
};

class Readers {
 public:
  explicit Readers(const segment::Segment& segment) : segment_(segment) {}
  // The same reader for the same column.
  NumericReader* Numeric(const ValueType& type);
  KeywordReader* Keyword(const ValueType& type);

 private:
  const segment::Segment& segment_;
  std::map<std::string, std::unique_ptr<NumericReader>, std::less<>> numeric_;
  std::map<std::string, std::unique_ptr<KeywordReader>, std::less<>> keyword_;
};

template <typename V>
struct Rows {
  std::span<const uint32_t> docs, buckets;
  std::span<const V> values;
  bool repeated = false;  // a document of a bucket may have several rows, adjacent and by ascending value

  size_t size() const { return values.size(); }
};

// Turns batches into rows. Documents without a value have none, or one with `missing`.
template <typename V>
class RowExpander {
 public:
  // `starts` is ignored for single blocks; `values` are those of the whole block.
  Rows<V> Expand(const Batch& batch, bool single, const uint32_t* starts, const V* values,
                 const std::optional<V>& missing) {
    const size_t n = batch.docs.size();
    if (single) {
      if (batch.whole_block) return {batch.docs, batch.buckets, {values, n}};
      Reserve(n);
      for (size_t i = 0; i < n; ++i) values_[i] = values[batch.docs[i]];
      return {batch.docs, batch.buckets, {values_.data(), n}};
    }
    size_t total = 0;
    for (const uint32_t doc : batch.docs) total += std::max(starts[doc + 1] - starts[doc], 1u);
    Reserve(total);
    size_t row = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t doc = batch.docs[i], begin = starts[doc], end = starts[doc + 1];
      for (uint32_t at = begin; at < end; ++at, ++row)
        docs_[row] = doc, buckets_[row] = batch.buckets[i], values_[row] = values[at];
      if (begin == end && missing) docs_[row] = doc, buckets_[row] = batch.buckets[i], values_[row] = *missing, ++row;
    }
    return {{docs_.data(), row}, {buckets_.data(), row}, {values_.data(), row}, true};
  }
  uint64_t memory_bytes() const { return docs_.size() * (2 * sizeof(uint32_t) + sizeof(V)); }

 private:
  void Reserve(size_t n) {
    if (docs_.size() < n) docs_.resize(n), buckets_.resize(n), values_.resize(n);
  }
  std::vector<uint32_t> docs_, buckets_;
  std::vector<V> values_;
};

}  // namespace tiercel::search::aggs
