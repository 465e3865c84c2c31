#include "tiercel/mapping/numbers.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "tiercel/json/writer.h"
#include "tiercel/mapping/dates.h"
#include "tiercel/mapping/values.h"

namespace tiercel::mapping {
namespace {

Status Illegal(std::string message) {
  return InvalidArgument(std::move(message)).WithType("illegal_argument_exception");
}
Status NumberFormat(std::string_view text) {
  return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// A decimal number as Java reads one: white space around it, a plus sign and a type suffix are welcome.
Result<double> ParseJavaDouble(std::string_view whole) {
  std::string_view text = Trim(whole);
  const std::string_view unsigned_text = text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
  const double sign = text.starts_with('-') ? -1 : 1;
  if (unsigned_text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (unsigned_text == "Infinity") return sign * std::numeric_limits<double>::infinity();
  std::string_view digits = unsigned_text;
  if (!digits.empty() && std::string_view("fFdD").find(digits.back()) != std::string_view::npos)
    digits.remove_suffix(1);
  if (digits.empty() || digits.front() == '-' || digits.front() == '+') return NumberFormat(whole);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() ||
      !(std::isdigit(static_cast<unsigned char>(digits.front())) || digits.front() == '.')) {
    const size_t points = digits.find_first_not_of("0123456789.");
    const std::string_view mantissa = digits.substr(0, points);
    if (mantissa.find('.') != mantissa.rfind('.'))
      return InvalidArgument("multiple points").WithType("number_format_exception");
    return NumberFormat(whole);
  }
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(digits).c_str(), nullptr);
  return sign * value;
}

bool IsPlainInteger(std::string_view text, int64_t& out) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (digits.empty() || (text.starts_with('+') && digits.front() == '-')) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc() && end == digits.data() + digits.size();
}

struct IntegerType {
  int64_t low, high;
  const char* article_name;  // "an integer"
  const char* name;          // "Integer"
};

IntegerType TypeOf(FieldType type) {
  switch (type) {
    case FieldType::kInteger:
      return {INT32_MIN, INT32_MAX, "an integer", "Integer"};
    case FieldType::kShort:
      return {INT16_MIN, INT16_MAX, "a short", "Short"};
    case FieldType::kByte:
      return {INT8_MIN, INT8_MAX, "a byte", "Integer"};
    default:
      return {INT64_MIN, INT64_MAX, "a long", "Long"};
  }
}

Status OutOfRange(std::string_view shown, const char* article_name) {
  return Illegal("Value [" + std::string(shown) + "] is out of range for " + article_name);
}

// 2^63 as a double: the first magnitude no int64 has.
constexpr double kTwo63 = 9223372036854775808.0;

// The number in a string, before the narrow types' own limits.
Result<double> NumberInString(const Field& field, std::string_view text) {
  const bool wide = field.type == FieldType::kLong;
  const bool loose = text != Trim(text) || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos;
  auto parsed = wide && loose ? Result<double>(NumberFormat(text)) : ParseJavaDouble(text);
  if (!parsed.ok() && wide) return Illegal("For input string: \"" + std::string(text) + "\"");
  return parsed;
}

Result<int64_t> IntegerFromString(const Field& field, const IntegerType& type, std::string_view text) {
  if (!field.coerce) return Illegal(std::string(type.name) + " value passed as String");
  int64_t value = 0;
  // Bytes are read as integers and narrowed then.
  const bool byte = field.type == FieldType::kByte;
  const IntegerType first = byte ? TypeOf(FieldType::kInteger) : type;
  if (!IsPlainInteger(text, value)) {
    TIERCEL_TRY_ASSIGN(const double number, NumberInString(field, text));
    if (std::isnan(number)) return 0;
    if (number >= kTwo63 || number < -kTwo63) return OutOfRange(text, first.article_name);
    value = static_cast<int64_t>(number);
  }
  if (value < first.low || value > first.high) return OutOfRange(text, first.article_name);
  if (value < type.low || value > type.high) return OutOfRange(std::to_string(value), type.article_name);
  return value;
}

Status NumericOutOfRange(const Field& field, json::Value value) {
  const bool wide = field.type == FieldType::kLong;
  return json::ErrorAfter(
      value,
      "Numeric value (" + std::string(value.raw()) + ") out of range of " +
          (wide ? "long (-9223372036854775808 - 9223372036854775807)" : "int (-2147483648 - 2147483647)"),
      "input_coercion_exception");
}

Result<int64_t> IntegerFromNumber(const Field& field, const IntegerType& type, json::Value value) {
  int64_t number = 0;
  if (value.type() == json::Type::kInt64) {
    number = value.as_int64();
  } else {
    const double real = value.as_double();
    if (value.type() == json::Type::kUint64 || !(real >= -kTwo63 && real < kTwo63))
      return NumericOutOfRange(field, value);
    number = static_cast<int64_t>(real);
    if (!field.coerce && static_cast<double>(number) != real) {
      std::string shown;
      json::AppendDouble(real, shown);
      return Illegal(shown + " cannot be converted to " + type.name + " without data loss");
    }
  }
  if (field.type != FieldType::kLong && (number < INT32_MIN || number > INT32_MAX))
    return NumericOutOfRange(field, value);
  if (field.type == FieldType::kShort && (number < type.low || number > type.high)) {
    return json::ErrorAfter(value, "Numeric value (" + std::string(value.raw()) + ") out of range of Java short",
                            "input_coercion_exception");
  }
  if (number < type.low || number > type.high) return OutOfRange(std::to_string(number), type.article_name);
  return number;
}

Result<int64_t> EncodeUnsigned(json::Value value) {
  uint64_t number = 0;
  const std::string text = value.ToDisplayString();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole) {
    TIERCEL_TRY_ASSIGN(const double real, ParseJavaDouble(text));
    if (!(real >= 0 && real < 2 * kTwo63)) return Illegal("Value [" + text + "] is out of range for unsigned long");
    if (real != std::floor(real)) return Illegal("Value \"" + text + "\" has a decimal part");
    number = static_cast<uint64_t>(real);
  }
  return static_cast<int64_t>(number ^ (1ULL << 63));
}

Status NotFinite(const Field& field, double value, bool single) {
  std::string shown;
  if (single)
    json::AppendFloat(static_cast<float>(value), shown);
  else
    json::AppendDouble(value, shown);
  return Illegal("[" + std::string(TypeName(field.type)) + "] supports only finite values, but got [" + shown + "]");
}

Result<float> SingleOf(json::Value value, double parsed) {
  // From the digits themselves: by way of a double the last bit may come out wrong.
  const std::string_view digits = value.is_string() ? Trim(value.as_string()) : value.raw();
  float single = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), single);
  return error == std::errc() && end == digits.data() + digits.size() ? single : static_cast<float>(parsed);
}

Result<int64_t> EncodeReal(const Field& field, json::Value value) {
  double real = 0;
  if (value.is_string()) {
    if (!field.coerce)
      return Illegal(std::string(field.type == FieldType::kDouble ? "Double" : "Float") + " value passed as String");
    TIERCEL_TRY_ASSIGN(real, ParseJavaDouble(value.as_string()));
  } else {
    real = value.as_double();
  }
  if (field.type == FieldType::kDouble) {
    if (!std::isfinite(real)) return NotFinite(field, real, false);
    return EncodeDouble(real);
  }
  if (field.type == FieldType::kScaledFloat) {
    if (!std::isfinite(real)) return NotFinite(field, real, false);
    const double scaled = std::floor(real * field.scaling_factor + 0.5);
    if (scaled >= kTwo63) return INT64_MAX;
    if (scaled < -kTwo63) return INT64_MIN;
    return static_cast<int64_t>(scaled);
  }
  TIERCEL_TRY_ASSIGN(const float single, SingleOf(value, real));
  if (!std::isfinite(single)) return NotFinite(field, single, true);
  if (field.type == FieldType::kFloat) return EncodeFloat(single);
  const float half = RoundToHalf(single);
  if (!std::isfinite(half)) return NotFinite(field, single, true);
  return EncodeFloat(half);
}

std::string_view NumberToken(json::Value value) {
  switch (value.type()) {
    case json::Type::kBool:
      return value.as_bool() ? "VALUE_TRUE" : "VALUE_FALSE";
    case json::Type::kInt64:
    case json::Type::kUint64:
      return "VALUE_NUMBER_INT";
    case json::Type::kDouble:
      return value.has_fraction_syntax() ? "VALUE_NUMBER_FLOAT" : "VALUE_NUMBER_INT";
    default:
      return json::TokenName(value.type());
  }
}

Result<int64_t> EncodeBoolean(json::Value value) {
  if (value.is_bool()) return value.as_bool() ? 1 : 0;
  if (!value.is_string()) {
    return json::ErrorAfter(value, "Current token (" + std::string(NumberToken(value)) + ") not of boolean type",
                            "json_parse_exception");
  }
  const std::string_view text = value.as_string();
  if (text == "true") return 1;
  if (text == "false" || text.empty()) return 0;
  return Illegal("Failed to parse value [" + std::string(text) + "] as only [true] or [false] are allowed.");
}

}  // namespace

float RoundToHalf(float value) {
  if (!std::isfinite(value) || value == 0) return value;
  constexpr int kMantissaBits = 11;
  int exponent = 0;
  std::frexp(value, &exponent);
  // Below 2^-14 the steps stay 2^-24 wide.
  const float step = std::ldexp(1.0f, std::max(exponent, -13) - kMantissaBits);
  const float rounded = std::nearbyint(value / step) * step;
  return std::fabs(rounded) > 65504.0f ? std::copysign(std::numeric_limits<float>::infinity(), value) : rounded;
}

Result<int64_t> EncodeDocumentNumber(const Field& field, json::Value value) {
  if (field.type == FieldType::kBoolean) return EncodeBoolean(value);
  if (value.is_object() || value.is_array()) return Illegal("Cannot parse object as number");
  if (value.is_bool()) {
    return json::ErrorAfter(
        value,
        "Current token (" + std::string(NumberToken(value)) + ") not numeric, can not use numeric value accessors",
        "json_parse_exception");
  }
  if (field.type == FieldType::kUnsignedLong) return EncodeUnsigned(value);
  if (!field.is_integer_like()) return EncodeReal(field, value);
  const IntegerType type = TypeOf(field.type);
  return value.is_string() ? IntegerFromString(field, type, value.as_string()) : IntegerFromNumber(field, type, value);
}

Result<int64_t> EncodeNumeric(const Field& field, json::Value value, int64_t now_ms) {
  if (field.type == FieldType::kDate) {
    DateParseOptions options;
    options.format = field.format;
    options.now_ms = now_ms;
    return ParseDate(value.ToDisplayString(), options);
  }
  if (field.type == FieldType::kBoolean) {
    auto encoded = EncodeDocumentNumber(field, value);
    if (encoded.ok()) return encoded;
    return Illegal("Can't parse boolean value [" + value.ToDisplayString() + "], expected [true] or [false]");
  }
  if (!field.is_number())
    return Illegal("Field [" + field.name + "] of type [" + std::string(TypeName(field.type)) + "] is not numeric");
  if (value.is_bool()) return NumberFormat(value.ToDisplayString());
  Field lenient;  // queries coerce whatever the field says
  lenient.type = field.type;
  lenient.scaling_factor = field.scaling_factor;
  auto encoded = EncodeDocumentNumber(lenient, value);
  if (!encoded.ok() && encoded.error().message().starts_with("For input string"))
    return NumberFormat(value.ToDisplayString());
  return encoded;
}

void WriteNumeric(const Field& field, int64_t encoded, std::string_view format, json::Writer& writer) {
  switch (field.type) {
    case FieldType::kBoolean:
      writer.Bool(encoded != 0);
      return;
    case FieldType::kUnsignedLong:
      writer.Uint(static_cast<uint64_t>(encoded) ^ (1ULL << 63));
      return;
    case FieldType::kDouble:
      writer.Double(DecodeDouble(encoded));
      return;
    // Single precision widens: 0.1f is 0.10000000149011612.
    case FieldType::kFloat:
    case FieldType::kHalfFloat:
      writer.Double(DecodeFloat(encoded));
      return;
    case FieldType::kScaledFloat:
      writer.Double(static_cast<double>(encoded) / field.scaling_factor);
      return;
    case FieldType::kDate:
      if (!format.empty()) {
        if (const auto text = FormatDate(encoded, format); text.ok()) {
          writer.String(*text);
          return;
        }
      }
      writer.Int(encoded);
      return;
    default:
      writer.Int(encoded);
      return;
  }
}

}  // namespace tiercel::mapping
