// The best hits of one segment: a bounded heap by score, or by sort keys.
//
// Documents must be offered in ascending order: among equals the earlier one stays. Thread safety: one thread. Memory:
// grows to the limit, never beyond.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/search/hit.h"
#include "tiercel/search/sort.h"

namespace tiercel::search {

class ScoreQueue {
 public:
  explicit ScoreQueue(uint32_t limit) : limit_(limit) {}

  void Offer(segment::DocId doc, float score) {
    if (heap_.size() < limit_) {
      Insert(doc, score);
    } else if (limit_ > 0 && score > heap_.front().score) {
      Replace(doc, score);
    }
  }
  bool full() const { return heap_.size() >= limit_; }
  // Scores up to this one have no chance any more.
  float score_to_beat() const {
    return limit_ > 0 && full() ? heap_.front().score : -std::numeric_limits<float>::infinity();
  }
  void AppendHits(uint32_t segment, std::vector<Hit>& hits) const;

 private:
  struct Entry {
    float score;
    segment::DocId doc;
  };
  static bool Better(const Entry& a, const Entry& b) { return a.score != b.score ? a.score > b.score : a.doc < b.doc; }
  void Insert(segment::DocId doc, float score);
  void Replace(segment::DocId doc, float score);

  const uint32_t limit_;
  std::vector<Entry> heap_;  // the worst in front
};

class SortQueue {
 public:
  SortQueue(SegmentSorter sorter, uint32_t limit)
      : sorter_(std::move(sorter)), limit_(limit), scratch_(sorter_.size()) {}

  Status Offer(segment::DocId doc, float score);
  Status AppendHits(uint32_t segment, std::vector<Hit>& hits) const;

 private:
  struct Slot {
    segment::DocId doc;
    float score;
    uint32_t keys;  // index of the first key in keys_
  };
  bool Before(const Slot& a, const Slot& b) const;
  // Fills scratch_; false as soon as it is clear that the document cannot enter.
  Result<bool> Competes(segment::DocId doc, float score);

  SegmentSorter sorter_;
  const uint32_t limit_;
  std::vector<int64_t> scratch_;
  std::vector<int64_t> keys_;
  std::vector<Slot> heap_;  // the worst in front
};

}  // namespace tiercel::search
