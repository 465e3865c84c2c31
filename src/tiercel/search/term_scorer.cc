#include "tiercel/search/term_scorer.h"

#include <algorithm>

namespace tiercel::search {

DocId TermScorer::Next() {
  at_ = At::kDoc;
  doc_ = cursor_->Next();
  if (min_score_ > 0) doc_ = SkipHopelessBlocks(doc_);
  return doc_;
}

DocId TermScorer::Advance(DocId target) {
  // After a batch the cursor may stand on `target` or beyond already, or at the end.
  const bool there = at_ != At::kStart && cursor_->doc() >= target;
  at_ = At::kDoc;
  doc_ = there ? cursor_->doc() : cursor_->Advance(target);
  if (min_score_ > 0) doc_ = SkipHopelessBlocks(doc_);
  return doc_;
}

DocId TermScorer::SkipHopelessBlocks(DocId doc) {
  while (doc != kNoMoreDocs && (!hopeful_last_ || doc > *hopeful_last_)) {
    DocId last;
    if (MaxScore(doc, &last) > min_score_) {
      hopeful_last_ = last;
      break;
    }
    doc = cursor_->Advance(last == kNoMoreDocs ? kNoMoreDocs : last + 1);
  }
  return doc;
}

void TermScorer::SetMinScore(float score) {
  if (bm25_ == nullptr || score <= min_score_) return;
  min_score_ = score;
  hopeful_last_.reset();
}

float TermScorer::MaxScore(DocId target, DocId* last) {
  if (bm25_ == nullptr) return Scorer::MaxScore(target, last);
  if (at_ != At::kStart) target = std::max(target, cursor_->doc());
  if (target == kNoMoreDocs) {
    *last = kNoMoreDocs;
    return 0;
  }
  if (target < max_first_ || target > max_last_) {
    max_first_ = target;
    max_last_ = cursor_->BlockLast(target);
    max_score_ = bm25_->MaxScore(cursor_->BlockImpacts(target));
  }
  *last = max_last_;
  return max_score_;
}

uint32_t TermScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  if (at_ != At::kAhead) cursor_->Next();
  at_ = At::kAhead;
  if (min_score_ > 0) SkipHopelessBlocks(cursor_->doc());
  if (scores.empty()) {
    const uint32_t count = cursor_->NextBatch(docs, {});
    if (count > 0) doc_ = docs[count - 1];
    return count;
  }
  if (freqs_.size() < docs.size()) freqs_.resize(docs.size());
  const uint32_t count = cursor_->NextBatch(docs, std::span(freqs_).first(docs.size()));
  for (uint32_t i = 0; i < count; ++i) scores[i] = ScoreOf(docs[i], freqs_[i]);
  if (count > 0) doc_ = docs[count - 1];
  return count;
}

}  // namespace tiercel::search
