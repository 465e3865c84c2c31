// The scorers a bool query is made of: all of these, this but none of those, this and perhaps those.
//
// Thread safety: one thread. Scores: added in double in clause order, rounded to float once. Cost: the conjunction
// leapfrogs, led by its cheapest child; where one child alone scores and is not much dearer than that, its batches are
// filtered by the others, which is several times faster a document.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "tiercel/search/query.h"

namespace tiercel::search {

// Documents of every child. `scoring` are indices into `children` whose scores are added; none: the score is 0.
class ConjunctionScorer final : public Scorer {
 public:
  ConjunctionScorer(std::vector<std::unique_ptr<Scorer>> children, const std::vector<size_t>& scoring);
  DocId doc() const override { return doc_; }
  DocId Next() override;
  DocId Advance(DocId target) override;
  float Score() override;
  uint64_t cost() const override { return children_[0]->cost(); }
  const Status& status() const override;
  float MaxScore(DocId target, DocId* last) override;
  void SetMinScore(float score) override;
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // From a document of the lead to the first that all children have and that can beat min_score_.
  DocId Align(DocId candidate);
  // The first document >= target of a child.
  DocId AdvanceChild(size_t index, DocId target);
  // The child whose batches the others filter; kNone where document by document is better.
  size_t ChooseSource() const;

  std::vector<std::unique_ptr<Scorer>> children_;  // by ascending cost: the first leads
  std::vector<Scorer*> scoring_;                   // in clause order
  std::unique_ptr<bool[]> placed_;                 // whether doc() of each child means anything
  size_t source_ = kNone;
  DocId unread_ = 0;  // after a batch: everything before it was returned or is not in all children
  DocId doc_ = 0;
  float min_score_ = 0;
  std::optional<DocId> hopeful_last_;
};

// Documents of `required` that `excluded` does not have.
class ExclusionScorer final : public Scorer {
 public:
  ExclusionScorer(std::unique_ptr<Scorer> required, std::unique_ptr<Scorer> excluded)
      : required_(std::move(required)), excluded_(std::move(excluded)) {}
  DocId doc() const override { return required_->doc(); }
  DocId Next() override { return Settle(required_->Next()); }
  DocId Advance(DocId target) override { return Settle(required_->Advance(std::max(target, unread_))); }
  float Score() override { return required_->Score(); }
  uint64_t cost() const override { return required_->cost(); }
  const Status& status() const override { return required_->status().ok() ? excluded_->status() : required_->status(); }
  float MaxScore(DocId target, DocId* last) override { return required_->MaxScore(target, last); }
  void SetMinScore(float score) override { required_->SetMinScore(score); }
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  bool Excluded(DocId doc);
  DocId Settle(DocId doc);

  std::unique_ptr<Scorer> required_;
  std::unique_ptr<Scorer> excluded_;
  bool started_ = false;
  DocId unread_ = 0;  // after a batch: everything before it was returned or is excluded
};

// Documents of `required`; those that `optional` has too score the sum of both.
class OptionalScorer final : public Scorer {
 public:
  OptionalScorer(std::unique_ptr<Scorer> required, std::unique_ptr<Scorer> optional)
      : required_(std::move(required)), optional_(std::move(optional)) {}
  DocId doc() const override { return required_->doc(); }
  DocId Next() override { return SkipHopelessBlocks(required_->Next()); }
  DocId Advance(DocId target) override { return SkipHopelessBlocks(required_->Advance(target)); }
  float Score() override;
  uint64_t cost() const override { return required_->cost(); }
  const Status& status() const override { return required_->status().ok() ? optional_->status() : required_->status(); }
  float MaxScore(DocId target, DocId* last) override;
  void SetMinScore(float score) override;
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores) override;

 private:
  DocId SkipHopelessBlocks(DocId doc);
  // An upper bound of any score of `optional`, asked for before it has moved.
  float BoundOptional();

  std::unique_ptr<Scorer> required_;
  std::unique_ptr<Scorer> optional_;
  bool started_ = false;
  float min_score_ = 0;
  std::optional<float> optional_bound_;
  std::optional<DocId> hopeful_last_;
};

// A bound of a sum of scores that no order of adding them can pass: float rounding is given room.
float BoundOfSum(double sum_of_bounds);

}  // namespace tiercel::search
