#include "tiercel/search/literal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "tiercel/json/writer.h"

namespace tiercel::search {
namespace {

using mapping::Field;
using mapping::FieldType;

Status NumberFormatError(std::string_view text) {
  return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
}

// A decimal number: exact as an integer where it is one of 64 bits, and always as a double.
struct Decimal {
  bool integral = false;         // no fraction, whatever the size
  std::optional<int64_t> exact;  // integral and fits
  double value = 0;
};

Result<Decimal> ParseDecimal(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  Decimal number;
  int64_t exact = 0;
  const char* end = digits.data() + digits.size();
  if (const auto whole = std::from_chars(digits.data(), end, exact); whole.ec == std::errc() && whole.ptr == end) {
    return Decimal{true, exact, static_cast<double>(exact)};
  }
  if (digits.empty() || digits.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return NumberFormatError(text);
  const auto [last, error] = std::from_chars(digits.data(), end, number.value);
  if (last != end) return NumberFormatError(text);
  if (error == std::errc::result_out_of_range) number.value = std::strtod(std::string(digits).c_str(), nullptr);
  number.integral = std::trunc(number.value) == number.value;
  if (number.integral && std::abs(number.value) < 0x1p63) number.exact = static_cast<int64_t>(number.value);
  return number;
}

struct IntegerType {
  int64_t min, max;
  std::string_view name;  // with its article, for messages
};

IntegerType IntegerTypeOf(FieldType type) {
  switch (type) {
    case FieldType::kByte:
      return {-128, 127, "a byte"};
    case FieldType::kShort:
      return {-32768, 32767, "a short"};
    case FieldType::kInteger:
      return {INT32_MIN, INT32_MAX, "an integer"};
    default:
      return {INT64_MIN, INT64_MAX, "a long"};
  }
}

// To the 11 significant bits of a half-precision float, ties to even.
float RoundToHalf(float value) {
  const float magnitude = std::abs(value);
  if (std::isnan(value) || magnitude >= 65520.0f)
    return std::isnan(value) ? value : std::copysign(std::numeric_limits<float>::infinity(), value);
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const float quantum = std::ldexp(1.0f, exponent - 10);
  return std::copysign(std::nearbyint(magnitude / quantum) * quantum, value);
}

Result<double> ParseDouble(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity" || text == "+Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  TIERCEL_TRY_ASSIGN(const Decimal number, ParseDecimal(text));
  // "-0" is an integer without a sign, but a double with one.
  return number.value == 0 && text.starts_with('-') ? -0.0 : number.value;
}

// Fields of floating point, whose encoding keeps every value of the type apart.
Result<int64_t> EncodeFloating(const Field& field, const Literal& literal) {
  TIERCEL_TRY_ASSIGN(const double value, ParseDouble(literal.text));
  if (field.type == FieldType::kDouble) return mapping::EncodeDouble(value);
  const float narrow = static_cast<float>(value);
  return mapping::EncodeFloat(field.type == FieldType::kHalfFloat ? RoundToHalf(narrow) : narrow);
}

bool IsFloating(const Field& field) {
  return field.type == FieldType::kDouble || field.type == FieldType::kFloat || field.type == FieldType::kHalfFloat;
}

constexpr int64_t kSignBit = INT64_MIN;

// An unsigned number in its stored form; values off either end are clamped and `outside` says to which side.
struct Unsigned {
  int64_t encoded = 0;
  int outside = 0;
  bool integral = true;
};
Result<Unsigned> ParseUnsigned(const Literal& literal) {
  uint64_t exact = 0;
  const char* end = literal.text.data() + literal.text.size();
  if (const auto whole = std::from_chars(literal.text.data(), end, exact);
      whole.ec == std::errc() && whole.ptr == end) {
    return Unsigned{static_cast<int64_t>(exact) ^ kSignBit, 0, true};
  }
  TIERCEL_TRY_ASSIGN(const Decimal number, ParseDecimal(literal.text));
  if (number.value < 0) return Unsigned{0 ^ kSignBit, -1, number.integral};
  if (number.value >= 0x1p64) return Unsigned{INT64_MAX, 1, number.integral};
  return Unsigned{static_cast<int64_t>(static_cast<uint64_t>(number.value)) ^ kSignBit, 0, number.integral};
}

int64_t ToInt64(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return INT64_MAX;
  if (value < -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(value);
}

std::optional<int64_t> Next(int64_t value) { return value == INT64_MAX ? std::nullopt : std::optional(value + 1); }
std::optional<int64_t> Previous(int64_t value) { return value == INT64_MIN ? std::nullopt : std::optional(value - 1); }

Status OutOfRange(const Literal& literal, const IntegerType& type) {
  return InvalidArgument("Value [" + literal.text + "] is out of range for " + std::string(type.name))
      .WithType("illegal_argument_exception");
}

Result<Decimal> ParseInteger(const Field& field, const Literal& literal) {
  TIERCEL_TRY_ASSIGN(Decimal number, ParseDecimal(literal.text));
  const IntegerType type = IntegerTypeOf(field.type);
  const bool outside =
      number.exact ? *number.exact < type.min || *number.exact > type.max
                   : number.value < static_cast<double>(type.min) || number.value >= static_cast<double>(type.max) + 1;
  if (outside) return OutOfRange(literal, type);
  return number;
}

}  // namespace

Literal LiteralOf(json::Value scalar) {
  if (scalar.type() != json::Type::kDouble) return {scalar.ToDisplayString(), scalar.is_number()};
  Literal literal{"", true};
  json::AppendDouble(scalar.as_double(), literal.text);
  return literal;
}

Result<std::optional<int64_t>> EncodeTerm(const Field& field, const Literal& literal) {
  if (IsFloating(field)) {
    TIERCEL_TRY_ASSIGN(const int64_t encoded, EncodeFloating(field, literal));
    return std::optional(encoded);
  }
  if (field.type == FieldType::kScaledFloat) {
    TIERCEL_TRY_ASSIGN(const double value, ParseDouble(literal.text));
    return std::optional(ToInt64(std::floor(value * field.scaling_factor + 0.5)));
  }
  if (field.type == FieldType::kUnsignedLong) {
    TIERCEL_TRY_ASSIGN(const Unsigned number, ParseUnsigned(literal));
    return number.integral && number.outside == 0 ? std::optional(number.encoded) : std::nullopt;
  }
  TIERCEL_TRY_ASSIGN(const Decimal number, ParseDecimal(literal.text));
  const IntegerType type = IntegerTypeOf(field.type);
  return number.exact && *number.exact >= type.min && *number.exact <= type.max ? number.exact : std::nullopt;
}

Result<std::optional<int64_t>> EncodeLowerBound(const Field& field, const Literal& literal, bool inclusive) {
  if (IsFloating(field)) {
    TIERCEL_TRY_ASSIGN(const int64_t encoded, EncodeFloating(field, literal));
    return inclusive ? std::optional(encoded) : Next(encoded);
  }
  if (field.type == FieldType::kScaledFloat) {
    TIERCEL_TRY_ASSIGN(double value, ParseDouble(literal.text));
    value *= field.scaling_factor;
    if (!inclusive) value = std::nextafter(value, std::numeric_limits<double>::infinity());
    return std::optional(ToInt64(std::ceil(value)));
  }
  if (field.type == FieldType::kUnsignedLong) {
    TIERCEL_TRY_ASSIGN(const Unsigned number, ParseUnsigned(literal));
    if (number.outside != 0) return number.outside > 0 ? std::nullopt : std::optional(number.encoded);
    return inclusive && number.integral ? std::optional(number.encoded) : Next(number.encoded);
  }
  TIERCEL_TRY_ASSIGN(const Decimal number, ParseInteger(field, literal));
  if (!number.exact) return std::optional(ToInt64(std::ceil(number.value)));
  return inclusive ? number.exact : Next(*number.exact);
}

Result<std::optional<int64_t>> EncodeUpperBound(const Field& field, const Literal& literal, bool inclusive) {
  if (IsFloating(field)) {
    TIERCEL_TRY_ASSIGN(const int64_t encoded, EncodeFloating(field, literal));
    return inclusive ? std::optional(encoded) : Previous(encoded);
  }
  if (field.type == FieldType::kScaledFloat) {
    TIERCEL_TRY_ASSIGN(double value, ParseDouble(literal.text));
    value *= field.scaling_factor;
    if (!inclusive) value = std::nextafter(value, -std::numeric_limits<double>::infinity());
    return std::optional(ToInt64(std::floor(value)));
  }
  if (field.type == FieldType::kUnsignedLong) {
    TIERCEL_TRY_ASSIGN(const Unsigned number, ParseUnsigned(literal));
    if (number.outside != 0) return number.outside < 0 ? std::nullopt : std::optional(number.encoded);
    return inclusive || !number.integral ? std::optional(number.encoded) : Previous(number.encoded);
  }
  TIERCEL_TRY_ASSIGN(const Decimal number, ParseInteger(field, literal));
  if (!number.exact) return std::optional(ToInt64(std::floor(number.value)));
  return inclusive ? number.exact : Previous(*number.exact);
}

Result<bool> ParseBooleanLiteral(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return InvalidArgument("Can't parse boolean value [" + std::string(text) + "], expected [true] or [false]")
      .WithType("illegal_argument_exception");
}

}  // namespace tiercel::search
