// The leaves of a query tree: queries on terms, columns and ids. Made by the binder of each clause (term_clauses.cc and
// its neighbours), opened on segments by the driver.
//
// Thread safety: the queries are immutable and shared. Scores: BM25 for single terms and phrases, `boost` for
// everything else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/search/binder.h"
#include "tiercel/search/phrase_matcher.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

std::unique_ptr<Query> MakeMatchNone();

// One term of a text or keyword field, scored by BM25.
Result<std::unique_ptr<Query>> MakeTermQuery(Binder& binder, const mapping::Field& field, std::string term,
                                             float boost);

// A phrase: terms[i] stands at offsets[i]. At least two terms.
struct Phrase {
  std::vector<std::string> terms;
  std::vector<uint32_t> offsets;
  uint32_t slop = 0;
};
Result<std::unique_ptr<Query>> MakePhraseQuery(Binder& binder, const mapping::Field& field, Phrase phrase, float boost);

// Any of the terms, which need no order.
std::unique_ptr<Query> MakeTermSetQuery(Binder& binder, const mapping::Field& field, std::vector<std::string> terms,
                                        float boost);

// Documents with a term between the bounds; a bound that is absent is open.
struct TermBounds {
  std::optional<std::string> low, high;
  bool include_low = true, include_high = true;
};
std::unique_ptr<Query> MakeTermRangeQuery(Binder& binder, const mapping::Field& field, TermBounds bounds, float boost);

// Documents with a term the filter accepts. The dictionary is read from the first term >= `from` until the filter says
// stop.
enum class TermVerdict { kAccept, kReject, kStop };
struct TermFilter {
  std::string from;
  std::function<TermVerdict(std::string_view)> judge;
};
// Terms that match a pattern of '*' and '?'.
TermFilter MakeWildcardFilter(std::string_view pattern, bool ignore_case);
std::unique_ptr<Query> MakeFilteredTermsQuery(Binder& binder, const mapping::Field& field, TermFilter filter,
                                              float boost);

// Documents with a value in [low, high] of a numeric column.
std::unique_ptr<Query> MakeNumericRangeQuery(std::string_view field, int64_t low, int64_t high, float boost);
// Documents with one of the values.
std::unique_ptr<Query> MakeNumericSetQuery(std::string_view field, std::vector<int64_t> values, float boost);
// A boolean field's value, scored by BM25 as a term.
Result<std::unique_ptr<Query>> MakeBooleanTermQuery(Binder& binder, const mapping::Field& field, bool value,
                                                    float boost);

// Documents with a value in any of the leaf fields.
std::unique_ptr<Query> MakeExistsQuery(std::vector<const mapping::Field*> fields, float boost);
std::unique_ptr<Query> MakeIdsQuery(std::vector<std::string> ids, float boost);

}  // namespace tiercel::search
