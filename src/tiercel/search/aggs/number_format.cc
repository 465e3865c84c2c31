#include "tiercel/search/aggs/number_format.h"

#include <cmath>
#include <cstdio>

namespace tiercel::search::aggs {
namespace {

constexpr int kFractionDigitsMax = 30;

Status Malformed(std::string_view pattern) {
  return InvalidArgument("Malformed pattern \"" + std::string(pattern) + "\"");
}

}  // namespace

Result<NumberFormat> NumberFormat::Parse(std::string_view pattern) {
  NumberFormat format;
  size_t i = 0;
  // Literal text up to the first digit position; quotes protect special characters.
  const auto literal = [&](std::string& out) {
    for (; i < pattern.size() && std::string_view("#0.,").find(pattern[i]) == std::string_view::npos; ++i) {
      if (pattern[i] == '\'') {
        for (++i; i < pattern.size() && pattern[i] != '\''; ++i) out += pattern[i];
        continue;
      }
      if (pattern[i] == '%') format.multiplier_ = 100;
      out += pattern[i];
    }
  };
  literal(format.prefix_);
  bool fraction = false;
  int since_comma = -1;
  for (; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '0' || c == '#') {
      if (fraction) {
        if (++format.fraction_digits_max_ > kFractionDigitsMax) return Malformed(pattern);
        if (c == '0') format.fraction_digits_min_ = format.fraction_digits_max_;
      } else {
        if (c == '0') ++format.integer_digits_min_;
        if (since_comma >= 0) ++since_comma;
      }
    } else if (c == ',' && !fraction) {
      since_comma = 0;
    } else if (c == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  format.group_size_ = since_comma > 0 ? since_comma : 0;
  literal(format.suffix_);
  if (i < pattern.size() || format.suffix_.starts_with("E0") || format.suffix_.find(';') != std::string::npos)
    return Malformed(pattern);
  return format;
}

std::string NumberFormat::Format(double value) const {
  if (std::isnan(value)) return "NaN";
  const bool negative = std::signbit(value);
  value = std::fabs(value) * multiplier_;
  if (std::isinf(value)) return std::string(negative ? "-" : "") + prefix_ + "\u221e" + suffix_;
  char digits[400];
  std::snprintf(digits, sizeof digits, "%.*f", fraction_digits_max_, value);
  std::string integer = digits, decimals;
  if (const size_t dot = integer.find('.'); dot != std::string::npos) {
    decimals = integer.substr(dot + 1);
    integer.resize(dot);
  }
  while (static_cast<int>(decimals.size()) > fraction_digits_min_ && decimals.back() == '0') decimals.pop_back();
  if (integer == "0" && integer_digits_min_ == 0 && !decimals.empty()) integer.clear();
  while (static_cast<int>(integer.size()) < integer_digits_min_) integer.insert(0, 1, '0');
  if (group_size_ > 0) {
    for (int at = static_cast<int>(integer.size()) - group_size_; at > 0; at -= group_size_)
      integer.insert(static_cast<size_t>(at), 1, ',');
  }
  return (negative ? "-" : "") + prefix_ + integer + (decimals.empty() ? "" : "." + decimals) + suffix_;
}

}  // namespace tiercel::search::aggs
