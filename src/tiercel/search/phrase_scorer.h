// PhraseScorer: documents that hold a phrase, scored by BM25 with the phrase's frequency.
//
// Thread safety: one thread. Lifetime: borrows norms and Bm25. Cost: the conjunction of the terms, then the positions
// of every document that has them all.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tiercel/search/bm25.h"
#include "tiercel/search/phrase_matcher.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

class PhraseScorer final : public Scorer {
 public:
  // cursors[i] walks the term of places[i]; at least two.
  PhraseScorer(std::vector<std::unique_ptr<segment::PostingsCursor>> cursors, std::vector<PhrasePlace> places,
               uint32_t slop, ByteSpan norms, const Bm25* bm25);
  DocId doc() const override { return doc_; }
  DocId Next() override { return Align(lead()->Next()); }
  DocId Advance(DocId target) override { return doc_ == kNoMoreDocs ? doc_ : Align(lead()->Advance(target)); }
  float Score() override;
  uint64_t cost() const override { return cost_; }
  const Status& status() const override;
  float MaxScore(DocId, DocId* last) override;
  void SetMinScore(float score) override;

 private:
  segment::PostingsCursor* lead() { return cursors_[order_[0]].get(); }
  DocId Align(DocId candidate);
  // How often the phrase occurs in the document all cursors stand on; without scores only whether it does.
  float Freq();

  std::vector<std::unique_ptr<segment::PostingsCursor>> cursors_;
  std::vector<size_t> order_;  // of cursors_, by ascending cost
  std::vector<bool> started_;
  const std::vector<PhrasePlace> places_;
  std::optional<SloppyMatcher> sloppy_;
  std::vector<std::span<const uint32_t>> positions_;
  ByteSpan norms_;
  const Bm25* bm25_;
  uint64_t cost_;
  DocId doc_ = 0;
  float freq_ = 0;
  bool exhausted_ = false;
};

}  // namespace tiercel::search
