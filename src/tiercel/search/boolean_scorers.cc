#include "tiercel/search/boolean_scorers.h"

#include <algorithm>
#include <limits>

namespace tiercel::search {

float BoundOfSum(double sum_of_bounds) { return static_cast<float>(sum_of_bounds * (1 + 1e-6)); }

ConjunctionScorer::ConjunctionScorer(std::vector<std::unique_ptr<Scorer>> children, const std::vector<size_t>& scoring)
    : children_(std::move(children)), placed_(std::make_unique<bool[]>(children_.size())) {
  for (const size_t index : scoring) scoring_.push_back(children_[index].get());
  std::stable_sort(children_.begin(), children_.end(),
                   [](const auto& a, const auto& b) { return a->cost() < b->cost(); });
  source_ = ChooseSource();
}

size_t ConjunctionScorer::ChooseSource() const {
  constexpr uint64_t kCostMax = 8;  // times the lead's
  if (scoring_.empty()) return 0;
  if (scoring_.size() > 1) return kNone;
  for (size_t i = 0; i < children_.size(); ++i) {
    if (children_[i].get() == scoring_[0]) return children_[i]->cost() / kCostMax <= cost() ? i : kNone;
  }
  return kNone;
}

DocId ConjunctionScorer::AdvanceChild(size_t index, DocId target) {
  Scorer& child = *children_[index];
  if (placed_[index] && child.doc() >= target) return child.doc();
  placed_[index] = true;
  return child.Advance(target);
}

DocId ConjunctionScorer::Next() {
  placed_[0] = true;
  return Align(children_[0]->Next());
}

DocId ConjunctionScorer::Advance(DocId target) {
  if (doc_ == kNoMoreDocs) return doc_;
  return Align(AdvanceChild(0, std::max(target, unread_)));
}

DocId ConjunctionScorer::Align(DocId candidate) {
  while (candidate != kNoMoreDocs) {
    if (min_score_ > 0 && (!hopeful_last_ || candidate > *hopeful_last_)) {
      DocId last;
      if (MaxScore(candidate, &last) <= min_score_) {
        candidate = AdvanceChild(0, last == kNoMoreDocs ? kNoMoreDocs : last + 1);
        continue;
      }
      hopeful_last_ = last;
    }
    DocId furthest = candidate;
    for (size_t i = 1; i < children_.size() && furthest == candidate; ++i) furthest = AdvanceChild(i, candidate);
    if (furthest == candidate) break;
    candidate = furthest == kNoMoreDocs ? kNoMoreDocs : AdvanceChild(0, furthest);
  }
  return doc_ = candidate;
}

uint32_t ConjunctionScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  if (source_ == kNone) return Scorer::NextBatch(docs, scores);
  if (doc_ == kNoMoreDocs) return 0;
  const std::span<float> kept_scores = scoring_.empty() ? std::span<float>() : scores;
  while (uint32_t count = children_[source_]->NextBatch(docs, kept_scores)) {
    placed_[source_] = false;
    unread_ = docs[count - 1] + 1;
    for (size_t i = 0; i < children_.size() && count > 0; ++i) {
      if (i == source_) continue;
      count = children_[i]->Retain(docs.first(count), kept_scores.empty() ? kept_scores : kept_scores.first(count),
                                   placed_[i]);
    }
    if (count == 0) continue;
    if (scoring_.empty() && !scores.empty()) std::fill_n(scores.begin(), count, 0.0f);
    return count;
  }
  doc_ = kNoMoreDocs;
  return 0;
}

float ConjunctionScorer::Score() {
  double sum = 0;
  for (Scorer* scorer : scoring_) sum += scorer->Score();
  return static_cast<float>(sum);
}

const Status& ConjunctionScorer::status() const {
  for (const auto& child : children_) {
    if (!child->status().ok()) return child->status();
  }
  return children_[0]->status();
}

float ConjunctionScorer::MaxScore(DocId target, DocId* last) {
  double sum = 0;
  *last = kNoMoreDocs;
  for (Scorer* scorer : scoring_) {
    DocId child_last;
    sum += scorer->MaxScore(target, &child_last);
    *last = std::min(*last, child_last);
  }
  return BoundOfSum(sum);
}

void ConjunctionScorer::SetMinScore(float score) {
  if (score <= min_score_) return;
  min_score_ = score;
  hopeful_last_.reset();
  if (scoring_.size() == 1) scoring_[0]->SetMinScore(score);
}

bool ExclusionScorer::Excluded(DocId doc) {
  const DocId at = started_ && excluded_->doc() >= doc ? excluded_->doc() : excluded_->Advance(doc);
  started_ = true;
  return at == doc;
}

DocId ExclusionScorer::Settle(DocId doc) {
  while (doc != kNoMoreDocs && Excluded(doc)) doc = required_->Next();
  return doc;
}

uint32_t ExclusionScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  while (const uint32_t count = required_->NextBatch(docs, scores)) {
    unread_ = docs[count - 1] + 1;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (Excluded(docs[i])) continue;
      docs[kept] = docs[i];
      if (!scores.empty()) scores[kept] = scores[i];
      ++kept;
    }
    if (kept > 0) return kept;
  }
  return 0;
}

float OptionalScorer::Score() {
  const DocId doc = required_->doc();
  const DocId at = started_ && optional_->doc() >= doc ? optional_->doc() : optional_->Advance(doc);
  started_ = true;
  return at == doc ? required_->Score() + optional_->Score() : required_->Score();
}

float OptionalScorer::MaxScore(DocId target, DocId* last) {
  DocId optional_last;
  const double sum =
      static_cast<double>(required_->MaxScore(target, last)) + optional_->MaxScore(target, &optional_last);
  *last = std::min(*last, optional_last);
  return BoundOfSum(sum);
}

float OptionalScorer::BoundOptional() {
  constexpr int kBlocksMax = 64;  // more would cost more than knowing saves
  float bound = 0;
  DocId target = 0;
  for (int i = 0; i < kBlocksMax && target != kNoMoreDocs; ++i) {
    DocId last;
    bound = std::max(bound, optional_->MaxScore(target, &last));
    target = last == kNoMoreDocs ? kNoMoreDocs : last + 1;
  }
  return target == kNoMoreDocs ? bound : std::numeric_limits<float>::infinity();
}

uint32_t OptionalScorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  if (!optional_bound_ && !started_) optional_bound_ = BoundOptional();
  const uint32_t count = required_->NextBatch(docs, scores);
  if (scores.empty()) return count;
  for (uint32_t i = 0; i < count; ++i) {
    const DocId at = started_ && optional_->doc() >= docs[i] ? optional_->doc() : optional_->Advance(docs[i]);
    started_ = true;
    if (at == docs[i]) scores[i] += optional_->Score();
  }
  return count;
}

void OptionalScorer::SetMinScore(float score) {
  if (score <= min_score_) return;
  min_score_ = score;
  hopeful_last_.reset();
  if (!optional_bound_) return;
  // What the sum needs beyond the most that the optional part can give, with room for rounding.
  const double rest = double{score} - *optional_bound_ - 1e-6 * (double{score} + *optional_bound_);
  if (rest > 0) required_->SetMinScore(static_cast<float>(rest));
}

DocId OptionalScorer::SkipHopelessBlocks(DocId doc) {
  if (min_score_ <= 0) return doc;
  while (doc != kNoMoreDocs && (!hopeful_last_ || doc > *hopeful_last_)) {
    DocId last;
    if (MaxScore(doc, &last) > min_score_) {
      hopeful_last_ = last;
      break;
    }
    doc = required_->Advance(last == kNoMoreDocs ? kNoMoreDocs : last + 1);
  }
  return doc;
}

}  // namespace tiercel::search
