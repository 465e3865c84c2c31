// Numbers and booleans of a request as Elasticsearch's parser takes them: numbers may stand in strings, integers lose
// their fraction.
//
// Thread safety: pure functions. Errors: InvalidArgument in Elasticsearch's words; what is no scalar at all is the
// caller's UnknownKey.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"

namespace tiercel::search {

std::optional<int64_t> ParseInteger(std::string_view text);  // optional sign and digits, nothing else
std::optional<double> ParseReal(std::string_view text);  // as Java's Double.parseDouble, "NaN" and "Infinity" included

Result<int32_t> ReadInt(json::Value value);
Result<float> ReadFloat(json::Value value);
Result<bool> ReadBool(json::Value value);
Result<bool> ReadBool(std::string_view text);  // "true", "false" or "" (true), as URL parameters
// "30s", "1.5m", "100ms", "-1": milliseconds.
Result<int64_t> ReadTimeValue(std::string_view text, std::string_view setting);

}  // namespace tiercel::search
