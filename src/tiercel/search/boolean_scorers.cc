#include "tiercel/search/boolean_scorers.h"

#include <algorithm>

namespace tiercel::search {

float BoundOfSum(double sum_of_bounds) { return static_cast<float>(sum_of_bounds * (1 + 1e-6)); }

ConjunctionScorer::ConjunctionScorer(std::vector<std::unique_ptr<Scorer>> children, const std::vector<size_t>& scoring)
    : children_(std::move(children)) {
  for (const size_t index : scoring) scoring_.push_back(children_[index].get());
  std::stable_sort(children_.begin(), children_.end(),
                   [](const auto& a, const auto& b) { return a->cost() < b->cost(); });
  lead_ = children_[0].get();
  for (size_t i = 1; i < children_.size(); ++i) followers_.push_back(children_[i].get());
  started_.assign(followers_.size(), false);
}

DocId ConjunctionScorer::Align(DocId candidate) {
  size_t agreed = 0;
  while (candidate != kNoMoreDocs) {
    if (min_score_ > 0 && (!hopeful_last_ || candidate > *hopeful_last_)) {
      DocId last;
      if (MaxScore(candidate, &last) <= min_score_) {
        candidate = lead_->Advance(last == kNoMoreDocs ? kNoMoreDocs : last + 1);
        continue;
      }
      hopeful_last_ = last;
    }
    for (agreed = 0; agreed < followers_.size(); ++agreed) {
      Scorer* follower = followers_[agreed];
      const DocId at =
          started_[agreed] && follower->doc() >= candidate ? follower->doc() : follower->Advance(candidate);
      started_[agreed] = true;
      if (at != candidate) {
        candidate = at == kNoMoreDocs ? kNoMoreDocs : lead_->Advance(at);
        break;
      }
    }
    if (agreed == followers_.size()) break;
  }
  return doc_ = candidate;
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
  return lead_->status();
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

void OptionalScorer::SetMinScore(float score) {
  if (score <= min_score_) return;
  min_score_ = score;
  hopeful_last_.reset();
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
