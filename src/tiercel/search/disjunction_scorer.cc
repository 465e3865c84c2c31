#include "tiercel/search/disjunction_scorer.h"

#include <algorithm>

#include "tiercel/search/boolean_scorers.h"
#include "tiercel/search/score_window.h"

namespace tiercel::search {
namespace {

// A child in the heap: where it stands, and which one it is; ties go to the smaller index, so that scores are added in
// clause order.
struct HeapEntry {
  DocId doc;
  uint32_t child;
  bool operator>(const HeapEntry& other) const { return doc != other.doc ? doc > other.doc : child > other.child; }
};

class DisjunctionScorer final : public Scorer {
 public:
  DisjunctionScorer(std::vector<std::unique_ptr<Scorer>> children, uint32_t minimum, Combination combination,
                    bool scored)
      : children_(std::move(children)), minimum_(minimum), combination_(combination), scored_(scored) {
    for (const auto& child : children_) cost_ += child->cost();
  }

  DocId doc() const override { return doc_; }
  DocId Next() override;
  DocId Advance(DocId target) override;
  float Score() override;
  uint64_t cost() const override { return cost_; }
  const Status& status() const override;
  float MaxScore(DocId target, DocId* last) override;
  void SetMinScore(float score) override;
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  void Push(uint32_t child, DocId doc) {
    if (doc != kNoMoreDocs) heap_.push({doc, child});
  }
  // Takes the smallest document that enough children have off the heap.
  DocId Settle();
  DocId SkipHopelessBlocks(DocId doc);

  std::vector<std::unique_ptr<Scorer>> children_;
  const uint32_t minimum_;
  const Combination combination_;
  const bool scored_;
  uint64_t cost_ = 0;
  DocId doc_ = 0;
  float min_score_ = 0;
  std::optional<DocId> hopeful_last_;

  bool started_ = false;
  std::priority_queue<HeapEntry, std::vector<HeapEntry>, std::greater<>> heap_;
  std::vector<uint32_t> matching_;  // children that stand on doc_, ascending; not in the heap

  std::unique_ptr<ScoreWindow> window_;
};

DocId DisjunctionScorer::Settle() {
  while (true) {
    matching_.clear();
    if (heap_.empty()) return doc_ = kNoMoreDocs;
    const DocId doc = heap_.top().doc;
    while (!heap_.empty() && heap_.top().doc == doc) {
      matching_.push_back(heap_.top().child);
      heap_.pop();
    }
    if (matching_.size() >= minimum_) return doc_ = doc;
    for (const uint32_t child : matching_) Push(child, children_[child]->Next());
  }
}

DocId DisjunctionScorer::Next() {
  if (window_) return doc_ = window_->Advance(doc_ + 1);
  if (!started_) {
    started_ = true;
    for (uint32_t i = 0; i < children_.size(); ++i) Push(i, children_[i]->Next());
  } else {
    for (const uint32_t child : matching_) Push(child, children_[child]->Next());
  }
  return SkipHopelessBlocks(Settle());
}

DocId DisjunctionScorer::Advance(DocId target) {
  if (window_) return doc_ = window_->Advance(target);
  if (!started_) {
    started_ = true;
    for (uint32_t i = 0; i < children_.size(); ++i) Push(i, children_[i]->Advance(target));
    return SkipHopelessBlocks(Settle());
  }
  for (const uint32_t child : matching_) Push(child, children_[child]->Advance(target));
  while (!heap_.empty() && heap_.top().doc < target) {
    const uint32_t child = heap_.top().child;
    heap_.pop();
    Push(child, children_[child]->Advance(target));
  }
  return SkipHopelessBlocks(Settle());
}

DocId DisjunctionScorer::SkipHopelessBlocks(DocId doc) {
  while (min_score_ > 0 && doc != kNoMoreDocs && (!hopeful_last_ || doc > *hopeful_last_)) {
    DocId last;
    if (MaxScore(doc, &last) > min_score_) {
      hopeful_last_ = last;
      break;
    }
    const DocId target = last == kNoMoreDocs ? kNoMoreDocs : last + 1;
    for (const uint32_t child : matching_) Push(child, children_[child]->Advance(target));
    while (!heap_.empty() && heap_.top().doc < target) {
      const uint32_t child = heap_.top().child;
      heap_.pop();
      Push(child, children_[child]->Advance(target));
    }
    doc = Settle();
  }
  return doc;
}

float DisjunctionScorer::Score() {
  if (window_) return window_->Score(doc_);
  double sum = 0;
  float max = 0;
  for (const uint32_t child : matching_) {
    const float score = children_[child]->Score();
    sum += score;
    max = std::max(max, score);
  }
  return static_cast<float>(combination_.Combine(sum, max));
}

const Status& DisjunctionScorer::status() const {
  for (const auto& child : children_) {
    if (!child->status().ok()) return child->status();
  }
  return children_[0]->status();
}

float DisjunctionScorer::MaxScore(DocId target, DocId* last) {
  if (window_) return window_->MaxScore(target, last);
  double sum = 0;
  float max = 0;
  *last = kNoMoreDocs;
  for (const auto& child : children_) {
    DocId child_last;
    const float bound = child->MaxScore(target, &child_last);
    sum += bound;
    max = std::max(max, bound);
    *last = std::min(*last, child_last);
  }
  return BoundOfSum(combination_.Combine(sum, max));
}

void DisjunctionScorer::SetMinScore(float score) {
  if (!scored_ || score <= min_score_) return;
  min_score_ = score;
  hopeful_last_.reset();
  if (window_) window_->SetMinScore(score);
}

uint32_t DisjunctionScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  if (started_) return Scorer::NextBatch(docs, scores);
  if (!window_) {
    window_ = std::make_unique<ScoreWindow>(children_, minimum_, combination_, scored_);
    window_->SetMinScore(min_score_);
  }
  const uint32_t count = window_->NextBatch(docs, scores);
  doc_ = count > 0 ? docs[count - 1] : kNoMoreDocs;
  return count;
}

}  // namespace

std::unique_ptr<Scorer> MakeDisjunctionScorer(std::vector<std::unique_ptr<Scorer>> children, uint32_t minimum,
                                              Combination combination, bool scored) {
  return std::make_unique<DisjunctionScorer>(std::move(children), minimum, combination, scored);
}

}  // namespace tiercel::search
