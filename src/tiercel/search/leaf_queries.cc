#include "tiercel/search/leaf_queries.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "tiercel/search/column_scorer.h"
#include "tiercel/search/constant_scorer.h"
#include "tiercel/search/disjunction_scorer.h"

namespace tiercel::search {
namespace {

using segment::NumericColumn;
using segment::SegmentView;

class MatchNoneQuery final : public Query {
 public:
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView&, ScoreMode) const override {
    return std::unique_ptr<Scorer>();
  }
  std::optional<uint64_t> KnownCount(const SegmentView&) const override { return 0; }
};

class MatchAllQuery final : public Query {
 public:
  explicit MatchAllQuery(float score) : score_(score) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    return std::unique_ptr<Scorer>(std::make_unique<AllDocsScorer>(view.segment->doc_count(), score_));
  }
  std::optional<uint64_t> KnownCount(const SegmentView& view) const override { return view.live_count(); }

 private:
  const float score_;
};

class NumericRangeQuery final : public Query {
 public:
  NumericRangeQuery(std::string_view field, int64_t low, int64_t high, float score)
      : field_(field), low_(low), high_(high), score_(score) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    const NumericColumn* column = view.segment->numeric(field_);
    if (column == nullptr) return std::unique_ptr<Scorer>();
    return MakeRangeScorer(*column, low_, high_, score_);
  }

 private:
  const std::string field_;
  const int64_t low_, high_;
  const float score_;
};

class NumericSetQuery final : public Query {
 public:
  NumericSetQuery(std::string_view field, std::vector<int64_t> values, float score)
      : field_(field), values_(std::move(values)), score_(score) {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    const NumericColumn* column = view.segment->numeric(field_);
    if (column == nullptr) return std::unique_ptr<Scorer>();
    return MakeValueSetScorer(*column, values_, score_);
  }

 private:
  const std::string field_;
  std::vector<int64_t> values_;
  const float score_;
};

// Booleans are scored as terms are, but lie in a column: counting them costs a pass over it, made only when a score is
// wanted.
class BooleanTermQuery final : public Query {
 public:
  BooleanTermQuery(std::vector<const NumericColumn*> columns,
                   std::vector<std::shared_ptr<const segment::Segment>> segments, std::string field, bool value,
                   float boost)
      : columns_(std::move(columns)),
        segments_(std::move(segments)),
        field_(std::move(field)),
        value_(value),
        boost_(boost) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    const NumericColumn* column = view.segment->numeric(field_);
    if (column == nullptr) return std::unique_ptr<Scorer>();
    float score = 0;
    if (mode != ScoreMode::kNoScores) {
      std::call_once(counted_, [this] { CountOnce(); });
      TIERCEL_TRY(count_status_);
      score = score_;
    }
    return MakeRangeScorer(*column, value_, value_, score);
  }

 private:
  void CountOnce() const {
    FieldStatistics field;
    uint64_t doc_freq = 0;
    for (const NumericColumn* column : columns_) {
      field.doc_count += column->docs_with_value();
      field.sum_total_term_freq += column->value_count();
      const Result<uint64_t> count = CountInRange(*column, value_, value_);
      if (!count.ok()) {
        count_status_ = count.error();
        return;
      }
      doc_freq += *count;
    }
    score_ = Bm25(boost_, InverseDocumentFrequency(doc_freq, field.doc_count), field).Score(1, Bm25::kNoNorm);
  }

  const std::vector<const NumericColumn*> columns_;
  const std::vector<std::shared_ptr<const segment::Segment>> segments_;  // keep the columns alive
  const std::string field_;
  const bool value_;
  const float boost_;
  mutable std::once_flag counted_;
  mutable Status count_status_;
  mutable float score_ = 0;
};

class IdsQuery final : public Query {
 public:
  IdsQuery(std::vector<std::string> ids, float score) : ids_(std::move(ids)), score_(score) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    std::vector<ListScorer::Entry> entries;
    for (const std::string& id : ids_) {
      TIERCEL_TRY_ASSIGN(const std::optional<DocId> doc, view.segment->FindId(id));
      if (doc) entries.push_back({*doc, score_});
    }
    if (entries.empty()) return std::unique_ptr<Scorer>();
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.doc < b.doc; });
    entries.erase(
        std::unique(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.doc == b.doc; }),
        entries.end());
    return std::unique_ptr<Scorer>(std::make_unique<ListScorer>(std::move(entries)));
  }

 private:
  const std::vector<std::string> ids_;
  const float score_;
};

class ExistsQuery final : public Query {
 public:
  struct Leaf {
    std::string name;
    mapping::FieldType type;
  };
  ExistsQuery(std::vector<Leaf> leaves, float score) : leaves_(std::move(leaves)), score_(score) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    std::vector<std::unique_ptr<Scorer>> scorers;
    for (const Leaf& leaf : leaves_) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> scorer, LeafScorer(*view.segment, leaf));
      if (scorer) scorers.push_back(std::move(scorer));
    }
    if (scorers.empty()) return std::unique_ptr<Scorer>();
    if (scorers.size() == 1) return std::move(scorers[0]);
    const bool scored = mode != ScoreMode::kNoScores;
    return std::unique_ptr<Scorer>(
        std::make_unique<ConstantScorer>(MakeDisjunctionScorer(std::move(scorers), 1, {.best = true}, scored), score_));
  }

 private:
  Result<std::unique_ptr<Scorer>> LeafScorer(const segment::Segment& segment, const Leaf& leaf) const {
    if (const NumericColumn* column = segment.numeric(leaf.name)) return MakeHasValueScorer(*column, score_);
    if (const segment::KeywordColumn* column = segment.keyword(leaf.name)) return MakeHasValueScorer(*column, score_);
    DocBits bits(segment.doc_count());
    if (const segment::VectorColumn* column = segment.vector(leaf.name)) {
      for (uint32_t row = 0; row < column->count(); ++row) bits.Set(column->doc_of(row));
    } else if (const segment::Norms* norms = segment.norms(leaf.name)) {
      if (norms->docs_with_field() == segment.doc_count()) {
        return std::unique_ptr<Scorer>(std::make_unique<AllDocsScorer>(segment.doc_count(), score_));
      }
      for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
        if (norms->has(doc)) bits.Set(doc);
      }
    } else if (const segment::TermIndex* terms = segment.terms(leaf.name)) {
      TIERCEL_TRY(AddAllPostings(*terms, bits));
    } else {
      return std::unique_ptr<Scorer>();
    }
    return std::unique_ptr<Scorer>(std::make_unique<BitSetScorer>(std::move(bits), score_, runtime::MemoryCharge()));
  }

  static Status AddAllPostings(const segment::TermIndex& terms, DocBits& bits) {
    TIERCEL_TRY_ASSIGN(const std::unique_ptr<segment::TermsCursor> cursor, terms.Terms(""));
    while (cursor->valid()) {
      TIERCEL_TRY_ASSIGN(const std::unique_ptr<segment::PostingsCursor> postings, terms.Postings(*cursor));
      for (DocId doc = postings->Next(); doc != kNoMoreDocs; doc = postings->Next()) bits.Set(doc);
      TIERCEL_TRY(postings->status());
      TIERCEL_TRY(cursor->Next());
    }
    return {};
  }

  const std::vector<Leaf> leaves_;
  const float score_;
};

}  // namespace

std::unique_ptr<Query> MakeMatchNone() { return std::make_unique<MatchNoneQuery>(); }

std::unique_ptr<Query> MakeMatchAll(float boost) { return std::make_unique<MatchAllQuery>(boost); }

std::unique_ptr<Query> MakeNumericRangeQuery(std::string_view field, int64_t low, int64_t high, float boost) {
  if (low > high) return MakeMatchNone();
  return std::make_unique<NumericRangeQuery>(field, low, high, boost);
}

std::unique_ptr<Query> MakeNumericSetQuery(std::string_view field, std::vector<int64_t> values, float boost) {
  if (values.empty()) return MakeMatchNone();
  return std::make_unique<NumericSetQuery>(field, std::move(values), boost);
}

Result<std::unique_ptr<Query>> MakeBooleanTermQuery(Binder& binder, const mapping::Field& field, bool value,
                                                    float boost) {
  std::vector<const NumericColumn*> columns;
  std::vector<std::shared_ptr<const segment::Segment>> segments;
  TIERCEL_TRY(binder.ForEachSegment([&](const SegmentView& view) -> Status {
    if (const NumericColumn* column = view.segment->numeric(field.name)) {
      columns.push_back(column);
      segments.push_back(view.segment);
    }
    return {};
  }));
  return std::unique_ptr<Query>(
      std::make_unique<BooleanTermQuery>(std::move(columns), std::move(segments), field.name, value, boost));
}

std::unique_ptr<Query> MakeExistsQuery(std::vector<const mapping::Field*> fields, float boost) {
  std::vector<ExistsQuery::Leaf> leaves;
  for (const mapping::Field* field : fields) leaves.push_back({field->name, field->type});
  if (leaves.empty()) return MakeMatchNone();
  return std::make_unique<ExistsQuery>(std::move(leaves), boost);
}

std::unique_ptr<Query> MakeIdsQuery(std::vector<std::string> ids, float boost) {
  if (ids.empty()) return MakeMatchNone();
  return std::make_unique<IdsQuery>(std::move(ids), boost);
}

}  // namespace tiercel::search
