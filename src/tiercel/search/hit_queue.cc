#include "tiercel/search/hit_queue.h"

#include <algorithm>

namespace tiercel::search {

void ScoreQueue::Insert(segment::DocId doc, float score) {
  heap_.push_back({score, doc});
  std::push_heap(heap_.begin(), heap_.end(), Better);
}

void ScoreQueue::Replace(segment::DocId doc, float score) {
  std::pop_heap(heap_.begin(), heap_.end(), Better);
  heap_.back() = {score, doc};
  std::push_heap(heap_.begin(), heap_.end(), Better);
}

void ScoreQueue::AppendHits(uint32_t segment, std::vector<Hit>& hits) const {
  for (const Entry& entry : heap_)
    hits.push_back({.segment = segment, .doc = entry.doc, .score = entry.score, .sort = {}});
}

bool SortQueue::Before(const Slot& a, const Slot& b) const {
  for (size_t i = 0; i < scratch_.size(); ++i) {
    const int64_t x = keys_[a.keys + i], y = keys_[b.keys + i];
    if (x != y) return x < y;
  }
  return a.doc < b.doc;
}

Result<bool> SortQueue::Competes(segment::DocId doc, float score) {
  const bool full = heap_.size() >= limit_;
  const std::span<const int64_t> after = sorter_.after();
  bool decided_after = after.empty(), decided_worst = !full;
  for (size_t i = 0; i < scratch_.size(); ++i) {
    TIERCEL_TRY_ASSIGN(scratch_[i], sorter_.Key(i, doc, score));
    if (!decided_after) {
      if (scratch_[i] < after[i]) return false;
      decided_after = scratch_[i] > after[i];
    }
    if (!decided_worst) {
      const int64_t worst = keys_[heap_.front().keys + i];
      if (scratch_[i] > worst) return false;
      decided_worst = scratch_[i] < worst;
    }
  }
  return decided_after && decided_worst;  // equal to the worst: the earlier document stays
}

Status SortQueue::Offer(segment::DocId doc, float score) {
  if (limit_ == 0) return {};
  TIERCEL_TRY_ASSIGN(const bool competes, Competes(doc, score));
  if (!competes) return {};
  const auto before = [this](const Slot& a, const Slot& b) { return Before(a, b); };
  if (heap_.size() < limit_) {
    heap_.push_back({doc, score, static_cast<uint32_t>(keys_.size())});
    keys_.insert(keys_.end(), scratch_.begin(), scratch_.end());
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), before);
    Slot& slot = heap_.back();
    slot.doc = doc;
    slot.score = score;
    std::copy(scratch_.begin(), scratch_.end(), keys_.begin() + slot.keys);
  }
  std::push_heap(heap_.begin(), heap_.end(), before);
  return {};
}

Status SortQueue::AppendHits(uint32_t segment, std::vector<Hit>& hits) const {
  for (const Slot& slot : heap_) {
    Hit hit{.segment = segment, .doc = slot.doc, .score = slot.score, .sort = {}};
    for (size_t i = 0; i < scratch_.size(); ++i) {
      TIERCEL_TRY_ASSIGN(SortValue value, sorter_.Value(i, keys_[slot.keys + i]));
      hit.sort.push_back(std::move(value));
    }
    hits.push_back(std::move(hit));
  }
  return {};
}

}  // namespace tiercel::search
