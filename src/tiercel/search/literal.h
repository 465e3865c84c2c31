// Literal: a value in a query, and how it compares with the numbers a column stores.
//
// Queries are laxer than documents: 1.5 asked of an integer field matches nothing, and range bounds are rounded
// inwards.
//
// Thread safety: pure functions. Errors: number_format_exception and illegal_argument_exception in Elasticsearch's
// words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/field.h"

namespace tiercel::search {

struct Literal {
  std::string text;        // as Elasticsearch prints it
  bool is_number = false;  // a JSON number, not text that looks like one
};
Literal LiteralOf(json::Value scalar);

// The encoding a stored value must have to equal `literal`; nothing when no value can. For numeric fields.
Result<std::optional<int64_t>> EncodeTerm(const mapping::Field& field, const Literal& literal);

// The smallest encoding a range with this lower bound admits, or the largest with this upper bound; nothing when it
// admits none.
Result<std::optional<int64_t>> EncodeLowerBound(const mapping::Field& field, const Literal& literal, bool inclusive);
Result<std::optional<int64_t>> EncodeUpperBound(const mapping::Field& field, const Literal& literal, bool inclusive);

// "true" or "false".
Result<bool> ParseBooleanLiteral(std::string_view text);

}  // namespace tiercel::search
