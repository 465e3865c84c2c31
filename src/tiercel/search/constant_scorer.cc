#include "tiercel/search/constant_scorer.h"

#include <algorithm>
#include <bit>

namespace tiercel::search {

uint32_t AllDocsScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  const uint32_t count = std::min<uint32_t>(static_cast<uint32_t>(docs.size()), doc_count_ - next_);
  for (uint32_t i = 0; i < count; ++i) docs[i] = next_ + i;
  if (!scores.empty()) std::fill_n(scores.begin(), count, score_);
  next_ += count;
  if (count > 0) doc_ = docs[count - 1];
  return count;
}

DocId DocBits::NextFrom(DocId doc) const {
  size_t word = doc / 64;
  if (word >= words_.size()) return kNoMoreDocs;
  uint64_t bits = words_[word] & (~uint64_t{0} << (doc % 64));
  while (bits == 0) {
    if (++word == words_.size()) return kNoMoreDocs;
    bits = words_[word];
  }
  return static_cast<DocId>(word * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
}

uint64_t DocBits::Count() const {
  uint64_t count = 0;
  for (const uint64_t word : words_) count += static_cast<uint64_t>(std::popcount(word));
  return count;
}

DocId ListScorer::Next() {
  if (started_ && at_ < entries_.size()) ++at_;
  started_ = true;
  return doc();
}

DocId ListScorer::Advance(DocId target) {
  started_ = true;
  const auto from = entries_.begin() + static_cast<ptrdiff_t>(at_);
  at_ = static_cast<size_t>(
      std::lower_bound(from, entries_.end(), target, [](const Entry& entry, DocId doc) { return entry.doc < doc; }) -
      entries_.begin());
  return doc();
}

uint32_t ConstantScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  if (exhausted_) return 0;
  const uint32_t count = docs_->NextBatch(docs, {});
  if (!scores.empty()) std::fill_n(scores.begin(), count, score_);
  return count;
}

}  // namespace tiercel::search
