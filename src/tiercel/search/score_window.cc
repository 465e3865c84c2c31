#include "tiercel/search/score_window.h"

#include <algorithm>
#include <bit>

#include "tiercel/search/boolean_scorers.h"

namespace tiercel::search {

ScoreWindow::ScoreWindow(std::span<const std::unique_ptr<Scorer>> children, uint32_t minimum, Combination combination,
                         bool scored)
    : minimum_(minimum), combination_(combination), scored_(scored) {
  for (const auto& child : children) {
    feeds_.push_back(std::make_unique<Feed>());
    feeds_.back()->scorer = child.get();
  }
  bound_best_.resize(feeds_.size());
  bound_sum_.resize(feeds_.size());
  if (scored) sums_.assign(kSize, 0);
  if (scored && combination.best) best_.assign(kSize, 0);
  if (minimum > 1) counts_.assign(kSize, 0);
}

void ScoreWindow::Clear() {
  for (uint32_t word = 0; word < bits_.size(); ++word) {
    for (uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
      const uint32_t slot = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
      if (!sums_.empty()) sums_[slot] = 0;
      if (!best_.empty()) best_[slot] = 0;
      if (!counts_.empty()) counts_[slot] = 0;
    }
    bits_[word] = 0;
  }
}

void ScoreWindow::Add(uint32_t slot, float score) {
  bits_[slot / 64] |= uint64_t{1} << (slot % 64);
  if (scored_) sums_[slot] += score;
  if (!best_.empty()) best_[slot] = std::max(best_[slot], score);
  if (!counts_.empty()) ++counts_[slot];
}

// Makes sure the buffer holds the feed's first document at or after `from`; false when there is none.
bool ScoreWindow::Head(Feed& feed, DocId from) {
  while (true) {
    while (feed.at < feed.count && feed.docs[feed.at] < from) ++feed.at;
    if (feed.at < feed.count) return true;
    if (feed.done) return false;
    feed.at = feed.count = 0;
    if (feed.low < from) {
      const DocId doc = feed.scorer->Advance(from);
      feed.docs[0] = doc;
      feed.scores[0] = scored_ && doc != kNoMoreDocs ? feed.scorer->Score() : 0;
      feed.count = doc != kNoMoreDocs;
    } else {
      feed.count = feed.scorer->NextBatch(feed.docs, scored_ ? std::span<float>(feed.scores) : std::span<float>());
    }
    feed.done = feed.count == 0;
    if (!feed.done) feed.low = feed.docs[feed.count - 1] + 1;
  }
}

DocId ScoreWindow::BoundFeed(Feed& feed, DocId last) const {
  feed.bound = 0;
  for (uint32_t i = feed.at; i < feed.count; ++i) {
    if (feed.docs[i] < base_) continue;
    if (feed.docs[i] > last) return feed.docs[i] - 1;
    feed.bound = std::max(feed.bound, feed.scores[i]);
  }
  if (feed.done) return kNoMoreDocs;
  DocId target = std::max(base_, feed.low);
  if (target > last) return target - 1;
  while (true) {
    DocId block_last;
    feed.bound = std::max(feed.bound, feed.scorer->MaxScore(target, &block_last));
    if (block_last >= last) return block_last;
    target = block_last + 1;
  }
}

DocId ScoreWindow::BoundFeeds(DocId last) {
  DocId holds_to = kNoMoreDocs;
  for (const auto& feed : feeds_) holds_to = std::min(holds_to, BoundFeed(*feed, last));
  return holds_to;
}

size_t ScoreWindow::PartitionFeeds() {
  std::stable_sort(feeds_.begin(), feeds_.end(), [](const auto& a, const auto& b) { return a->bound < b->bound; });
  double sum = 0;
  float best = 0;
  size_t hopeless = 0;
  for (size_t i = 0; i < feeds_.size(); ++i) {
    sum += feeds_[i]->bound;
    best = std::max(best, feeds_[i]->bound);
    bound_sum_[i] = sum;
    bound_best_[i] = best;
    if (hopeless == i && BoundOfSum(combination_.Combine(sum, best)) <= min_score_) hopeless = i + 1;
  }
  return hopeless;
}

bool ScoreWindow::Fill(DocId from) {
  Clear();
  filled_ = true;
  slot_ = 0;
  const bool prune = scored_ && min_score_ > 0 && minimum_ <= 1;
  while (from != kNoMoreDocs) {
    base_ = from;
    DocId last = from > kNoMoreDocs - kSize ? kNoMoreDocs - 1 : from + (kSize - 1);
    DocId holds_to = kNoMoreDocs;
    size_t hopeless = 0;
    if (prune) {
      holds_to = BoundFeeds(last);
      hopeless = PartitionFeeds();
      if (hopeless == feeds_.size()) {
        from = holds_to == kNoMoreDocs ? kNoMoreDocs : holds_to + 1;
        continue;
      }
    }
    DocId first = kNoMoreDocs;
    for (size_t i = hopeless; i < feeds_.size(); ++i) {
      if (Head(*feeds_[i], from)) first = std::min(first, feeds_[i]->docs[feeds_[i]->at]);
    }
    if (first > last) {  // nothing here, nor in what the bounds hold for beyond
      from = holds_to == kNoMoreDocs ? first : std::min(first, holds_to + 1);
      continue;
    }
    if (!prune) {
      base_ = first;
      last = first > kNoMoreDocs - kSize ? kNoMoreDocs - 1 : first + (kSize - 1);
    }
    for (size_t i = hopeless; i < feeds_.size(); ++i) AddFeed(*feeds_[i], last);
    if (hopeless > 0) ProbeFeeds(hopeless);
    return true;
  }
  base_ = kNoMoreDocs;
  return false;
}

void ScoreWindow::AddFeed(Feed& feed, DocId last) {
  while (Head(feed, base_) && feed.docs[feed.at] <= last) {
    while (feed.at < feed.count && feed.docs[feed.at] <= last) {
      Add(feed.docs[feed.at] - base_, feed.scores[feed.at]);
      ++feed.at;
    }
  }
}

bool ScoreWindow::Probe(Feed& feed, DocId doc) {
  if (feed.at >= feed.count && feed.low > doc) return false;
  return Head(feed, doc) && feed.docs[feed.at] == doc;
}

void ScoreWindow::ProbeFeeds(size_t count) {
  for (uint32_t slot = NextSlot(0); slot < kSize; slot = NextSlot(slot + 1)) {
    for (size_t i = count; i-- > 0;) {
      const float best = best_.empty() ? 0 : std::max(best_[slot], bound_best_[i]);
      if (BoundOfSum(combination_.Combine(sums_[slot] + bound_sum_[i], best)) <= min_score_) {
        bits_[slot / 64] &= ~(uint64_t{1} << (slot % 64));
        sums_[slot] = 0;
        if (!best_.empty()) best_[slot] = 0;
        break;
      }
      Feed& feed = *feeds_[i];
      if (Probe(feed, base_ + slot)) Add(slot, feed.scores[feed.at]);
    }
  }
}

uint32_t ScoreWindow::NextSlot(uint32_t slot) const {
  while (slot < kSize) {
    const uint64_t bits = bits_[slot / 64] >> (slot % 64);
    if (bits == 0) {
      slot = (slot / 64 + 1) * 64;
      continue;
    }
    slot += static_cast<uint32_t>(std::countr_zero(bits));
    if (counts_.empty() || counts_[slot] >= minimum_) return slot;
    ++slot;
  }
  return kSize;
}

uint32_t ScoreWindow::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  uint32_t count = 0;
  while (count < docs.size()) {
    if (base_ == kNoMoreDocs) break;
    const uint32_t slot = filled_ ? NextSlot(slot_) : kSize;
    if (slot == kSize) {
      // A full window is handed out before the next is made: the minimum may rise in between.
      if (count > 0) {
        slot_ = kSize;
        break;
      }
      if (!Fill(filled_ ? base_ + kSize : 0)) break;
      continue;
    }
    docs[count] = base_ + slot;
    if (!scores.empty()) scores[count] = Total(slot);
    ++count;
    slot_ = slot + 1;
  }
  return count;
}

float ScoreWindow::MaxScore(DocId target, DocId* last) const {
  float best = 0;
  if (filled_ && base_ != kNoMoreDocs && target < base_ + kSize) {
    *last = base_ + kSize - 1;
    for (uint32_t slot = NextSlot(target <= base_ ? 0 : target - base_); slot < kSize; slot = NextSlot(slot + 1)) {
      best = std::max(best, Total(slot));
    }
    return best;
  }
  *last = kNoMoreDocs;
  double sum = 0;
  for (const auto& feed : feeds_) {
    float bound = 0;
    for (uint32_t i = feed->at; i < feed->count; ++i) {
      if (feed->docs[i] >= target) bound = std::max(bound, feed->scores[i]);
    }
    if (!feed->done) {
      DocId block_last;
      bound = std::max(bound, feed->scorer->MaxScore(std::max(target, feed->low), &block_last));
      *last = std::min(*last, block_last);
    }
    sum += bound;
    best = std::max(best, bound);
  }
  return BoundOfSum(combination_.Combine(sum, best));
}

DocId ScoreWindow::Advance(DocId target) {
  while (base_ != kNoMoreDocs && target != kNoMoreDocs) {
    if (filled_ && target < base_ + kSize) {
      const uint32_t slot = NextSlot(target <= base_ ? 0 : target - base_);
      if (slot < kSize) {
        slot_ = slot + 1;
        return base_ + slot;
      }
      target = base_ + kSize;
    }
    Fill(target);
  }
  return kNoMoreDocs;
}

}  // namespace tiercel::search
