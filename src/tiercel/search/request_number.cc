#include "tiercel/search/request_number.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

std::string NumberText(json::Value value) {
  return value.is_string() ? std::string(value.as_string()) : std::string(value.raw());
}

}  // namespace

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseReal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  if (text == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity") {
    value = std::numeric_limits<double>::infinity();
  } else {
    if (text.empty() || !(text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) value = std::numeric_limits<double>::infinity();
  }
  return negative ? -value : value;
}

Result<int32_t> ReadInt(json::Value value) {
  if (value.is_bool())
    return ContentError(value,
                        "Current token (VALUE_" + std::string(value.as_bool() ? "TRUE" : "FALSE") + ") not numeric");
  std::optional<double> number = value.is_number() ? std::optional(value.as_double()) : std::nullopt;
  if (value.is_string()) number = ParseReal(value.as_string());
  if (!number || std::isnan(*number)) return NumberFormatError(NumberText(value));
  if (*number < -2147483648.0 || *number >= 2147483648.0) {
    return ContentError(value,
                        "Numeric value (" + NumberText(value) + ") out of range of int (-2147483648 - 2147483647)");
  }
  return static_cast<int32_t>(*number);
}

Result<float> ReadFloat(json::Value value) {
  if (value.is_number()) return static_cast<float>(value.as_double());
  if (value.is_string()) {
    if (const std::optional<double> number = ParseReal(value.as_string())) return static_cast<float>(*number);
    return NumberFormatError(value.as_string());
  }
  return ContentError(value, "Current token (" + std::string(json::TokenName(value.type())) + ") not numeric");
}

Result<bool> ReadBool(json::Value value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_string()) {
    if (value.as_string().empty())
      return InvalidArgument("Failed to parse value [] as only [true] or [false] are allowed.");
    return ReadBool(value.as_string());
  }
  const std::string token = value.is_integer()  ? "VALUE_NUMBER_INT"
                            : value.is_number() ? "VALUE_NUMBER_FLOAT"
                                                : std::string(json::TokenName(value.type()));
  return ContentError(value, "Current token (" + token + ") not of boolean type");
}

Result<bool> ReadBool(std::string_view text) {
  if (text.empty() || text == "true") return true;
  if (text == "false") return false;
  return InvalidArgument("Failed to parse value [" + std::string(text) + "] as only [true] or [false] are allowed.");
}

Result<int64_t> ReadTimeValue(std::string_view text, std::string_view setting) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"nanos", 1e-6}, {"micros", 1e-3}, {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}};
  if (text == "-1") return -1;
  if (text == "0") return 0;
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> number = ParseReal(text.substr(0, text.size() - unit.size()));
    if (!number || !std::isfinite(*number) || *number < 0 || *number * factor > 9e15) continue;
    return static_cast<int64_t>(*number * factor);
  }
  return InvalidArgument("failed to parse setting [" + std::string(setting) + "] with value [" + std::string(text) +
                         "] as a time value: unit is missing or unrecognized");
}

}  // namespace tiercel::search
