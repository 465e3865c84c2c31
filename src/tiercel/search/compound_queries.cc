#include "tiercel/search/compound_queries.h"

#include <algorithm>
#include <map>

#include "tiercel/search/boolean_scorers.h"
#include "tiercel/search/constant_scorer.h"

namespace tiercel::search {
namespace {

using segment::SegmentView;
using Scorers = std::vector<std::unique_ptr<Scorer>>;
using Queries = std::vector<std::unique_ptr<Query>>;

void AppendNamedOf(const Queries& queries, std::vector<const Query*>& named) {
  for (const auto& query : queries) query->AppendNamed(named);
}

// Scorers of the queries that can match in the segment.
Result<Scorers> MakeScorers(const Queries& queries, const SegmentView& view, ScoreMode mode) {
  Scorers scorers;
  for (const auto& query : queries) {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> scorer, query->MakeScorer(view, mode));
    if (scorer) scorers.push_back(std::move(scorer));
  }
  return scorers;
}

class BooleanQuery final : public Query {
 public:
  explicit BooleanQuery(BooleanClauses clauses) : clauses_(std::move(clauses)) {}

  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> scorer, MakePositiveScorer(view, mode));
    if (!scorer || clauses_.must_not.empty()) return scorer;
    TIERCEL_TRY_ASSIGN(Scorers excluded, MakeScorers(clauses_.must_not, view, ScoreMode::kNoScores));
    if (excluded.empty()) return scorer;
    std::unique_ptr<Scorer> none_of =
        excluded.size() == 1 ? std::move(excluded[0]) : MakeDisjunctionScorer(std::move(excluded), 1, {}, false);
    return std::unique_ptr<Scorer>(std::make_unique<ExclusionScorer>(std::move(scorer), std::move(none_of)));
  }

  void AppendNamed(std::vector<const Query*>& named) const override {
    for (const Queries* queries : {&clauses_.must, &clauses_.should, &clauses_.filter, &clauses_.must_not})
      AppendNamedOf(*queries, named);
  }

 private:
  Result<std::unique_ptr<Scorer>> MakePositiveScorer(const SegmentView& view, ScoreMode mode) const {
    const bool scored = mode != ScoreMode::kNoScores;
    const bool required = !clauses_.must.empty() || !clauses_.filter.empty();
    const uint32_t minimum = std::max<uint32_t>(clauses_.minimum_should_match, required ? 0 : 1);
    std::unique_ptr<Scorer> optional;
    if (!clauses_.should.empty() && (minimum > 0 || scored)) {
      // A disjunction that is all there is may prune; below other clauses it must score whatever they bring.
      TIERCEL_TRY_ASSIGN(Scorers should, MakeScorers(clauses_.should, view, mode));
      if (should.size() < minimum) return std::unique_ptr<Scorer>();
      optional = MakeShould(std::move(should), std::max(1u, minimum), scored);
    } else if (minimum > 0) {
      return std::unique_ptr<Scorer>();
    }
    if (!required) return optional;
    Scorers all;
    std::vector<size_t> scoring;
    for (const auto& query : clauses_.must) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> scorer, query->MakeScorer(view, mode));
      if (!scorer) return std::unique_ptr<Scorer>();
      scoring.push_back(all.size());
      all.push_back(std::move(scorer));
    }
    for (const auto& query : clauses_.filter) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> scorer, query->MakeScorer(view, ScoreMode::kNoScores));
      if (!scorer) return std::unique_ptr<Scorer>();
      all.push_back(std::move(scorer));
    }
    if (minimum > 0) {
      scoring.push_back(all.size());
      all.push_back(std::move(optional));
    }
    std::unique_ptr<Scorer> conjunction = Conjoin(std::move(all), scoring);
    if (!optional) return conjunction;
    return std::unique_ptr<Scorer>(std::make_unique<OptionalScorer>(std::move(conjunction), std::move(optional)));
  }

  static std::unique_ptr<Scorer> MakeShould(Scorers should, uint32_t minimum, bool scored) {
    if (should.empty()) return nullptr;
    if (should.size() == 1) return std::move(should[0]);
    if (minimum == should.size()) {
      std::vector<size_t> scoring;
      for (size_t i = 0; i < should.size(); ++i) scoring.push_back(i);
      return std::make_unique<ConjunctionScorer>(std::move(should), scoring);
    }
    return MakeDisjunctionScorer(std::move(should), minimum, {}, scored);
  }

  static std::unique_ptr<Scorer> Conjoin(Scorers all, const std::vector<size_t>& scoring) {
    if (all.size() > 1) return std::make_unique<ConjunctionScorer>(std::move(all), scoring);
    if (scoring.empty()) return std::make_unique<ConstantScorer>(std::move(all[0]), 0.0f);
    return std::move(all[0]);
  }

  const BooleanClauses clauses_;
};

class DisjunctionQuery final : public Query {
 public:
  DisjunctionQuery(Queries queries, Combination combination)
      : queries_(std::move(queries)), combination_(combination) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    TIERCEL_TRY_ASSIGN(Scorers scorers, MakeScorers(queries_, view, mode));
    if (scorers.empty()) return std::unique_ptr<Scorer>();
    if (scorers.size() == 1) return std::move(scorers[0]);
    return MakeDisjunctionScorer(std::move(scorers), 1, combination_, mode != ScoreMode::kNoScores);
  }
  void AppendNamed(std::vector<const Query*>& named) const override { AppendNamedOf(queries_, named); }

 private:
  const Queries queries_;
  const Combination combination_;
};

class ConstantScoreQuery final : public Query {
 public:
  ConstantScoreQuery(std::unique_ptr<Query> filter, float score) : filter_(std::move(filter)), score_(score) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Scorer> scorer, filter_->MakeScorer(view, ScoreMode::kNoScores));
    if (!scorer) return scorer;
    return std::unique_ptr<Scorer>(std::make_unique<ConstantScorer>(std::move(scorer), score_));
  }
  std::optional<uint64_t> KnownCount(const SegmentView& view) const override { return filter_->KnownCount(view); }
  void AppendNamed(std::vector<const Query*>& named) const override { filter_->AppendNamed(named); }

 private:
  const std::unique_ptr<Query> filter_;
  const float score_;
};

class NamedQuery final : public Query {
 public:
  NamedQuery(std::unique_ptr<Query> query, std::string name) : query_(std::move(query)), name_(std::move(name)) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode mode) const override {
    return query_->MakeScorer(view, mode);
  }
  std::optional<uint64_t> KnownCount(const SegmentView& view) const override { return query_->KnownCount(view); }
  const std::string* name() const override { return &name_; }
  void AppendNamed(std::vector<const Query*>& named) const override {
    named.push_back(this);
    query_->AppendNamed(named);
  }

 private:
  const std::unique_ptr<Query> query_;
  const std::string name_;
};

class FixedQuery final : public Query {
 public:
  FixedQuery(std::span<const SegmentView> segments, std::vector<ScoredDoc> docs) {
    std::sort(docs.begin(), docs.end(), [](const ScoredDoc& a, const ScoredDoc& b) {
      return std::tie(a.segment, a.doc) < std::tie(b.segment, b.doc);
    });
    for (const ScoredDoc& doc : docs) {
      std::vector<ListScorer::Entry>& entries = docs_[segments[doc.segment].segment];
      if (entries.empty() || entries.back().doc != doc.doc) entries.push_back({doc.doc, doc.score});
    }
  }
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override {
    const auto found = docs_.find(view.segment);
    if (found == docs_.end()) return std::unique_ptr<Scorer>();
    return std::unique_ptr<Scorer>(std::make_unique<ListScorer>(found->second));
  }

 private:
  std::map<std::shared_ptr<const segment::Segment>, std::vector<ListScorer::Entry>> docs_;
};

}  // namespace

std::unique_ptr<Query> MakeBooleanQuery(BooleanClauses clauses) {
  return std::make_unique<BooleanQuery>(std::move(clauses));
}

std::unique_ptr<Query> MakeDisjunctionQuery(std::vector<std::unique_ptr<Query>> queries, Combination combination) {
  if (queries.size() == 1) return std::move(queries[0]);
  return std::make_unique<DisjunctionQuery>(std::move(queries), combination);
}

std::unique_ptr<Query> MakeConstantScoreQuery(std::unique_ptr<Query> filter, float score) {
  return std::make_unique<ConstantScoreQuery>(std::move(filter), score);
}

std::unique_ptr<Query> MakeNamedQuery(std::unique_ptr<Query> query, std::string name) {
  return std::make_unique<NamedQuery>(std::move(query), std::move(name));
}

std::unique_ptr<Query> MakeFixedQuery(std::span<const SegmentView> segments, std::vector<ScoredDoc> docs) {
  return std::make_unique<FixedQuery>(segments, std::move(docs));
}

std::unique_ptr<Query> MakeFiltered(std::unique_ptr<Query> required, std::vector<std::unique_ptr<Query>> filters) {
  if (filters.empty()) return required;
  BooleanClauses clauses;
  clauses.must.push_back(std::move(required));
  clauses.filter = std::move(filters);
  return MakeBooleanQuery(std::move(clauses));
}

std::unique_ptr<Query> MakeUnion(std::vector<std::unique_ptr<Query>> queries) {
  return MakeDisjunctionQuery(std::move(queries), {});
}

}  // namespace tiercel::search
