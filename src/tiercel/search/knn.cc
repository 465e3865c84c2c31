#include "tiercel/search/knn.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tiercel/search/row_measure.h"

namespace tiercel::search {
namespace {

using mapping::ElementType;
using mapping::Similarity;
using segment::VectorColumn;

constexpr uint32_t kBatch = RowMeasure::kBatch;
constexpr uint32_t kRowsBetweenChecks = 8192;
constexpr uint32_t kRangeRowsMin = 4096;  // smaller ranges cost more to hand out than they win

bool Better(const ScoredDoc& a, const ScoredDoc& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.segment != b.segment ? a.segment < b.segment : a.doc < b.doc;
}

// The documents a filter lets through, live ones only.
struct DocSet {
  std::vector<uint64_t> words;
  uint32_t count = 0;
  bool contains(DocId doc) const { return (words[doc / 64] >> (doc % 64)) & 1; }
  // The first member in [doc, end), or `end`.
  DocId NextFrom(DocId doc, DocId end) const {
    while (doc < end) {
      const uint64_t word = words[doc / 64] >> (doc % 64);
      if (word != 0) return std::min(end, doc + static_cast<DocId>(std::countr_zero(word)));
      doc = (doc / 64 + 1) * 64;
    }
    return end;
  }
};

// One stretch of work: rows [first, last) of a segment's column.
struct RowRange {
  uint32_t segment;
  uint32_t first, last;
};

struct SegmentWork {
  const segment::SegmentView* view = nullptr;
  const VectorColumn* column = nullptr;
  std::span<const float> magnitudes;
  std::optional<DocSet> accepted;  // under a filter
  bool by_address = false;         // few enough accepted rows to score them alone
};

// Scores rows of one segment and keeps the best k of a range.
class RangeScorer {
 public:
  RangeScorer(const KnnSearch& search, const SegmentWork& work, uint32_t segment_index)
      : search_(search), vector_(*search.vector), work_(work), segment_(segment_index) {}

  Status Scan(uint32_t first, uint32_t last, const runtime::Cancellation* cancellation) {
    uint32_t unchecked = kRowsBetweenChecks;
    while (first < last) {
      TIERCEL_TRY_ASSIGN(const VectorColumn::Run run, work_.column->BorrowRun(first, last - first));
      for (uint32_t at = 0; at < run.rows; at += kBatch) {
        const uint32_t n = std::min(kBatch, run.rows - at);
        if ((unchecked += n) >= kRowsBetweenChecks && cancellation != nullptr) {
          TIERCEL_TRY(cancellation->Check());
          unchecked = 0;
        }
        measure_.Bulk(run.bytes.data() + size_t{at} * run.stride, run.stride, n, raw_);
        for (uint32_t i = 0; i < n; ++i) Offer(raw_[i], first + at + i);
      }
      first += run.rows;
    }
    return {};
  }

  // Only the accepted rows of the range, by their addresses.
  Status ScoreAccepted(uint32_t first, uint32_t last, const runtime::Cancellation* cancellation) {
    cache::BorrowScratch scratch;
    std::vector<uint32_t> rows;
    std::vector<uint64_t> offsets;
    DocId doc = work_.column->doc_of(first);
    const DocId end = work_.column->doc_of(last - 1) + 1;
    while (doc < end) {
      rows.clear();
      offsets.clear();
      for (; rows.size() < kBatch && (doc = work_.accepted->NextFrom(doc, end)) < end; ++doc) {
        const std::optional<uint32_t> row = work_.column->row_of(doc);
        if (!row) continue;
        rows.push_back(*row);
        offsets.push_back(work_.column->row_offset(*row));
      }
      if (rows.empty()) break;
      TIERCEL_TRY(work_.column->input().BorrowMany(offsets, work_.column->row_bytes(), scratch));
      measure_.ByAddress(scratch.rows.data(), rows.size(), raw_);
      for (size_t i = 0; i < rows.size(); ++i) Offer(raw_[i], rows[i]);
      if (cancellation != nullptr) TIERCEL_TRY(cancellation->Check());
    }
    return {};
  }

  void AppendHits(std::vector<ScoredDoc>& out) const {
    for (const Hit& hit : hits_) out.push_back({segment_, hit.doc, hit.score});
  }

 private:
  struct Hit {
    float score;
    float goodness;  // the raw measure, turned so that more is better
    DocId doc;
  };
  static bool BetterHit(const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.doc < b.doc; }

  // Scores never rise when the raw measure gets worse, and rows come in ascending order of documents: a row that is no
  // better than the worst kept hit by its raw measure cannot replace it.
  void Offer(float raw, uint32_t row) {
    if (!work_.magnitudes.empty()) raw *= vector_.CosineFactor(work_.magnitudes[row]);
    const float goodness = smaller_is_better_ ? -raw : raw;
    const bool full = hits_.size() >= search_.k;
    if (std::isnan(raw) || (full && goodness <= hits_.front().goodness)) return;
    const DocId doc = work_.column->doc_of(row);
    if (work_.accepted ? !work_.accepted->contains(doc) : !work_.view->IsLive(doc)) return;
    const Hit hit{vector_.Score(raw), goodness, doc};
    if (search_.score_min && !(hit.score >= *search_.score_min)) return;
    if (full) {
      if (!BetterHit(hit, hits_.front())) return;
      std::pop_heap(hits_.begin(), hits_.end(), BetterHit);
      hits_.pop_back();
    }
    hits_.push_back(hit);
    std::push_heap(hits_.begin(), hits_.end(), BetterHit);
  }

  const KnnSearch& search_;
  const VectorQuery& vector_;
  const SegmentWork& work_;
  const uint32_t segment_;
  const bool smaller_is_better_ = search_.vector->smaller_is_better();
  RowMeasure measure_{*search_.vector};
  std::vector<Hit> hits_;  // a heap with the worst in front
  float raw_[kBatch];
};

Result<DocSet> AcceptedDocs(const Query& filter, const segment::SegmentView& view,
                            const runtime::Cancellation* cancellation) {
  DocSet accepted;
  accepted.words.assign(view.segment->doc_count() / 64 + 1, 0);
  TIERCEL_TRY_ASSIGN(const std::unique_ptr<Scorer> scorer, filter.MakeScorer(view, ScoreMode::kNoScores));
  if (scorer == nullptr) return accepted;
  std::vector<DocId> docs(1024);
  while (const uint32_t n = scorer->NextBatch(docs, {})) {
    for (uint32_t i = 0; i < n; ++i) {
      if (!view.IsLive(docs[i])) continue;
      accepted.words[docs[i] / 64] |= uint64_t{1} << (docs[i] % 64);
      ++accepted.count;
    }
    if (cancellation != nullptr) TIERCEL_TRY(cancellation->Check());
  }
  TIERCEL_TRY(scorer->status());
  return accepted;
}

Status Prepare(const KnnSearch& search, const runtime::Cancellation* cancellation, SegmentWork& work) {
  work.column = work.view->segment->vector(search.field);
  if (work.column == nullptr) return {};
  const VectorQuery& vector = *search.vector;
  if (work.column->dims() != vector.dims || work.column->element() != vector.element) {
    return Corruption(work.view->segment->name() + ": vectors of [" + search.field + "] do not fit its mapping");
  }
  if (vector.element != ElementType::kBit && vector.similarity == Similarity::kCosine) {
    TIERCEL_TRY_ASSIGN(work.magnitudes, work.column->magnitudes());
    if (work.magnitudes.size() != work.column->count())
      return Corruption(work.view->segment->name() + ": magnitudes of [" + search.field + "] are missing");
  }
  if (search.filter == nullptr) return {};
  TIERCEL_TRY_ASSIGN(work.accepted, AcceptedDocs(*search.filter, *work.view, cancellation));
  work.by_address = work.accepted->count < work.column->count() / 2;
  if (work.accepted->count == 0) work.column = nullptr;
  return {};
}

void For(const SearchEnvironment& environment, size_t count, const std::function<void(size_t)>& body) {
  if (environment.pool != nullptr && count > 1) {
    environment.pool->ParallelFor(count, body);
  } else {
    for (size_t i = 0; i < count; ++i) body(i);
  }
}

Status FirstError(const std::vector<Status>& statuses) {
  for (const Status& status : statuses)
    if (!status.ok()) return status;
  return {};
}

// Ranges small enough to keep every core busy to the end, large enough not to matter.
std::vector<RowRange> SplitRows(const std::vector<SegmentWork>& work, const SearchEnvironment& environment) {
  uint64_t rows = 0;
  for (const SegmentWork& w : work) rows += w.column != nullptr ? w.column->count() : 0;
  const uint64_t workers = environment.pool != nullptr ? environment.pool->threads() + 1 : 1;
  const auto step = static_cast<uint32_t>(std::clamp<uint64_t>(rows / (workers * 4), kRangeRowsMin, 1u << 20));
  std::vector<RowRange> ranges;
  for (uint32_t s = 0; s < work.size(); ++s) {
    const uint32_t count = work[s].column != nullptr ? work[s].column->count() : 0;
    for (uint32_t first = 0; first < count;) {
      const uint32_t last = count - first < step + step / 2 ? count : first + step;
      ranges.push_back({s, first, last});
      first = last;
    }
  }
  return ranges;
}

void KeepBest(std::vector<ScoredDoc>& hits, uint32_t k) {
  const size_t kept = std::min<size_t>(hits.size(), k);
  std::partial_sort(hits.begin(), hits.begin() + static_cast<ptrdiff_t>(kept), hits.end(), Better);
  hits.resize(kept);
}

}  // namespace

Result<std::vector<ScoredDoc>> FindNearest(const KnnSearch& search, std::span<const segment::SegmentView> segments,
                                           const SearchEnvironment& environment) {
  std::vector<SegmentWork> work(segments.size());
  std::vector<Status> statuses(segments.size());
  for (size_t i = 0; i < segments.size(); ++i) work[i].view = &segments[i];
  For(environment, search.filter != nullptr ? segments.size() : 0,
      [&](size_t i) { statuses[i] = Prepare(search, environment.cancellation, work[i]); });
  if (search.filter == nullptr)
    for (size_t i = 0; i < segments.size(); ++i) statuses[i] = Prepare(search, nullptr, work[i]);
  TIERCEL_TRY(FirstError(statuses));

  const std::vector<RowRange> ranges = SplitRows(work, environment);
  std::vector<std::vector<ScoredDoc>> found(ranges.size());
  statuses.assign(ranges.size(), Status());
  For(environment, ranges.size(), [&](size_t i) {
    const RowRange& range = ranges[i];
    RangeScorer scorer(search, work[range.segment], range.segment);
    statuses[i] = work[range.segment].by_address
                      ? scorer.ScoreAccepted(range.first, range.last, environment.cancellation)
                      : scorer.Scan(range.first, range.last, environment.cancellation);
    scorer.AppendHits(found[i]);
  });
  TIERCEL_TRY(FirstError(statuses));

  std::vector<ScoredDoc> hits;
  for (const std::vector<ScoredDoc>& part : found) hits.insert(hits.end(), part.begin(), part.end());
  KeepBest(hits, search.k);
  for (ScoredDoc& hit : hits) hit.score *= search.boost;
  return hits;
}

}  // namespace tiercel::search
