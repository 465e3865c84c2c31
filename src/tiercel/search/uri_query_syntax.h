// The syntax of a URI search's q=: a small tree of what was typed, before any field or index is known.
//
//   alpha +title:bravo -"exact words"~2^3 (tag:b* OR count:[1 TO 5}) AND NOT when:>=2020
//
// Thread safety: pure. Memory: bounded by the text; nesting by `depth_max`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"

namespace tiercel::search {

struct UriClause {
  enum class Kind { kTerm, kPhrase, kPattern, kRange, kGroup } kind = Kind::kTerm;
  enum class Occur { kShould, kMust, kMustNot } occur = Occur::kShould;
  std::string field;  // empty: the default
  std::string text;   // of a term or phrase, escapes resolved; of a pattern as typed
  uint32_t slop = 0;
  float boost = 1;
  std::optional<std::string> low, high;
  bool include_low = true, include_high = true;
  std::vector<UriClause> group;
};

// The clauses of the whole text. `all_required`: the default operator is AND. Malformed text is InvalidArgument, type
// parse_exception.
Result<std::vector<UriClause>> ParseUriSyntax(std::string_view text, bool all_required, uint32_t depth_max);

}  // namespace tiercel::search
