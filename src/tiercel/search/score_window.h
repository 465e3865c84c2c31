// ScoreWindow: the bulk engine of DisjunctionScorer. Adds the batches of many scorers up over 2048 documents at a time.
//
// With a minimum score it splits the children by MAXSCORE for every window: those whose bounds together stay at or
// below the minimum are only probed for documents that the other children matched, and a document is dropped as soon as
// what is left to add cannot lift it above the minimum.
//
// Thread safety: one thread. Lifetime: borrows the children, which nobody else may move meanwhile.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tiercel/search/disjunction_scorer.h"

namespace tiercel::search {

class ScoreWindow {
 public:
  ScoreWindow(std::span<const std::unique_ptr<Scorer>> children, uint32_t minimum, Combination combination,
              bool scored);

  void SetMinScore(float score) { min_score_ = score; }
  uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores);
  // First matching document >= target, which is after every document returned so far.
  DocId Advance(DocId target);
  // An upper bound for documents from `target` to `*last`, those that were read but not handed out yet included.
  float MaxScore(DocId target, DocId* last) const;
  // Of the document Advance returned.
  float Score(DocId doc) const { return Total(doc - base_); }

 private:
  static constexpr uint32_t kSize = 2048;
  static constexpr uint32_t kBatch = 128;

  // A child with the documents read from it but not added up yet.
  struct Feed {
    Scorer* scorer = nullptr;
    std::array<DocId, kBatch> docs;
    std::array<float, kBatch> scores;
    uint32_t at = 0, count = 0;
    DocId low = 0;  // what is not buffered lies at or after it
    bool done = false;
    float bound = 0;  // of its score in the current window
  };

  // Makes the first window at or after `from` that may hold a match; false at the end.
  bool Fill(DocId from);
  // Bounds of all feeds in [base_, last]; returns the last document up to which they hold, at least `last`.
  DocId BoundFeeds(DocId last);
  DocId BoundFeed(Feed& feed, DocId last) const;
  // Sorts feeds by bound and returns how many of the smallest cannot reach the minimum together.
  size_t PartitionFeeds();
  bool Head(Feed& feed, DocId from);
  void AddFeed(Feed& feed, DocId last);
  void ProbeFeeds(size_t count);
  bool Probe(Feed& feed, DocId doc);
  void Add(uint32_t slot, float score);
  void Clear();
  // First slot >= `slot` that matches, or kSize.
  uint32_t NextSlot(uint32_t slot) const;
  float Total(uint32_t slot) const {
    return static_cast<float>(combination_.Combine(sums_[slot], best_.empty() ? 0 : best_[slot]));
  }

  std::vector<std::unique_ptr<Feed>> feeds_;
  const uint32_t minimum_;
  const Combination combination_;
  const bool scored_;
  float min_score_ = 0;
  std::vector<float> bound_best_;  // of the first i + 1 feeds after PartitionFeeds
  std::vector<double> bound_sum_;

  DocId base_ = 0;
  bool filled_ = false;
  uint32_t slot_ = 0;  // next one to hand out
  std::array<uint64_t, kSize / 64> bits_{};
  std::vector<double> sums_;
  std::vector<float> best_;       // dis_max only
  std::vector<uint32_t> counts_;  // minimum > 1 only
};

}  // namespace tiercel::search
