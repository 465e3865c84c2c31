#include <algorithm>
#include <limits>

#include "tiercel/base/check.h"
#include "tiercel/search/aggs/bucket_index.h"
#include "tiercel/search/aggs/readers.h"
#include "tiercel/search/aggs/terms.h"

namespace tiercel::search::aggs {
namespace {

constexpr uint64_t kFlatRangeMax = 1 << 16;
constexpr uint64_t kEmptyBucketsMax = 1 << 20;

Status TooManyEmptyBuckets() {
  WriteContext none{.buckets_left = 0};
  return CountBucket(none);
}

// Drops rows, keeping their order.
template <typename V>
class RowFilter {
 public:
  template <typename Keep>
  Rows<V> Apply(const Rows<V>& rows, Keep&& keep) {
    const size_t n = rows.size();
    if (docs_.size() < n) docs_.resize(n), buckets_.resize(n), values_.resize(n);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
      docs_[kept] = rows.docs[i], buckets_[kept] = rows.buckets[i], values_[kept] = rows.values[i];
      kept += keep(i) ? 1 : 0;
    }
    return {{docs_.data(), kept}, {buckets_.data(), kept}, {values_.data(), kept}, rows.repeated};
  }

 private:
  std::vector<uint32_t> docs_, buckets_;
  std::vector<V> values_;
};

// Counts rows into the index and hands them on to the children.
template <typename V>
Status CountRows(const Rows<V>& rows, const Batch& batch, BucketIndex& index, ChildCollectors& children,
                 std::vector<uint32_t>& out) {
  if (out.size() < rows.size()) out.resize(rows.size());
  index.Count(rows.buckets, rows.values, batch.bucket_bound, out.data());
  if (children.empty() || rows.size() == 0) return {};
  return children.Collect({.block = batch.block,
                           .docs = rows.docs,
                           .buckets = {out.data(), rows.size()},
                           .bucket_bound = index.size(),
                           .whole_block = batch.whole_block && rows.docs.data() == batch.docs.data()});
}

class KeywordTermsCollector final : public Collector {
 public:
  KeywordTermsCollector(const TermsParameters& parameters, const ValueType& type, KeywordReader* reader,
                        ChildCollectors children, std::vector<uint8_t> accepted)
      : parameters_(parameters),
        type_(type),
        reader_(reader),
        accepted_(std::move(accepted)),
        index_(uint64_t{reader->cardinality()} + 1),
        children_(std::move(children)) {
    if (type_.has_missing()) missing_ = reader->cardinality();
  }

  Status Collect(const Batch& batch) override {
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    Rows<segment::Ordinal> rows =
        expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->ordinals(), missing_);
    if (!accepted_.empty()) rows = filter_.Apply(rows, [&, this](size_t i) { return accepted_[rows.values[i]] != 0; });
    return CountRows(rows, batch, index_, children_, out_);
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    if (parameters_.min_doc_count == 0) TIERCEL_TRY(AddEmptyBuckets(bucket_count));
    auto partial = std::make_unique<TermsPartial>();
    partial->kind = type_.kind;
    partial->format = type_.format;
    TIERCEL_TRY(children_.Finish(index_.size(), *partial));
    TIERCEL_TRY(ResolveTerms(*partial));
    partial->owners = std::move(index_.owners());
    partial->counts = std::move(index_.counts());
    partial->keys = std::move(index_.keys());
    return std::unique_ptr<Partial>(std::move(partial));
  }

  uint64_t memory_bytes() const override {
    return index_.memory_bytes() + expander_.memory_bytes() + children_.memory_bytes();
  }

 private:
  Status AddEmptyBuckets(uint32_t bucket_count) {
    if (uint64_t{bucket_count} * reader_->cardinality() > kEmptyBucketsMax) return TooManyEmptyBuckets();
    for (uint32_t owner = 0; owner < bucket_count; ++owner) {
      for (segment::Ordinal ordinal = 0; ordinal < reader_->cardinality(); ++ordinal) {
        if (accepted_.empty() || accepted_[ordinal] != 0) index_.Add(owner, ordinal);
      }
    }
    return {};
  }

  // Replaces the ordinals in the index by positions in the partial's own sorted terms.
  Status ResolveTerms(TermsPartial& partial) {
    const segment::Ordinal missing = reader_->cardinality();
    std::vector<uint32_t> positions(size_t{missing} + 1, 0);  // first 1 for the ordinals in use, then their rank
    for (const int64_t key : index_.keys()) positions[static_cast<size_t>(key)] = 1;
    const bool missing_used = positions[missing] != 0;
    for (segment::Ordinal ordinal = 0; ordinal < missing; ++ordinal) {
      if (positions[ordinal] == 0) continue;
      positions[ordinal] = static_cast<uint32_t>(partial.ordinals.size());
      partial.ordinals.push_back(ordinal);
    }
    partial.column = reader_->column();
    if (missing_used) {
      TIERCEL_TRY(partial.ReadTerms());
      const auto at = std::lower_bound(partial.terms.begin(), partial.terms.end(), *type_.missing_term);
      positions[missing] = static_cast<uint32_t>(at - partial.terms.begin());
      if (at == partial.terms.end() || *at != *type_.missing_term) {
        partial.terms.insert(at, *type_.missing_term);
        for (segment::Ordinal ordinal = 0; ordinal < missing; ++ordinal)
          positions[ordinal] += positions[ordinal] >= positions[missing] ? 1 : 0;
      }
    }
    for (int64_t& key : index_.keys()) key = positions[static_cast<size_t>(key)];
    return {};
  }

  const TermsParameters& parameters_;
  const ValueType type_;
  KeywordReader* const reader_;
  const std::vector<uint8_t> accepted_;  // empty: all
  std::optional<segment::Ordinal> missing_;
  BucketIndex index_;
  ChildCollectors children_;
  RowExpander<segment::Ordinal> expander_;
  RowFilter<segment::Ordinal> filter_;
  std::vector<uint32_t> out_;
};

// How the numbers of a column become keys.
struct NumericKeys {
  bool as_double = false;  // "missing" is no value of the column: all keys are encoded doubles
  int64_t base = 0;        // subtracted from stored values
  uint64_t bound = 0;      // of the difference; 0: hashed

  static NumericKeys For(const segment::NumericColumn* column, const ValueType& type) {
    NumericKeys keys;
    keys.as_double = type.missing_number && !type.missing_encoded;
    if (keys.as_double || (column == nullptr && !type.missing_encoded)) return keys;
    int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    if (column != nullptr && column->value_count() > 0) low = column->min(), high = column->max();
    if (type.missing_encoded) low = std::min(low, *type.missing_encoded), high = std::max(high, *type.missing_encoded);
    if (low > high || static_cast<uint64_t>(high) - static_cast<uint64_t>(low) >= kFlatRangeMax) return keys;
    keys.base = low;
    keys.bound = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return keys;
  }
};

class NumericTermsCollector final : public Collector {
 public:
  NumericTermsCollector(const TermsParameters& parameters, const ValueType& type, NumericReader* reader,
                        ChildCollectors children, std::optional<TermFilter::Keys> accepted)
      : parameters_(parameters),
        type_(type),
        reader_(reader),
        accepted_(std::move(accepted)),
        keys_(NumericKeys::For(reader->column(), type)),
        index_(keys_.bound),
        children_(std::move(children)) {}

  Status Collect(const Batch& batch) override {
    if (reader_->column() == nullptr && !type_.missing_number) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    Rows<int64_t> rows = keys_.as_double ? ExpandDoubles(batch)
                                         : expander_.Expand(batch, reader_->single(), reader_->starts(),
                                                            reader_->stored(), type_.missing_encoded);
    if (rows.repeated || accepted_) {
      rows = filter_.Apply(rows, [&, this](size_t i) {
        const bool repeats = i > 0 && rows.docs[i] == rows.docs[i - 1] && rows.buckets[i] == rows.buckets[i - 1] &&
                             rows.values[i] == rows.values[i - 1];
        return !repeats && (!accepted_ || accepted_->Accepts(rows.values[i]));
      });
    }
    if (keys_.base != 0) rows = Rebase(rows);
    return CountRows(rows, batch, index_, children_, out_);
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    if (parameters_.min_doc_count == 0) TIERCEL_TRY(AddEmptyBuckets(bucket_count));
    auto partial = std::make_unique<TermsPartial>();
    partial->kind = keys_.as_double ? ValueKind::kDouble : type_.kind;
    partial->format = type_.format;
    TIERCEL_TRY(children_.Finish(index_.size(), *partial));
    partial->owners = std::move(index_.owners());
    partial->counts = std::move(index_.counts());
    partial->keys = std::move(index_.keys());
    for (int64_t& key : partial->keys) {
      key += keys_.base;
      if (type_.kind == ValueKind::kDouble && !keys_.as_double) key = mapping::EncodeDouble(type_.ToDouble(key));
    }
    return std::unique_ptr<Partial>(std::move(partial));
  }

  uint64_t memory_bytes() const override {
    return index_.memory_bytes() + expander_.memory_bytes() + children_.memory_bytes();
  }

 private:
  Rows<int64_t> ExpandDoubles(const Batch& batch) {
    const Rows<double> doubles =
        double_expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->numbers(), type_.missing_number);
    encoded_.resize(doubles.size());
    for (size_t i = 0; i < doubles.size(); ++i) encoded_[i] = mapping::EncodeDouble(doubles.values[i]);
    return {doubles.docs, doubles.buckets, encoded_, doubles.repeated};
  }
  Rows<int64_t> Rebase(const Rows<int64_t>& rows) {
    if (encoded_.size() < rows.size()) encoded_.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) encoded_[i] = rows.values[i] - keys_.base;
    return {rows.docs, rows.buckets, {encoded_.data(), rows.size()}, rows.repeated};
  }

  // Every value of the segment, whether its documents matched or not.
  Status AddEmptyBuckets(uint32_t bucket_count) {
    const segment::NumericColumn* column = reader_->column();
    if (column == nullptr) return {};
    for (uint32_t block = 0; block < column->block_count(); ++block) {
      TIERCEL_TRY(reader_->Load(block));
      const size_t values = reader_->single()
                                ? std::min(kBlock, column->doc_count() - block * kBlock)
                                : reader_->starts()[std::min(kBlock, column->doc_count() - block * kBlock)];
      for (size_t i = 0; i < values; ++i) {
        const int64_t key = keys_.as_double ? mapping::EncodeDouble(reader_->numbers()[i]) : reader_->stored()[i];
        if (accepted_ && !accepted_->Accepts(key)) continue;
        for (uint32_t owner = 0; owner < bucket_count; ++owner) index_.Add(owner, key - keys_.base);
      }
      if (index_.size() > kEmptyBucketsMax) return TooManyEmptyBuckets();
    }
    return {};
  }

  const TermsParameters& parameters_;
  const ValueType type_;
  NumericReader* const reader_;
  const std::optional<TermFilter::Keys> accepted_;
  const NumericKeys keys_;
  BucketIndex index_;
  ChildCollectors children_;
  RowExpander<int64_t> expander_;
  RowExpander<double> double_expander_;
  RowFilter<int64_t> filter_;
  std::vector<int64_t> encoded_;
  std::vector<uint32_t> out_;
};

}  // namespace

Status TermsPartial::ReadTerms() {
  for (const segment::Ordinal ordinal : ordinals) {
    TIERCEL_TRY_ASSIGN(std::string term, column->Term(ordinal));
    terms.push_back(std::move(term));
  }
  ordinals.clear();
  return {};
}

Result<std::unique_ptr<Collector>> NewTermsCollector(const Spec& spec, const TermsParameters& parameters,
                                                     const ValueType& type, const CollectContext& context) {
  TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(spec, context));
  if (!type.numeric()) {
    KeywordReader* reader = context.readers->Keyword(type);
    std::vector<uint8_t> accepted;
    if (!parameters.filter.empty()) {
      TIERCEL_TRY_ASSIGN(accepted, parameters.filter.Ordinals(reader->column(), type));
    }
    return std::make_unique<KeywordTermsCollector>(parameters, type, reader, std::move(children), std::move(accepted));
  }
  std::optional<TermFilter::Keys> accepted;
  if (!parameters.filter.empty()) {
    const int64_t now_ms = context.environment->clock ? context.environment->clock->WallMs() : 0;
    TIERCEL_TRY_ASSIGN(accepted, parameters.filter.Numbers(type, type.missing_number && !type.missing_encoded, now_ms));
  }
  return std::make_unique<NumericTermsCollector>(parameters, type, context.readers->Numeric(type), std::move(children),
                                                 std::move(accepted));
}

}  // namespace tiercel::search::aggs
