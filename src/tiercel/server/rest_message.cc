#include "tiercel/server/rest_message.h"

#include <array>
#include <charconv>

#include "tiercel/server/version.h"

namespace tiercel::server {
namespace {

struct TimeUnit {
  std::string_view suffix;
  double ms;
};
// Longer suffixes first where one ends like another.
constexpr std::array<TimeUnit, 7> kTimeUnits = {
    {{"nanos", 1e-6}, {"micros", 1e-3}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<int64_t> ParseTimeMs(std::string_view text) {
  if (text == "-1" || text == "0") return text == "0" ? 0 : -1;
  for (const TimeUnit& unit : kTimeUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto number = ParseNumber<double>(text.substr(0, text.size() - unit.suffix.size()));
    if (!number || *number < 0 || *number * unit.ms > 9e15) return std::nullopt;
    return static_cast<int64_t>(*number * unit.ms);
  }
  return std::nullopt;
}

std::optional<std::string_view> RestRequest::Get(std::string_view name) const {
  for (const auto& [key, value] : path_values) {
    if (key == name) return value;
  }
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

Result<bool> RestRequest::Bool(std::string_view name, bool fallback) const {
  const auto value = Get(name);
  if (!value) return fallback;
  if (value->empty() || *value == "true") return true;
  if (*value == "false") return false;
  return InvalidArgument("Failed to parse value [" + std::string(*value) + "] as only [true] or [false] are allowed.");
}

Result<std::optional<int64_t>> RestRequest::OptionalInt(std::string_view name) const {
  const auto value = Get(name);
  if (!value) return std::optional<int64_t>();
  const auto number = ParseNumber<int64_t>(*value);
  if (number) return number;
  return InvalidArgument("Failed to parse int parameter [" + std::string(name) + "] with value [" +
                         std::string(*value) + "]")
      .WithCause(
          InvalidArgument("For input string: \"" + std::string(*value) + "\"").WithType("number_format_exception"));
}

Result<int64_t> RestRequest::Int(std::string_view name, int64_t fallback) const {
  TIERCEL_TRY_ASSIGN(const std::optional<int64_t> value, OptionalInt(name));
  return value.value_or(fallback);
}

Result<int64_t> RestRequest::TimeMs(std::string_view name, int64_t fallback_ms) const {
  const auto value = Get(name);
  if (!value) return fallback_ms;
  if (const auto ms = ParseTimeMs(*value)) return *ms;
  return InvalidArgument("failed to parse setting [" + std::string(name) + "] with value [" + std::string(*value) +
                         "] as a time value: unit is missing or unrecognized");
}

void RestResponse::AddWarning(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  headers.emplace_back("Warning", "299 Elasticsearch-" + std::string(kReportedVersion) + " \"" + escaped + "\"");
}

}  // namespace tiercel::server
