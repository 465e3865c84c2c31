#include "tiercel/json/number.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

namespace tiercel::json {
namespace {

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The decimal digits of a number, taken apart. `mantissa` is right while digits <= 19.
struct Decimal {
  bool negative = false;
  bool integer = true;
  uint64_t mantissa = 0;
  uint32_t digits = 0;  // leading zeros not counted
  int64_t exponent = 0;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // False when the text breaks the grammar.
  bool Scan(Decimal& out) {
    if (Take('-')) out.negative = true;
    if (!Digits(out, 0)) return false;
    if (Take('.')) {
      out.integer = false;
      if (!Fraction(out)) return false;
    }
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      out.integer = false;
      return Exponent(out);
    }
    return true;
  }
  uint32_t length() const { return static_cast<uint32_t>(at_ - begin_); }

 private:
  bool Take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool Digits(Decimal& out, int64_t exponent_step) {
    const char* first = at_;
    for (; at_ < end_ && IsDigit(*at_); ++at_) {
      out.mantissa = out.mantissa * 10 + static_cast<uint64_t>(*at_ - '0');
      out.digits += out.mantissa != 0 || out.digits != 0;
      out.exponent += exponent_step;
    }
    const bool leading_zero = exponent_step == 0 && *first == '0' && at_ - first > 1;
    return at_ != first && !leading_zero;
  }
  bool Fraction(Decimal& out) { return Digits(out, -1); }
  bool Exponent(Decimal& out) {
    bool negative = false;
    if (Take('-'))
      negative = true;
    else
      Take('+');
    const char* first = at_;
    int64_t value = 0;
    for (; at_ < end_ && IsDigit(*at_); ++at_) {
      if (value < 1'000'000) value = value * 10 + (*at_ - '0');
    }
    out.exponent += negative ? -value : value;
    return at_ != first;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
};

// Correctly rounded, whatever the length; infinities and zeros where the value leaves the range.
double ReadSlow(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return value;
  return std::strtod(std::string(text).c_str(), nullptr);
}

double ToDouble(const Decimal& decimal, std::string_view text) {
  // With at most 53 bits of mantissa and a power of ten that is exact, one rounding gives the right answer.
  if (decimal.digits <= 19 && decimal.mantissa < (1ULL << 53) && decimal.exponent >= -22 && decimal.exponent <= 22) {
    const double mantissa = static_cast<double>(decimal.mantissa);
    const double value =
        decimal.exponent < 0 ? mantissa / kPowersOfTen[-decimal.exponent] : mantissa * kPowersOfTen[decimal.exponent];
    return decimal.negative ? -value : value;
  }
  return ReadSlow(text);
}

}  // namespace

Number ReadNumber(std::string_view text) {
  Number number;
  if (text.empty()) return number;
  Scanner scanner(text);
  Decimal decimal;
  if (!scanner.Scan(decimal)) return number;
  number.length = scanner.length();
  const std::string_view raw = text.substr(0, number.length);
  if (decimal.integer && decimal.digits <= 20) {
    uint64_t magnitude = decimal.mantissa;
    // Twenty digits may or may not fit: let the checked conversion decide.
    const char* digits = raw.data() + (decimal.negative ? 1 : 0);
    const bool fits =
        decimal.digits <= 19 || std::from_chars(digits, raw.data() + raw.size(), magnitude).ec == std::errc();
    constexpr uint64_t kInt64Limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (fits && magnitude <= kInt64Limit + (decimal.negative ? 1 : 0)) {
      number.type = Type::kInt64;
      number.int64 = decimal.negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
      return number;
    }
    if (fits && !decimal.negative) {
      number.type = Type::kUint64;
      number.uint64 = magnitude;
      return number;
    }
  }
  number.type = Type::kDouble;
  number.real = ToDouble(decimal, raw);
  return number;
}

}  // namespace tiercel::json
