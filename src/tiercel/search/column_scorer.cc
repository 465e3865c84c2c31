#include "tiercel/search/column_scorer.h"

#include <algorithm>
#include <bit>

namespace tiercel::search {
namespace {

using segment::KeywordColumn;
using segment::NumericColumn;
using segment::Ordinal;

// Whether `value` lies in [low, low + width], in one comparison.
bool InRange(int64_t value, int64_t low, uint64_t width) {
  return static_cast<uint64_t>(value) - static_cast<uint64_t>(low) <= width;
}

class RangeScorer final : public BlockMaskScorer {
 public:
  RangeScorer(const NumericColumn& column, int64_t low, int64_t high, float score)
      : BlockMaskScorer(column.doc_count(), score), column_(column), low_(low), high_(high), cost_(Estimate()) {}

  uint64_t cost() const override { return cost_; }

 private:
  // How many documents match, from a few blocks: values are rarely spread evenly between the smallest and the largest.
  uint64_t Estimate() {
    constexpr uint32_t kBlocks = 4;
    const uint32_t step = std::max(1u, column_.block_count() / kBlocks);
    uint64_t seen = 0, matched = 0;
    for (uint32_t block = step / 2; block < column_.block_count(); block += step) {
      Mask mask{};
      const Result<Matches> matches = MatchBlock(block, mask);
      seen += kBlock;
      if (!matches.ok()) continue;  // met again when it is searched
      if (*matches == Matches::kAll) matched += kBlock;
      for (const uint64_t word : mask) matched += static_cast<uint64_t>(std::popcount(word));
    }
    return std::max<uint64_t>(1, seen == 0 ? 0 : matched * column_.doc_count() / seen);
  }

  Result<Matches> MatchBlock(uint32_t block, Mask& mask) override {
    const int64_t block_low = column_.block_min(block), block_high = column_.block_max(block);
    if (block_low > high_ || block_high < low_ || block_low > block_high) return Matches::kNone;
    if (column_.dense_single() && low_ <= block_low && block_high <= high_) return Matches::kAll;
    TIERCEL_TRY(column_.ReadBlock(block, data_));
    const uint64_t width = static_cast<uint64_t>(high_) - static_cast<uint64_t>(low_);
    if (data_.single) {
      for (uint32_t begin = 0; begin < data_.doc_count; begin += 64) {
        uint64_t word = 0;
        const uint32_t count = std::min(64u, data_.doc_count - begin);
        for (uint32_t i = 0; i < count; ++i) word |= uint64_t{InRange(data_.values[begin + i], low_, width)} << i;
        mask[begin / 64] = word;
      }
    } else {
      for (uint32_t i = 0; i < data_.doc_count; ++i) {
        for (const int64_t value : data_.Of(i)) mask[i / 64] |= uint64_t{InRange(value, low_, width)} << (i % 64);
      }
    }
    return Matches::kSome;
  }

  const NumericColumn& column_;
  const int64_t low_, high_;
  NumericColumn::Block data_;
  const uint64_t cost_;  // last: the estimate reads through the others
};

class ValueSetScorer final : public BlockMaskScorer {
 public:
  ValueSetScorer(const NumericColumn& column, std::span<const int64_t> values, float score)
      : BlockMaskScorer(column.doc_count(), score), column_(column), values_(values) {}

  uint64_t cost() const override {
    return std::min<uint64_t>(column_.docs_with_value(), column_.docs_with_value() / 8 + values_.size());
  }

 private:
  Result<Matches> MatchBlock(uint32_t block, Mask& mask) override {
    const auto first = std::lower_bound(values_.begin(), values_.end(), column_.block_min(block));
    const auto last = std::upper_bound(first, values_.end(), column_.block_max(block));
    if (first >= last) return Matches::kNone;
    TIERCEL_TRY(column_.ReadBlock(block, data_));
    for (uint32_t i = 0; i < data_.doc_count; ++i) {
      for (const int64_t value : data_.Of(i))
        mask[i / 64] |= uint64_t{std::binary_search(first, last, value)} << (i % 64);
    }
    return Matches::kSome;
  }

  const NumericColumn& column_;
  const std::span<const int64_t> values_;
  NumericColumn::Block data_;
};

template <typename Column>
class HasValueScorer final : public BlockMaskScorer {
 public:
  HasValueScorer(const Column& column, float score) : BlockMaskScorer(column.doc_count(), score), column_(column) {}
  uint64_t cost() const override { return column_.docs_with_value(); }

 private:
  Result<Matches> MatchBlock(uint32_t block, Mask& mask) override {
    if (column_.docs_with_value() == column_.doc_count()) return Matches::kAll;
    TIERCEL_TRY(column_.ReadBlock(block, data_));
    for (uint32_t i = 0; i < data_.doc_count; ++i) mask[i / 64] |= uint64_t{!data_.Of(i).empty()} << (i % 64);
    return Matches::kSome;
  }

  const Column& column_;
  typename Column::Block data_;
};

class OrdinalRangeScorer final : public BlockMaskScorer {
 public:
  OrdinalRangeScorer(const KeywordColumn& column, Ordinal low, Ordinal high, float score)
      : BlockMaskScorer(column.doc_count(), score), column_(column), low_(low), high_(high) {}
  uint64_t cost() const override {
    return uint64_t{column_.docs_with_value()} * (high_ - low_) / std::max<uint32_t>(1, column_.cardinality()) + 1;
  }

 private:
  Result<Matches> MatchBlock(uint32_t block, Mask& mask) override {
    TIERCEL_TRY(column_.ReadBlock(block, data_));
    for (uint32_t i = 0; i < data_.doc_count; ++i) {
      for (const Ordinal ordinal : data_.Of(i)) mask[i / 64] |= uint64_t{ordinal - low_ < high_ - low_} << (i % 64);
    }
    return Matches::kSome;
  }

  const KeywordColumn& column_;
  const Ordinal low_, high_;
  KeywordColumn::Block data_;
};

}  // namespace

bool BlockMaskScorer::Load(uint32_t block) {
  if (block == block_) return any_;
  block_ = block;
  mask_.fill(0);
  Result<Matches> matches = MatchBlock(block, mask_);
  if (!matches.ok()) {
    status_ = std::move(matches).status();
    any_ = false;
    next_ = kNoMoreDocs;
    return false;
  }
  if (*matches == Matches::kAll) {
    const uint32_t count = std::min(kBlock, doc_count_ - block * kBlock);
    for (uint32_t i = 0; i < mask_.size(); ++i) {
      const uint32_t bits = count > i * 64 ? std::min<uint32_t>(64, count - i * 64) : 0;
      mask_[i] = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    }
  }
  any_ = *matches != Matches::kNone;
  return any_;
}

DocId BlockMaskScorer::Advance(DocId target) {
  target = std::max(target, next_);
  while (target < doc_count_ && status_.ok()) {
    const uint32_t block = target / kBlock;
    if (Load(block)) {
      uint32_t word = target % kBlock / 64;
      uint64_t bits = mask_[word] & (~uint64_t{0} << (target % 64));
      while (bits == 0 && ++word < mask_.size()) bits = mask_[word];
      if (bits != 0) {
        doc_ = block * kBlock + word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
        next_ = doc_ + 1;
        return doc_;
      }
    }
    target = (block + 1) * kBlock;
  }
  next_ = kNoMoreDocs;
  return doc_ = kNoMoreDocs;
}

uint32_t BlockMaskScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  uint32_t count = 0;
  while (count < docs.size() && next_ < doc_count_ && status_.ok()) {
    const uint32_t block = next_ / kBlock;
    if (!Load(block)) {
      if (status_.ok()) next_ = (block + 1) * kBlock;
      continue;
    }
    const uint32_t word = next_ % kBlock / 64;
    uint64_t bits = mask_[word] & (~uint64_t{0} << (next_ % 64));
    const DocId base = next_ - next_ % 64;
    while (bits != 0 && count < docs.size()) {
      docs[count++] = base + static_cast<uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
    next_ = bits == 0 ? base + 64 : docs[count - 1] + 1;
  }
  if (!status_.ok()) return 0;
  if (!scores.empty()) std::fill_n(scores.begin(), count, score_);
  if (count > 0) doc_ = docs[count - 1];
  return count;
}

// Looks the bits up; where Advance and NextBatch go on is left alone.
uint32_t BlockMaskScorer::Retain(std::span<DocId> docs, std::span<float> scores, bool&) {
  uint32_t kept = 0;
  for (size_t i = 0; i < docs.size(); ++i) {
    const DocId doc = docs[i];
    if (doc / kBlock != block_ && !Load(doc / kBlock)) continue;
    docs[kept] = doc;
    if (!scores.empty()) scores[kept] = scores[i];
    kept += mask_[doc % kBlock / 64] >> (doc % 64) & 1;
  }
  return status_.ok() ? kept : 0;
}

std::unique_ptr<Scorer> MakeRangeScorer(const NumericColumn& column, int64_t low, int64_t high, float score) {
  if (low > high || low > column.max() || high < column.min()) return nullptr;
  return std::make_unique<RangeScorer>(column, low, high, score);
}

std::unique_ptr<Scorer> MakeValueSetScorer(const NumericColumn& column, std::span<const int64_t> values, float score) {
  if (values.empty() || values.front() > column.max() || values.back() < column.min()) return nullptr;
  if (values.size() == 1) return MakeRangeScorer(column, values[0], values[0], score);
  return std::make_unique<ValueSetScorer>(column, values, score);
}

std::unique_ptr<Scorer> MakeHasValueScorer(const NumericColumn& column, float score) {
  return std::make_unique<HasValueScorer<NumericColumn>>(column, score);
}

std::unique_ptr<Scorer> MakeHasValueScorer(const KeywordColumn& column, float score) {
  return std::make_unique<HasValueScorer<KeywordColumn>>(column, score);
}

std::unique_ptr<Scorer> MakeOrdinalRangeScorer(const KeywordColumn& column, Ordinal low, Ordinal high, float score) {
  if (low >= high) return nullptr;
  return std::make_unique<OrdinalRangeScorer>(column, low, high, score);
}

Result<uint64_t> CountInRange(const NumericColumn& column, int64_t low, int64_t high) {
  const std::unique_ptr<Scorer> scorer = MakeRangeScorer(column, low, high, 1);
  if (!scorer) return uint64_t{0};
  std::array<DocId, 256> docs;
  uint64_t count = 0;
  while (const uint32_t batch = scorer->NextBatch(docs, {})) count += batch;
  TIERCEL_TRY(scorer->status());
  return count;
}

}  // namespace tiercel::search
