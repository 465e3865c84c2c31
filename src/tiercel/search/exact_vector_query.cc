#include "tiercel/search/exact_vector_query.h"

#include <algorithm>

#include "tiercel/search/row_measure.h"

namespace tiercel::search {
namespace {

using segment::VectorColumn;

// What both scorers share: scores of rows of one segment.
class RowScores {
 public:
  RowScores(const BoundKnn& knn, const VectorColumn& column, std::span<const float> magnitudes)
      : knn_(knn), column_(column), magnitudes_(magnitudes), measure_(*knn.vector) {}

  // Scores of up to RowMeasure::kBatch rows from `first` on that lie together, before the boost; how many there were.
  Result<uint32_t> Bulk(uint32_t first, uint32_t limit, float* scores) {
    TIERCEL_TRY_ASSIGN(const VectorColumn::Run run, column_.BorrowRun(first, std::min(limit, RowMeasure::kBatch)));
    measure_.Bulk(run.bytes.data(), run.stride, run.rows, scores);
    for (uint32_t i = 0; i < run.rows; ++i) {
      if (!magnitudes_.empty()) scores[i] *= knn_.vector->CosineFactor(magnitudes_[first + i]);
      scores[i] = knn_.vector->Score(scores[i]);
    }
    return run.rows;
  }
  bool Passes(float score) const { return !knn_.score_min || score >= *knn_.score_min; }

 private:
  const BoundKnn& knn_;
  const VectorColumn& column_;
  std::span<const float> magnitudes_;
  RowMeasure measure_;
};

// Every row, a batch at a time.
class AllRowsScorer final : public Scorer {
 public:
  AllRowsScorer(const BoundKnn& knn, const VectorColumn& column, std::span<const float> magnitudes)
      : knn_(knn), column_(column), scores_(knn, column, magnitudes) {}

  DocId doc() const override { return doc_; }
  DocId Next() override { return MoveTo(next_row_); }
  DocId Advance(DocId target) override {
    // The first row of a document at or after the target.
    uint32_t low = next_row_, high = column_.count();
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (column_.doc_of(middle) < target)
        low = middle + 1;
      else
        high = middle;
    }
    return MoveTo(low);
  }
  float Score() override { return score_ * knn_.boost; }
  uint64_t cost() const override { return column_.count(); }
  const Status& status() const override { return status_; }

 private:
  DocId MoveTo(uint32_t row) {
    for (; row < column_.count(); ++row) {
      if (row < batch_first_ || row >= batch_first_ + batch_rows_) {
        const Result<uint32_t> rows = scores_.Bulk(row, column_.count() - row, batch_);
        if (!rows.ok()) {
          status_ = rows.status();
          break;
        }
        batch_first_ = row;
        batch_rows_ = *rows;
      }
      score_ = batch_[row - batch_first_];
      if (!scores_.Passes(score_)) continue;
      next_row_ = row + 1;
      return doc_ = column_.doc_of(row);
    }
    next_row_ = column_.count();
    return doc_ = kNoMoreDocs;
  }

  const BoundKnn& knn_;
  const VectorColumn& column_;
  RowScores scores_;
  Status status_;
  DocId doc_ = 0;
  float score_ = 0;
  uint32_t next_row_ = 0, batch_first_ = 0, batch_rows_ = 0;
  float batch_[RowMeasure::kBatch];
};

// What passes the filter.
class FilteredRowsScorer final : public Scorer {
 public:
  FilteredRowsScorer(const BoundKnn& knn, const VectorColumn* column, std::span<const float> magnitudes,
                     std::unique_ptr<Scorer> filter)
      : knn_(knn), column_(column), filter_(std::move(filter)) {
    if (column != nullptr) scores_.emplace(knn, *column, magnitudes);
  }

  DocId doc() const override { return doc_; }
  DocId Next() override { return Settle(filter_->Next()); }
  DocId Advance(DocId target) override { return Settle(filter_->Advance(target)); }
  float Score() override { return score_ * knn_.boost; }
  uint64_t cost() const override { return filter_->cost(); }
  const Status& status() const override { return status_.ok() ? filter_->status() : status_; }

 private:
  DocId Settle(DocId doc) {
    for (; doc != kNoMoreDocs; doc = filter_->Next()) {
      const std::optional<uint32_t> row = column_ != nullptr ? column_->row_of(doc) : std::nullopt;
      score_ = 0;
      if (row) {
        const Result<uint32_t> rows = scores_->Bulk(*row, 1, &score_);
        if (!rows.ok()) {
          status_ = rows.status();
          break;
        }
      }
      if (!knn_.score_min || (row && scores_->Passes(score_))) return doc_ = doc;
    }
    return doc_ = kNoMoreDocs;
  }

  const BoundKnn& knn_;
  const VectorColumn* column_;
  std::unique_ptr<Scorer> filter_;
  std::optional<RowScores> scores_;
  Status status_;
  DocId doc_ = 0;
  float score_ = 0;
};

class ExactVectorQuery final : public Query {
 public:
  explicit ExactVectorQuery(BoundKnn knn) : knn_(std::move(knn)) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const segment::SegmentView& view, ScoreMode) const override {
    const VectorColumn* column = view.segment->vector(knn_.field);
    std::span<const float> magnitudes;
    if (column != nullptr && knn_.vector->similarity == mapping::Similarity::kCosine) {
      TIERCEL_TRY_ASSIGN(magnitudes, column->magnitudes());
    }
    if (knn_.filter == nullptr) {
      if (column == nullptr) return std::unique_ptr<Scorer>();
      return std::unique_ptr<Scorer>(std::make_unique<AllRowsScorer>(knn_, *column, magnitudes));
    }
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> filter, knn_.filter->MakeScorer(view, ScoreMode::kNoScores));
    if (filter == nullptr) return std::unique_ptr<Scorer>();
    return std::unique_ptr<Scorer>(std::make_unique<FilteredRowsScorer>(knn_, column, magnitudes, std::move(filter)));
  }

 private:
  const BoundKnn knn_;
};

}  // namespace

std::unique_ptr<Query> MakeExactVectorQuery(BoundKnn knn) { return std::make_unique<ExactVectorQuery>(std::move(knn)); }

}  // namespace tiercel::search
