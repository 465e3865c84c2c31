#include "tiercel/search/phrase_scorer.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tiercel::search {

PhraseScorer::PhraseScorer(std::vector<std::unique_ptr<segment::PostingsCursor>> cursors,
                           std::vector<PhrasePlace> places, uint32_t slop, ByteSpan norms, const Bm25* bm25)
    : cursors_(std::move(cursors)),
      order_(cursors_.size()),
      started_(cursors_.size()),
      places_(std::move(places)),
      positions_(cursors_.size()),
      norms_(norms),
      bm25_(bm25) {
  if (slop > 0) sloppy_.emplace(places_, slop);
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [this](size_t a, size_t b) { return cursors_[a]->cost() < cursors_[b]->cost(); });
  cost_ = cursors_[order_[0]]->cost();
}

DocId PhraseScorer::Align(DocId candidate) {
  if (exhausted_) return doc_ = kNoMoreDocs;
  while (candidate != kNoMoreDocs) {
    DocId reached = candidate;
    for (size_t i = 1; i < order_.size() && reached == candidate; ++i) {
      segment::PostingsCursor* cursor = cursors_[order_[i]].get();
      reached = started_[i] && cursor->doc() >= candidate ? cursor->doc() : cursor->Advance(candidate);
      started_[i] = true;
    }
    if (reached != candidate) {
      candidate = lead()->Advance(reached);
      continue;
    }
    freq_ = Freq();
    if (freq_ > 0) break;
    candidate = lead()->Next();
  }
  return doc_ = candidate;
}

float PhraseScorer::Freq() {
  for (size_t i = 0; i < cursors_.size(); ++i) positions_[i] = cursors_[i]->Positions();
  if (sloppy_) return sloppy_->Freq(positions_);
  const uint32_t limit = bm25_ == nullptr ? 1 : std::numeric_limits<uint32_t>::max();
  return static_cast<float>(ExactPhraseFreq(places_, positions_, limit));
}

float PhraseScorer::Score() { return bm25_->Score(freq_, norms_.empty() ? Bm25::kNoNorm : norms_[doc_]); }

const Status& PhraseScorer::status() const {
  for (const auto& cursor : cursors_) {
    if (!cursor->status().ok()) return cursor->status();
  }
  return cursors_[0]->status();
}

float PhraseScorer::MaxScore(DocId target, DocId* last) {
  if (bm25_ == nullptr) return Scorer::MaxScore(target, last);
  *last = kNoMoreDocs;
  return bm25_->limit();
}

void PhraseScorer::SetMinScore(float score) {
  exhausted_ = exhausted_ || (bm25_ != nullptr && bm25_->limit() <= score);
}

}  // namespace tiercel::search
