#include <algorithm>
#include <array>

#include "tiercel/search/column_scorer.h"
#include "tiercel/search/constant_scorer.h"
#include "tiercel/search/leaf_queries.h"
#include "tiercel/search/phrase_scorer.h"
#include "tiercel/search/term_scorer.h"
#include "tiercel/search/wildcard_pattern.h"

namespace tiercel::search {
namespace {

using segment::Ordinal;
using segment::PostingsCursor;
using segment::SegmentView;
using segment::TermIndex;

// Above this many terms in a range, comparing ordinals in the column is cheaper than reading the postings of each.
constexpr Ordinal kPostingsTermsMax = 64;

// Which field a scored query looks at.
struct ScoredField {
  std::string name;
  bool norms;

  explicit ScoredField(const mapping::Field& field) : name(field.name), norms(field.norms) {}
  ByteSpan NormsIn(const segment::Segment& segment) const {
    const segment::Norms* lengths = norms ? segment.norms(name) : nullptr;
    return lengths == nullptr ? ByteSpan() : lengths->bytes();
  }
};

class TermQuery final : public Query {
 public:
  TermQuery(ScoredField field, std::string term, const Bm25& bm25)
      : field_(std::move(field)), term_(std::move(term)), bm25_(bm25) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    const TermIndex* terms = view.segment->terms(field_.name);
    if (terms == nullptr) return std::unique_ptr<Scorer>();
    TIERCEL_TRY_ASSIGN(std::unique_ptr<PostingsCursor> cursor, terms->Postings(term_));
    if (!cursor) return std::unique_ptr<Scorer>();
    const Bm25* bm25 = mode == ScoreMode::kNoScores ? nullptr : &bm25_;
    return std::unique_ptr<Scorer>(
        std::make_unique<TermScorer>(std::move(cursor), field_.NormsIn(*view.segment), bm25));
  }

  std::optional<uint64_t> KnownCount(const SegmentView& view) const override {
    if (view.live) return std::nullopt;
    const TermIndex* terms = view.segment->terms(field_.name);
    if (terms == nullptr) return 0;
    const Result<std::optional<segment::TermStats>> stats = terms->Find(term_);
    if (!stats.ok()) return std::nullopt;
    return stats->has_value() ? (*stats)->doc_freq : 0;
  }

 private:
  const ScoredField field_;
  const std::string term_;
  const Bm25 bm25_;
};

class PhraseQuery final : public Query {
 public:
  PhraseQuery(ScoredField field, std::vector<std::string> terms, std::vector<PhrasePlace> places, uint32_t slop,
              const Bm25& bm25)
      : field_(std::move(field)), terms_(std::move(terms)), places_(std::move(places)), slop_(slop), bm25_(bm25) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    const TermIndex* terms = view.segment->terms(field_.name);
    if (terms == nullptr) return std::unique_ptr<Scorer>();
    std::vector<std::unique_ptr<PostingsCursor>> cursors;
    for (const std::string& term : terms_) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<PostingsCursor> cursor, terms->Postings(term));
      if (!cursor) return std::unique_ptr<Scorer>();
      cursors.push_back(std::move(cursor));
    }
    const Bm25* bm25 = mode == ScoreMode::kNoScores ? nullptr : &bm25_;
    return std::unique_ptr<Scorer>(
        std::make_unique<PhraseScorer>(std::move(cursors), places_, slop_, field_.NormsIn(*view.segment), bm25));
  }

 private:
  const ScoredField field_;
  const std::vector<std::string> terms_;
  const std::vector<PhrasePlace> places_;
  const uint32_t slop_;
  const Bm25 bm25_;
};

// Queries that gather the postings of many terms into one bit set.
class ManyTermsQuery : public Query {
 public:
  ManyTermsQuery(Binder& binder, const mapping::Field& field, float score)
      : field_(field.name), budget_(binder.budget()), score_(score) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    const TermIndex* terms = view.segment->terms(field_);
    if (terms == nullptr) return ColumnScorer(view);
    runtime::MemoryCharge charge;
    if (budget_ != nullptr) {
      TIERCEL_TRY_ASSIGN(
          charge, budget_->request().Charge(view.segment->doc_count() / 8 + 64, "documents of a multi-term query"));
    }
    DocBits bits(view.segment->doc_count());
    TIERCEL_TRY_ASSIGN(const bool any, Gather(*terms, bits));
    if (!any) return std::unique_ptr<Scorer>();
    return std::unique_ptr<Scorer>(std::make_unique<BitSetScorer>(std::move(bits), score_, std::move(charge)));
  }

 protected:
  // Sets the documents; false when there are none.
  virtual Result<bool> Gather(const TermIndex& terms, DocBits& bits) const = 0;
  // Whether a term of the dictionary is wanted: the way through a field that has a column only.
  virtual bool Wants(std::string_view term) const = 0;

  static Status AddPostings(PostingsCursor& cursor, DocBits& bits) {
    std::array<DocId, 256> docs;
    cursor.Next();
    while (const uint32_t count = cursor.NextBatch(docs, {})) {
      for (uint32_t i = 0; i < count; ++i) bits.Set(docs[i]);
    }
    return cursor.status();
  }

  const std::string& field() const { return field_; }
  float score() const { return score_; }

 private:
  Result<std::unique_ptr<Scorer>> ColumnScorer(const SegmentView& view) const {
    const segment::KeywordColumn* column = view.segment->keyword(field_);
    if (column == nullptr) return std::unique_ptr<Scorer>();
    std::vector<bool> wanted(column->cardinality());
    for (Ordinal ordinal = 0; ordinal < column->cardinality(); ++ordinal) {
      TIERCEL_TRY_ASSIGN(const std::string term, column->Term(ordinal));
      wanted[ordinal] = Wants(term);
    }
    DocBits bits(view.segment->doc_count());
    segment::KeywordCursor cursor(column);
    for (DocId doc = 0; doc < column->doc_count(); ++doc) {
      TIERCEL_TRY_ASSIGN(const std::span<const Ordinal> ordinals, cursor.Ordinals(doc));
      for (const Ordinal ordinal : ordinals) {
        if (wanted[ordinal]) bits.Set(doc);
      }
    }
    return std::unique_ptr<Scorer>(std::make_unique<BitSetScorer>(std::move(bits), score_, runtime::MemoryCharge()));
  }

  const std::string field_;
  runtime::MemoryBudget* budget_;
  const float score_;
};

class TermSetQuery final : public ManyTermsQuery {
 public:
  TermSetQuery(Binder& binder, const mapping::Field& field, std::vector<std::string> terms, float score)
      : ManyTermsQuery(binder, field, score), terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end());
    terms_.erase(std::unique(terms_.begin(), terms_.end()), terms_.end());
  }

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    const TermIndex* index = view.segment->terms(field());
    if (index == nullptr || terms_.size() > 1) return ManyTermsQuery::MakeScorer(view, mode);
    TIERCEL_TRY_ASSIGN(std::unique_ptr<PostingsCursor> cursor, index->Postings(terms_[0]));
    if (!cursor) return std::unique_ptr<Scorer>();
    return std::unique_ptr<Scorer>(std::make_unique<ConstantScorer>(
        std::make_unique<TermScorer>(std::move(cursor), ByteSpan(), nullptr), score()));
  }

 private:
  Result<bool> Gather(const TermIndex& index, DocBits& bits) const override {
    bool any = false;
    for (const std::string& term : terms_) {
      TIERCEL_TRY_ASSIGN(const std::unique_ptr<PostingsCursor> cursor, index.Postings(term));
      if (!cursor) continue;
      any = true;
      TIERCEL_TRY(AddPostings(*cursor, bits));
    }
    return any;
  }
  bool Wants(std::string_view term) const override { return std::binary_search(terms_.begin(), terms_.end(), term); }

  std::vector<std::string> terms_;
};

class FilteredTermsQuery : public ManyTermsQuery {
 public:
  FilteredTermsQuery(Binder& binder, const mapping::Field& field, TermFilter filter, float score)
      : ManyTermsQuery(binder, field, score), filter_(std::move(filter)) {}

 private:
  Result<bool> Gather(const TermIndex& index, DocBits& bits) const override {
    bool any = false;
    TIERCEL_TRY_ASSIGN(const std::unique_ptr<segment::TermsCursor> at, index.Terms(filter_.from));
    while (at->valid()) {
      const TermVerdict verdict = filter_.judge(at->term());
      if (verdict == TermVerdict::kStop) break;
      if (verdict == TermVerdict::kAccept) {
        any = true;
        TIERCEL_TRY_ASSIGN(const std::unique_ptr<PostingsCursor> cursor, index.Postings(*at));
        TIERCEL_TRY(AddPostings(*cursor, bits));
      }
      TIERCEL_TRY(at->Next());
    }
    return any;
  }
  bool Wants(std::string_view term) const override {
    return term >= filter_.from && filter_.judge(term) == TermVerdict::kAccept;
  }

  const TermFilter filter_;
};

TermFilter FilterOf(const TermBounds& bounds) {
  TermFilter filter;
  filter.from = bounds.low.value_or("");
  filter.judge = [bounds](std::string_view term) {
    if (bounds.low && !bounds.include_low && term == *bounds.low) return TermVerdict::kReject;
    if (bounds.high && (bounds.include_high ? term > *bounds.high : term >= *bounds.high)) return TermVerdict::kStop;
    return TermVerdict::kAccept;
  };
  return filter;
}

class TermRangeQuery final : public FilteredTermsQuery {
 public:
  TermRangeQuery(Binder& binder, const mapping::Field& field, TermBounds bounds, float score)
      : FilteredTermsQuery(binder, field, FilterOf(bounds), score), bounds_(std::move(bounds)) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    const segment::KeywordColumn* column = view.segment->keyword(field());
    if (column == nullptr) return FilteredTermsQuery::MakeScorer(view, mode);
    Ordinal low = 0, high = column->cardinality();
    if (bounds_.low) {
      TIERCEL_TRY_ASSIGN(const auto found, column->LowerBound(*bounds_.low));
      low = found.first + (found.second && !bounds_.include_low ? 1 : 0);
    }
    if (bounds_.high) {
      TIERCEL_TRY_ASSIGN(const auto found, column->LowerBound(*bounds_.high));
      high = found.first + (found.second && bounds_.include_high ? 1 : 0);
    }
    if (low >= high) return std::unique_ptr<Scorer>();
    if (low == 0 && high == column->cardinality()) return MakeHasValueScorer(*column, score());
    if (high - low <= kPostingsTermsMax && view.segment->terms(field()) != nullptr)
      return FilteredTermsQuery::MakeScorer(view, mode);
    return MakeOrdinalRangeScorer(*column, low, high, score());
  }

 private:
  const TermBounds bounds_;
};

}  // namespace

Result<std::unique_ptr<Query>> MakeTermQuery(Binder& binder, const mapping::Field& field, std::string term,
                                             float boost) {
  const FieldStatistics& statistics = binder.Statistics(field.name);
  TIERCEL_TRY_ASSIGN(const uint64_t doc_freq, binder.DocFreq(field.name, term));
  if (doc_freq == 0) return MakeMatchNone();
  const Bm25 bm25(boost, InverseDocumentFrequency(doc_freq, statistics.doc_count), statistics);
  return std::unique_ptr<Query>(std::make_unique<TermQuery>(ScoredField(field), std::move(term), bm25));
}

Result<std::unique_ptr<Query>> MakePhraseQuery(Binder& binder, const mapping::Field& field, Phrase phrase,
                                               float boost) {
  const FieldStatistics& statistics = binder.Statistics(field.name);
  double idf = 0;
  std::vector<PhrasePlace> places;
  for (size_t i = 0; i < phrase.terms.size(); ++i) {
    TIERCEL_TRY_ASSIGN(const uint64_t doc_freq, binder.DocFreq(field.name, phrase.terms[i]));
    if (doc_freq == 0) return MakeMatchNone();
    idf += InverseDocumentFrequency(doc_freq, statistics.doc_count);
    const auto same = std::find(phrase.terms.begin(), phrase.terms.end(), phrase.terms[i]);
    places.push_back({static_cast<uint32_t>(same - phrase.terms.begin()), phrase.offsets[i]});
  }
  const Bm25 bm25(boost, static_cast<float>(idf), statistics);
  return std::unique_ptr<Query>(
      std::make_unique<PhraseQuery>(ScoredField(field), std::move(phrase.terms), std::move(places), phrase.slop, bm25));
}

std::unique_ptr<Query> MakeTermSetQuery(Binder& binder, const mapping::Field& field, std::vector<std::string> terms,
                                        float boost) {
  if (terms.empty()) return MakeMatchNone();
  return std::make_unique<TermSetQuery>(binder, field, std::move(terms), boost);
}

std::unique_ptr<Query> MakeTermRangeQuery(Binder& binder, const mapping::Field& field, TermBounds bounds, float boost) {
  return std::make_unique<TermRangeQuery>(binder, field, std::move(bounds), boost);
}

TermFilter MakeWildcardFilter(std::string_view pattern, bool ignore_case) {
  WildcardPattern wanted(pattern, ignore_case);
  std::string from = wanted.prefix();
  return {std::move(from), [wanted = std::move(wanted)](std::string_view term) {
            if (!term.starts_with(wanted.prefix())) return TermVerdict::kStop;
            return wanted.Matches(term) ? TermVerdict::kAccept : TermVerdict::kReject;
          }};
}

std::unique_ptr<Query> MakeFilteredTermsQuery(Binder& binder, const mapping::Field& field, TermFilter filter,
                                              float boost) {
  return std::make_unique<FilteredTermsQuery>(binder, field, std::move(filter), boost);
}

}  // namespace tiercel::search
