// Scorers whose documents all score the same: every document, a set of documents, and the adapter that gives any other
// scorer's documents one score.
//
// Thread safety: one thread. Cost: a bit set visits 64 documents a word.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "tiercel/runtime/memory_budget.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

// Every document of a segment.
class AllDocsScorer final : public Scorer {
 public:
  AllDocsScorer(uint32_t doc_count, float score) : doc_count_(doc_count), score_(score) {}
  DocId doc() const override { return doc_; }
  DocId Next() override { return Advance(next_); }
  DocId Advance(DocId target) override {
    target = std::max(target, next_);
    doc_ = target < doc_count_ ? target : kNoMoreDocs;
    next_ = target < doc_count_ ? target + 1 : doc_count_;
    return doc_;
  }
  float Score() override { return score_; }
  uint64_t cost() const override { return doc_count_; }
  const Status& status() const override { return status_; }
  float MaxScore(DocId, DocId* last) override {
    *last = kNoMoreDocs;
    return score_;
  }
  void SetMinScore(float score) override {
    if (score >= score_) next_ = doc_count_;
  }
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  uint32_t doc_count_;
  float score_;
  DocId doc_ = 0;
  DocId next_ = 0;
  Status status_;
};

// A set of documents, one bit each.
class DocBits {
 public:
  explicit DocBits(uint32_t doc_count) : words_((doc_count + 63) / 64) {}
  void Set(DocId doc) { words_[doc / 64] |= uint64_t{1} << (doc % 64); }
  bool Has(DocId doc) const { return (words_[doc / 64] >> (doc % 64)) & 1; }
  // First member >= doc, or kNoMoreDocs.
  DocId NextFrom(DocId doc) const;
  uint64_t Count() const;
  std::vector<uint64_t>& words() { return words_; }

 private:
  std::vector<uint64_t> words_;
};

class BitSetScorer final : public Scorer {
 public:
  BitSetScorer(DocBits bits, float score, runtime::MemoryCharge charge)
      : bits_(std::move(bits)), cost_(bits_.Count()), score_(score), charge_(std::move(charge)) {}
  DocId doc() const override { return doc_; }
  DocId Next() override { return Advance(next_); }
  DocId Advance(DocId target) override {
    doc_ = bits_.NextFrom(std::max(target, next_));
    next_ = doc_ == kNoMoreDocs ? kNoMoreDocs : doc_ + 1;
    return doc_;
  }
  float Score() override { return score_; }
  uint64_t cost() const override { return cost_; }
  const Status& status() const override { return status_; }
  float MaxScore(DocId, DocId* last) override {
    *last = kNoMoreDocs;
    return score_;
  }
  void SetMinScore(float score) override {
    if (score >= score_) next_ = kNoMoreDocs;
  }

 private:
  DocBits bits_;
  uint64_t cost_;
  float score_;
  runtime::MemoryCharge charge_;
  DocId doc_ = 0;
  DocId next_ = 0;
  Status status_;
};

// Documents listed one by one, each with its own score.
class ListScorer final : public Scorer {
 public:
  struct Entry {
    DocId doc;
    float score;
  };
  // Ascending, without duplicates.
  explicit ListScorer(std::vector<Entry> entries) : entries_(std::move(entries)) {}
  DocId doc() const override { return at_ < entries_.size() ? entries_[at_].doc : kNoMoreDocs; }
  DocId Next() override;
  DocId Advance(DocId target) override;
  float Score() override { return entries_[at_].score; }
  uint64_t cost() const override { return entries_.size(); }
  const Status& status() const override { return status_; }

 private:
  std::vector<Entry> entries_;
  size_t at_ = 0;
  bool started_ = false;
  Status status_;
};

// The documents of another scorer, which was made without scores, at one score.
class ConstantScorer final : public Scorer {
 public:
  ConstantScorer(std::unique_ptr<Scorer> docs, float score) : docs_(std::move(docs)), score_(score) {}
  DocId doc() const override { return docs_->doc(); }
  DocId Next() override { return exhausted_ ? kNoMoreDocs : docs_->Next(); }
  DocId Advance(DocId target) override { return exhausted_ ? kNoMoreDocs : docs_->Advance(target); }
  float Score() override { return score_; }
  uint64_t cost() const override { return docs_->cost(); }
  const Status& status() const override { return docs_->status(); }
  float MaxScore(DocId, DocId* last) override {
    *last = kNoMoreDocs;
    return score_;
  }
  void SetMinScore(float score) override { exhausted_ = exhausted_ || score >= score_; }
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  std::unique_ptr<Scorer> docs_;
  float score_;
  bool exhausted_ = false;
};

}  // namespace tiercel::search
