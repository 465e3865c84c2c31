// TermScorer: the documents of one term, scored by BM25; the leaf that block-max pruning stands on.
//
// Thread safety: one thread. Lifetime: borrows the segment's norms and the query's Bm25. Cost: that of the postings
// cursor.
#pragma once

#include <memory>
#include <vector>

#include "tiercel/search/bm25.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

class TermScorer final : public Scorer {
 public:
  // `bm25` null: no scores are asked for. `norms` empty: every document counts as one token long.
  TermScorer(std::unique_ptr<segment::PostingsCursor> cursor, ByteSpan norms, const Bm25* bm25)
      : cursor_(std::move(cursor)), norms_(norms), bm25_(bm25) {}

  DocId doc() const override { return doc_; }
  DocId Next() override;
  DocId Advance(DocId target) override;
  float Score() override { return ScoreOf(doc_, cursor_->freq()); }
  uint64_t cost() const override { return cursor_->cost(); }
  const Status& status() const override { return cursor_->status(); }
  float MaxScore(DocId target, DocId* last) override;
  void SetMinScore(float score) override;
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  float ScoreOf(DocId doc, uint32_t freq) const {
    return bm25_->Score(static_cast<float>(freq), norms_.empty() ? Bm25::kNoNorm : norms_[doc]);
  }
  // The cursor stands on `doc`; moves it on to the first document in a block that can beat min_score_.
  DocId SkipHopelessBlocks(DocId doc);

  std::unique_ptr<segment::PostingsCursor> cursor_;
  ByteSpan norms_;
  const Bm25* bm25_;
  DocId doc_ = 0;
  // Where the cursor stands: before the first document, on doc_, or (after a batch) on the first document not returned
  // yet.
  enum class At { kStart, kDoc, kAhead } at_ = At::kStart;
  float min_score_ = 0;
  std::optional<DocId> hopeful_last_;  // blocks up to this document were found worth reading
  // The block MaxScore answered last: documents in [max_first_, max_last_] score at most max_score_.
  DocId max_first_ = 1, max_last_ = 0;
  float max_score_ = 0;
  std::vector<uint32_t> freqs_;
};

}  // namespace tiercel::search
