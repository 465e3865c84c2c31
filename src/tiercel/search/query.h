// Query and Scorer: from the query DSL to the matching documents of one segment and their scores.
//
// ParseQuery reads the DSL once per index, under its mapping and statistics, into a tree of Query; Query::MakeScorer
// opens it on a segment. Deleted documents are not filtered here: the driver tests SegmentView::IsLive.
//
// Thread safety: a Query is immutable and shared by the threads that search different segments; a Scorer belongs to
// one. Lifetime: a Scorer borrows its Query and its segment. Errors of a Scorer are sticky: it reports kNoMoreDocs and
// keeps the reason in status().
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/search/search.h"
#include "tiercel/segment/source.h"

namespace tiercel::search {

using segment::DocId;
using segment::kNoMoreDocs;

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual DocId doc() const = 0;
  virtual DocId Next() = 0;
  virtual DocId Advance(DocId target) = 0;
  // Of the current document. Only with ScoreMode::kScores or kTopScores.
  virtual float Score() = 0;
  // About how many documents it will visit; conjunctions lead with the smallest.
  virtual uint64_t cost() const = 0;
  virtual const Status& status() const = 0;

  // Block-max pruning. MaxScore(target, &last): an upper bound of the score of any document in [target, last], `last`
  // chosen by the scorer. The default knows nothing: infinity, to the end.
  virtual float MaxScore(DocId target, DocId* last);
  // The collector needs only scores above this from now on; the scorer may skip what cannot reach it.
  virtual void SetMinScore(float) {}

  // Documents after the current one (from the first one on before any call) into docs[] (scores[] unless empty); 0 at
  // the end. Afterwards doc() and Score() mean nothing until Advance is called, with a target after the last document
  // returned; past the end it keeps answering kNoMoreDocs.
  virtual uint32_t NextBatch(std::span<DocId> docs, std::span<float> scores);
  // Keeps those of `docs`, which ascend from call to call, that this scorer has too, with their scores (unless empty);
  // returns how many. `placed` says whether doc() means anything, before and after.
  virtual uint32_t Retain(std::span<DocId> docs, std::span<float> scores, bool& placed);
};

enum class ScoreMode {
  kNoScores,
  kScores,
  kTopScores
};  // kTopScores: SetMinScore may be called, skipped hits are not counted

class Query {
 public:
  virtual ~Query() = default;
  // Null when nothing in the segment can match.
  virtual Result<std::unique_ptr<Scorer>> MakeScorer(const segment::SegmentView& view, ScoreMode mode) const = 0;
  // Exactly how many live documents match, where that is known without looking (match_all, a term in a segment without
  // deletes).
  virtual std::optional<uint64_t> KnownCount(const segment::SegmentView&) const { return std::nullopt; }
  // Names of "_name" clauses are reported through matched_queries; nullptr when the query has none.
  virtual const std::string* name() const { return nullptr; }
  // This query and the ones below it that have a name, outermost first.
  virtual void AppendNamed(std::vector<const Query*>& named) const {
    if (name() != nullptr) named.push_back(this);
  }
};

// What parsing needs to know of the index a query will run on.
struct QueryContext {
  const SearchTarget* target = nullptr;  // mapping and segments: document frequencies are summed over all of them
  int64_t now_ms = 0;
  const SearchEnvironment* environment = nullptr;
  uint32_t clauses_max = 65536;  // boolean clauses and expanded terms in one query; more is too_many_clauses
  uint32_t depth_max = 30;
  uint32_t request_size = 10;  // "size" of the search: how far a knn query without k looks
};

Result<std::unique_ptr<Query>> ParseQuery(json::Value query, const QueryContext& context);
// The URI search's q=, default_operator= and df=.
Result<std::unique_ptr<Query>> ParseUriQuery(std::string_view q, std::string_view default_operator,
                                             std::string_view default_field, const QueryContext& context);
// Syntax and shape only (unknown query names, unknown keys), without an index: what a request parser can refuse early.
Status CheckQueryShape(json::Value query);

// knn as a query, and the exact scan behind top-level knn (knn.h).
Result<std::unique_ptr<Query>> ParseKnnQuery(json::Value knn, const QueryContext& context);
// A query that matches given documents of given segments with given scores (kNN results, rrf).
struct ScoredDoc {
  uint32_t segment;
  DocId doc;
  float score;
};
std::unique_ptr<Query> MakeFixedQuery(std::span<const segment::SegmentView> segments, std::vector<ScoredDoc> docs);
std::unique_ptr<Query> MakeMatchAll(float boost);
// Documents that match `required` and every one of `filters`; scored by `required`.
std::unique_ptr<Query> MakeFiltered(std::unique_ptr<Query> required, std::vector<std::unique_ptr<Query>> filters);
// Sum of scores of whichever match (at least one must).
std::unique_ptr<Query> MakeUnion(std::vector<std::unique_ptr<Query>> queries);

}  // namespace tiercel::search
