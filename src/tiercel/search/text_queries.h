// What typed text means on a field: analyzed and matched as a bag of terms, or as a phrase.
//
// Thread safety: as Binder. Errors: InvalidArgument as Elasticsearch words them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tiercel/search/binder.h"
#include "tiercel/search/literal.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

struct TextMatch {
  Literal text;
  bool phrase = false;
  uint32_t slop = 0;
  bool all_terms = false;  // operator "and"
  std::optional<std::string> minimum_should_match;
  std::string analyzer;         // empty: the field's
  bool zero_terms_all = false;  // text without terms matches everything
  bool lenient = false;         // text that does not fit the field's type matches nothing
};

// `query` is the name of the query, for errors. An unmapped field matches nothing.
Result<std::unique_ptr<Query>> MakeTextQuery(Binder& binder, std::string_view query, std::string_view field,
                                             const TextMatch& match, float boost);

}  // namespace tiercel::search
