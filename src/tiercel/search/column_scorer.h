// Scorers over columns: documents with a value in a range, with an ordinal in a set, or with any value at all.
//
// They work a block of 256 documents at a time: a block is skipped or taken whole by its minimum and maximum, else
// decoded once and compared in a tight loop into a mask of 256 bits.
//
// Thread safety: one thread. Lifetime: borrow the column. Cost: about a nanosecond per document of the blocks in doubt.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tiercel/search/query.h"

namespace tiercel::search {

class BlockMaskScorer : public Scorer {
 public:
  DocId doc() const final { return doc_; }
  DocId Next() final { return Advance(next_); }
  DocId Advance(DocId target) final;
  float Score() final { return score_; }
  const Status& status() const final { return status_; }
  float MaxScore(DocId, DocId* last) final {
    *last = kNoMoreDocs;
    return score_;
  }
  void SetMinScore(float score) final {
    if (score >= score_) next_ = kNoMoreDocs;
  }
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) final;
  uint32_t Retain(std::span<DocId> docs, std::span<float> scores, bool& placed) final;

 protected:
  static constexpr uint32_t kBlock = 256;
  using Mask = std::array<uint64_t, kBlock / 64>;
  enum class Matches { kNone, kSome, kAll };

  BlockMaskScorer(uint32_t doc_count, float score) : doc_count_(doc_count), score_(score) {}
  // Sets the bits of matching documents when the answer is kSome; `mask` comes in zeroed.
  virtual Result<Matches> MatchBlock(uint32_t block, Mask& mask) = 0;

 private:
  // Makes `block` the current one; false when nothing in it matches or it could not be read.
  bool Load(uint32_t block);

  const uint32_t doc_count_;
  const float score_;
  uint32_t block_ = UINT32_MAX;
  bool any_ = false;
  Mask mask_{};
  DocId doc_ = 0;
  DocId next_ = 0;
  Status status_;
};

// Documents with a value in [low, high].
std::unique_ptr<Scorer> MakeRangeScorer(const segment::NumericColumn& column, int64_t low, int64_t high, float score);
// Documents with one of `values`, which ascend.
std::unique_ptr<Scorer> MakeValueSetScorer(const segment::NumericColumn& column, std::span<const int64_t> values,
                                           float score);
// Documents with any value.
std::unique_ptr<Scorer> MakeHasValueScorer(const segment::NumericColumn& column, float score);
std::unique_ptr<Scorer> MakeHasValueScorer(const segment::KeywordColumn& column, float score);
// Documents with an ordinal in [low, high).
std::unique_ptr<Scorer> MakeOrdinalRangeScorer(const segment::KeywordColumn& column, segment::Ordinal low,
                                               segment::Ordinal high, float score);
// How many documents have a value in [low, high].
Result<uint64_t> CountInRange(const segment::NumericColumn& column, int64_t low, int64_t high);

}  // namespace tiercel::search
