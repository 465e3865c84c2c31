#include "tiercel/search/minimum_should_match.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace tiercel::search {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

Result<int64_t> ParseInteger(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
  }
  return int64_t{value};
}

// "3", "-1", "75%" or "-25%".
Result<int64_t> ComputePlain(std::string_view text, int64_t clauses) {
  if (!text.ends_with('%')) {
    TIERCEL_TRY_ASSIGN(const int64_t count, ParseInteger(text));
    return count < 0 ? clauses + count : count;
  }
  text.remove_suffix(1);
  TIERCEL_TRY_ASSIGN(const int64_t percent, ParseInteger(text));
  // In float, as Elasticsearch does, so that the same fractions are cut off.
  const float share = static_cast<float>(clauses * percent) * (1 / 100.0f);
  return share < 0 ? clauses + static_cast<int64_t>(share) : static_cast<int64_t>(share);
}

}  // namespace

Result<uint32_t> ComputeMinimumShouldMatch(std::string_view text, uint32_t clauses) {
  text = Trim(text);
  int64_t result = clauses;
  if (text.find('<') == std::string_view::npos) {
    TIERCEL_TRY_ASSIGN(result, ComputePlain(text, clauses));
  } else {
    // Conditions "bound<rule", by ascending bound: up to the first bound every clause must match, then the rule of the
    // last bound that was passed counts.
    while (!text.empty()) {
      const size_t sign = text.find('<');
      if (sign == std::string_view::npos) {
        TIERCEL_TRY(ParseInteger(text).status());
        break;
      }
      TIERCEL_TRY_ASSIGN(const int64_t bound, ParseInteger(Trim(text.substr(0, sign))));
      if (clauses <= bound) break;
      text = Trim(text.substr(sign + 1));
      const size_t end = std::min(text.find_first_of(" \t\n\r"), text.size());
      TIERCEL_TRY_ASSIGN(result, ComputePlain(text.substr(0, end), clauses));
      text = Trim(text.substr(end));
    }
  }
  return static_cast<uint32_t>(std::clamp<int64_t>(result, 0, UINT32_MAX));
}

}  // namespace tiercel::search
