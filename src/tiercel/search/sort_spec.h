// SortSpec: one element of "sort" as it was asked, before any mapping is known.
//
// Thread safety: a value. Lifetime: `missing` borrows the request's JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"

namespace tiercel::search {

enum class SortMode : uint8_t { kDefault, kMin, kMax, kAvg, kSum, kMedian };  // default: min ascending, max descending
enum class SortMissing : uint8_t { kLast, kFirst, kValue };

struct SortSpec {
  enum class Kind : uint8_t { kScore, kDoc, kShardDoc, kField } kind = Kind::kField;
  std::string field;
  bool descending = false;
  SortMode mode = SortMode::kDefault;
  SortMissing missing = SortMissing::kLast;
  std::string missing_value;  // with kValue: the text of what was given
  std::string unmapped_type;
  std::string numeric_type;  // "long", "double", "date", "date_nanos" or empty
  std::string format;
  std::string nested_path;
};

// "sort" in a body: a name, an object, or an array of those. One descending _score is what happens anyway: it gives an
// empty list.
Result<std::vector<SortSpec>> ParseSort(json::Value sort);
// An element of the URL's sort=: "field", "field:asc" or "field:desc"; anything else after the colon adds nothing, as
// in Elasticsearch.
void AppendUrlSort(std::string_view element, std::vector<SortSpec>& sorts);
// Empties a list that says no more than the default order.
void DropDefaultSort(std::vector<SortSpec>& sorts);

}  // namespace tiercel::search
