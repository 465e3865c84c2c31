#include "tiercel/search/segment_collector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tiercel::search {
namespace {

constexpr uint32_t kBatch = 512;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

}  // namespace

SegmentCollector::SegmentCollector(const SegmentRef& ref, uint32_t segment_number, const TargetPlan& plan,
                                   const CollectOptions& options, const SearchEnvironment& environment,
                                   CollectProgress& progress)
    : ref_(ref),
      number_(segment_number),
      plan_(plan),
      options_(options),
      environment_(environment),
      progress_(progress),
      max_score_(kNone) {}

Status SegmentCollector::Open() {
  const bool by_score = plan_.sort.fields.empty();
  scores_needed_ = (by_score && options_.limit > 0) || plan_.sort.needs_scores() || options_.track_scores ||
                   options_.min_score.has_value();
  const bool counts_collected = options_.terminate_after > 0 && !by_score;  // as Elasticsearch does
  if (plan_.post_filter == nullptr && !options_.min_score && !counts_collected) {
    known_count_ = plan_.query->KnownCount(*ref_.view);
  }
  const bool only_hits = options_.aggregations == nullptr && options_.terminate_after == 0;
  prunable_ =
      by_score && options_.limit > 0 && only_hits && (known_count_ || options_.track_total_hits != kTotalHitsExact);
  if (by_score) {
    by_score_.emplace(options_.limit);
  } else {
    TIERCEL_TRY_ASSIGN(SegmentSorter sorter, SegmentSorter::Open(plan_.sort, *ref_.view->segment, ref_.doc_base));
    by_sort_.emplace(std::move(sorter), options_.limit);
  }
  if (options_.aggregations != nullptr) {
    TIERCEL_TRY_ASSIGN(aggregation_, options_.aggregations->NewCollector(*ref_.target, *ref_.view, environment_));
  }
  if (plan_.post_filter != nullptr) {
    TIERCEL_TRY_ASSIGN(post_filter_, plan_.post_filter->MakeScorer(*ref_.view, ScoreMode::kNoScores));
  }
  return {};
}

Result<SegmentOutcome> SegmentCollector::Run() {
  TIERCEL_TRY(Open());
  SegmentOutcome outcome;
  const bool count_only = options_.limit == 0 && options_.aggregations == nullptr && options_.terminate_after == 0;
  if (count_only && (known_count_ || options_.track_total_hits == kTotalHitsOff)) {
    total_ = known_count_.value_or(0);
  } else {
    const ScoreMode mode = !scores_needed_ ? ScoreMode::kNoScores
                           : prunable_     ? ScoreMode::kTopScores
                                           : ScoreMode::kScores;
    TIERCEL_TRY_ASSIGN(const std::unique_ptr<Scorer> scorer, plan_.query->MakeScorer(*ref_.view, mode));
    if (scorer != nullptr) {
      docs_.resize(kBatch);
      scores_.resize(scores_needed_ ? kBatch : 0);
      TIERCEL_TRY(Drain(*scorer));
      TIERCEL_TRY(scorer->status());
      if (post_filter_ != nullptr) TIERCEL_TRY(post_filter_->status());
    }
    if (known_count_ && !progress_.timed_out.load()) total_ = *known_count_;
  }
  outcome.total = total_;
  outcome.max_score = max_score_;
  if (by_score_) by_score_->AppendHits(number_, outcome.hits);
  if (by_sort_) TIERCEL_TRY(by_sort_->AppendHits(number_, outcome.hits));
  if (aggregation_ != nullptr) {
    TIERCEL_TRY_ASSIGN(outcome.partial, aggregation_->Finish());
  }
  return outcome;
}

Status SegmentCollector::Drain(Scorer& scorer) {
  const bool early_end = known_count_.has_value() && prunable_;
  while (true) {
    TIERCEL_TRY_ASSIGN(const bool stop, ShouldStop());
    if (stop) return {};
    uint32_t n = scorer.NextBatch(docs_, scores_);
    if (n == 0) return {};
    n = std::min(KeepMatching(n), RoomBeforeTermination());
    if (options_.terminate_after > 0) progress_.shard_collected[ref_.shard] += n;
    if (aggregation_ != nullptr && n > 0) TIERCEL_TRY(aggregation_->Collect(std::span(docs_).first(n)));
    if (plan_.post_filter != nullptr) {
      TIERCEL_TRY_ASSIGN(n, KeepPostFiltered(n));
    }
    TIERCEL_TRY(Collect(n));
    total_ += n;
    if (!prunable_) continue;
    const uint64_t counted = progress_.counted.fetch_add(n, std::memory_order_relaxed) + n;
    if (early_end || options_.track_total_hits < 0 || counted > static_cast<uint64_t>(options_.track_total_hits))
      Prune(scorer);
  }
}

void SegmentCollector::Prune(Scorer& scorer) {
  const float own = by_score_->score_to_beat();
  float shared = progress_.score_bound.load(std::memory_order_relaxed);
  while (own > shared && !progress_.score_bound.compare_exchange_weak(shared, own, std::memory_order_relaxed)) {
  }
  const float bound = std::max(own, std::nextafter(shared, -std::numeric_limits<float>::infinity()));
  if (bound > -std::numeric_limits<float>::max()) scorer.SetMinScore(bound);
}

uint32_t SegmentCollector::KeepMatching(uint32_t n) {
  const segment::LiveDocs* live = ref_.view->live.get();
  if (live == nullptr && !options_.min_score) return n;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (live != nullptr && !live->live(docs_[i])) continue;
    if (options_.min_score && !(scores_[i] >= *options_.min_score)) continue;
    docs_[kept] = docs_[i];
    if (scores_needed_) scores_[kept] = scores_[i];
    ++kept;
  }
  return kept;
}

Result<uint32_t> SegmentCollector::KeepPostFiltered(uint32_t n) {
  if (post_filter_ == nullptr) return 0u;  // nothing in the segment passes
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (!post_filter_started_ || post_filter_->doc() < docs_[i]) post_filter_->Advance(docs_[i]);
    post_filter_started_ = true;
    if (post_filter_->doc() != docs_[i]) continue;
    docs_[kept] = docs_[i];
    if (scores_needed_) scores_[kept] = scores_[i];
    ++kept;
  }
  return kept;
}

Status SegmentCollector::Collect(uint32_t n) {
  if (scores_needed_)
    for (uint32_t i = 0; i < n; ++i)
      if (!(scores_[i] <= max_score_)) max_score_ = scores_[i];
  if (by_score_) {
    if (options_.limit == 0) return {};
    for (uint32_t i = 0; i < n; ++i) by_score_->Offer(docs_[i], scores_[i]);
    return {};
  }
  for (uint32_t i = 0; i < n; ++i) TIERCEL_TRY(by_sort_->Offer(docs_[i], scores_needed_ ? scores_[i] : kNone));
  return {};
}

uint32_t SegmentCollector::RoomBeforeTermination() const {
  if (options_.terminate_after == 0) return std::numeric_limits<uint32_t>::max();
  return options_.terminate_after -
         static_cast<uint32_t>(std::min<uint64_t>(progress_.shard_collected[ref_.shard], options_.terminate_after));
}

Result<bool> SegmentCollector::ShouldStop() {
  if (RoomBeforeTermination() == 0) {
    progress_.terminated_early = true;
    return true;
  }
  if (progress_.timed_out.load(std::memory_order_relaxed)) return true;
  bool late = options_.deadline_ns != runtime::Cancellation::kNoDeadline &&
              environment_.clock->MonotonicNs() >= options_.deadline_ns;
  if (environment_.cancellation != nullptr) {
    if (Status status = environment_.cancellation->Check(); !status.ok()) {
      if (status.code() != Code::kDeadlineExceeded) return status;
      late = true;
    }
  }
  if (late) progress_.timed_out = true;
  return late;
}

}  // namespace tiercel::search
