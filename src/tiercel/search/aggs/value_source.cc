#include "tiercel/search/aggs/value_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tiercel/mapping/values.h"
#include "tiercel/search/fielddata_error.h"

namespace tiercel::search::aggs {
namespace {

struct KnownColumn {
  std::string_view name;
  ValueKind kind;
};
constexpr std::array<KnownColumn, 4> kMetadataColumns = {{{segment::kSeqNoField, ValueKind::kLong},
                                                          {segment::kPrimaryTermField, ValueKind::kLong},
                                                          {segment::kVersionField, ValueKind::kLong},
                                                          {segment::kIgnoredField, ValueKind::kKeyword}}};

ValueKind KindOf(const mapping::Field& field) {
  using mapping::FieldType;
  switch (field.type) {
    case FieldType::kBoolean:
      return ValueKind::kBoolean;
    case FieldType::kDate:
      return ValueKind::kDate;
    case FieldType::kIp:
      return ValueKind::kIp;
    case FieldType::kUnsignedLong:
      return ValueKind::kUnsignedLong;
    case FieldType::kDouble:
    case FieldType::kFloat:
    case FieldType::kHalfFloat:
    case FieldType::kScaledFloat:
      return ValueKind::kDouble;
    case FieldType::kLong:
    case FieldType::kInteger:
    case FieldType::kShort:
    case FieldType::kByte:
      return ValueKind::kLong;
    default:
      return ValueKind::kKeyword;
  }
}

Status NotSupported(const std::string& field, std::string_view type, const ResolveContext& context) {
  return InvalidArgument("Field [" + field + "] of type [" + std::string(type) +
                         "] is not supported for aggregation [" + *context.aggregation_type + "]");
}

Status CheckUsable(const mapping::Field& field, uint32_t accepts, const ResolveContext& context) {
  using mapping::FieldType;
  TIERCEL_TRY(CheckFielddata(field, context.target->index, FielddataUse::kAggregation));
  if (field.type == FieldType::kDenseVector) {
    if ((accepts & kEverything) != kEverything) return NotSupported(field.name, mapping::TypeName(field.type), context);
    return *context.aggregation_type == "cardinality"
               ? InvalidArgument("Cardinality aggregation [" + *context.aggregation_name +
                                 "] does not support vector fields")
               : InvalidArgument("String representation of doc values for vector fields is not supported");
  }
  if (!(accepts >> static_cast<int>(KindOf(field)) & 1))
    return NotSupported(field.name, mapping::TypeName(field.type), context);
  return {};
}

struct TypeHint {
  std::string_view name;
  ValueKind kind;
};
constexpr std::array<TypeHint, 13> kTypeHints = {{{"string", ValueKind::kKeyword},
                                                  {"keyword", ValueKind::kKeyword},
                                                  {"long", ValueKind::kLong},
                                                  {"integer", ValueKind::kLong},
                                                  {"short", ValueKind::kLong},
                                                  {"byte", ValueKind::kLong},
                                                  {"number", ValueKind::kDouble},
                                                  {"numeric", ValueKind::kDouble},
                                                  {"double", ValueKind::kDouble},
                                                  {"float", ValueKind::kDouble},
                                                  {"date", ValueKind::kDate},
                                                  {"boolean", ValueKind::kBoolean},
                                                  {"ip", ValueKind::kIp}}};

ValueKind UnmappedKind(const ValueSpec& spec, ValueKind unmapped) {
  for (const TypeHint& hint : kTypeHints) {
    if (hint.name == spec.value_type) return hint.kind;
  }
  return unmapped;
}

// Field and kind; fields inside nested objects and objects have no values of their own.
Status ResolveField(const ValueSpec& spec, uint32_t accepts, ValueKind unmapped, const ResolveContext& context,
                    ValueType& type) {
  type.column = spec.field;
  if (spec.field == "_id") {
    return InvalidArgument(
        "Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster "
        "setting: "
        "indices.id_field_data.enabled");
  }
  if (spec.field == "_source" || spec.field == "_doc_count" || spec.field == segment::kRoutingField) {
    return InvalidArgument("Fielddata is not supported on field [" + spec.field + "] of type [" + spec.field + "]");
  }
  for (const KnownColumn& known : kMetadataColumns) {
    if (known.name != spec.field) continue;
    if (!(accepts >> static_cast<int>(known.kind) & 1)) return NotSupported(spec.field, spec.field, context);
    type.kind = known.kind;
    return {};
  }
  const mapping::Field* field = context.target->mapping ? context.target->mapping->Find(spec.field) : nullptr;
  if (field == nullptr || !field->is_leaf()) {
    type.kind = UnmappedKind(spec, unmapped);
    if (type.kind == ValueKind::kDouble) type.encoding = mapping::NumericEncoding::kDouble;
    return {};
  }
  TIERCEL_TRY(CheckUsable(*field, accepts, context));
  type.field = field;
  type.kind = KindOf(*field);
  if (type.numeric()) {
    type.encoding = field->encoding();
    if (field->type == mapping::FieldType::kScaledFloat) type.factor = field->scaling_factor;
  }
  return {};
}

Status ResolveFormat(const ValueSpec& spec, ValueType& type) {
  switch (type.kind) {
    case ValueKind::kDate: {
      TIERCEL_TRY_ASSIGN(type.format, ValueFormat::Date(spec.format  ? *spec.format
                                                        : type.field ? type.field->format
                                                                     : std::string(),
                                                        spec.time_zone));
      return {};
    }
    case ValueKind::kBoolean:
      type.format = ValueFormat::Boolean();
      return {};
    case ValueKind::kIp:
      type.format = ValueFormat::Ip();
      break;
    case ValueKind::kKeyword:
      break;
    default:
      if (!spec.format) return {};
      {
        TIERCEL_TRY_ASSIGN(type.format, ValueFormat::Decimal(*spec.format));
      }
      return {};
  }
  if (spec.format && type.field) {
    return InvalidArgument("Field [" + type.field->name + "] of type [" +
                           std::string(mapping::TypeName(type.field->type)) + "] does not support custom formats");
  }
  return {};
}

Status ResolveMissing(const ValueSpec& spec, const ResolveContext& context, ValueType& type) {
  if (!spec.missing) return {};
  if (type.kind == ValueKind::kIp) {
    TIERCEL_TRY_ASSIGN(type.missing_term, mapping::ParseIp(spec.missing->text));
    return {};
  }
  if (type.kind == ValueKind::kKeyword) {
    type.missing_term = spec.missing->text;
    return {};
  }
  TIERCEL_TRY_ASSIGN(type.missing_number, ScalarToNumber(*spec.missing, type, context.now_ms()));
  const int64_t stored = type.ToStored(*type.missing_number);
  if (type.ToDouble(stored) == *type.missing_number) type.missing_encoded = stored;
  return {};
}

// Rounds to the nearest half-precision number, ties to even.
double RoundToHalf(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, -13) - 11);
  return std::nearbyint(value / unit) * unit;
}

}  // namespace

Result<ValueFormat> ValueFormat::Date(const std::string& pattern, const std::string& time_zone) {
  ValueFormat format(Style::kDate);
  format.pattern_ = pattern;
  format.time_zone_ = time_zone;
  TIERCEL_TRY_ASSIGN(format.date_,
                     mapping::DateFormat::Compile(pattern.empty() ? "strict_date_optional_time" : pattern));
  if (!time_zone.empty()) {
    TIERCEL_TRY_ASSIGN(format.zone_, mapping::TimeZone::Parse(time_zone));
  }
  return format;
}

Result<ValueFormat> ValueFormat::Decimal(std::string_view pattern) {
  ValueFormat format(Style::kDecimal);
  format.pattern_ = pattern;
  TIERCEL_TRY_ASSIGN(format.decimal_, NumberFormat::Parse(pattern));
  return format;
}

Result<std::string> ValueFormat::Text(double value) const {
  switch (style_) {
    case Style::kDecimal:
      return decimal_->Format(value);
    case Style::kBoolean:
      return std::string(value != 0 ? "true" : "false");
    case Style::kDate: {
      constexpr double kLimit = 9.2e18;
      return date_->Format(static_cast<int64_t>(std::clamp(std::isnan(value) ? 0 : value, -kLimit, kLimit)), zone_);
    }
    default:
      break;
  }
  std::string text;
  json::AppendDouble(value, text);
  return text;
}

Status ValueFormat::WriteMember(std::string_view name, double value, bool boolean_as_json, json::Writer& writer) const {
  if (!has_text()) return {};
  if (style_ == Style::kBoolean && boolean_as_json) {
    writer.Member(name, value != 0);
    return {};
  }
  TIERCEL_TRY_ASSIGN(const std::string text, Text(value));
  writer.Member(name, std::string_view(text));
  return {};
}

int64_t ValueType::ToStored(double value) const {
  constexpr double kInt64Limit = 9223372036854775808.0;
  switch (encoding) {
    case mapping::NumericEncoding::kDouble:
      return mapping::EncodeDouble(value);
    case mapping::NumericEncoding::kFloat: {
      const bool half = field != nullptr && field->type == mapping::FieldType::kHalfFloat;
      return mapping::EncodeFloat(static_cast<float>(half ? RoundToHalf(value) : value));
    }
    case mapping::NumericEncoding::kUint64: {
      const uint64_t number = !(value > 0) ? 0 : value >= 2 * kInt64Limit ? UINT64_MAX : static_cast<uint64_t>(value);
      return static_cast<int64_t>(number ^ (uint64_t{1} << 63));
    }
    case mapping::NumericEncoding::kInt64:
      break;
  }
  const double scaled = factor == 1 ? value : std::round(value * factor);
  if (std::isnan(scaled)) return 0;
  return scaled >= kInt64Limit ? INT64_MAX : scaled < -kInt64Limit ? INT64_MIN : static_cast<int64_t>(scaled);
}

Result<double> ParseNumber(std::string_view text) {
  double value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    if (text.empty()) return InvalidArgument("empty String").WithType("number_format_exception");
    return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
  }
  return value;
}

Result<double> ScalarToNumber(const Scalar& scalar, const ValueType& type, int64_t now_ms) {
  const bool is_string = scalar.type == json::Type::kString;
  if (type.kind == ValueKind::kDate && is_string) {
    TIERCEL_TRY_ASSIGN(const int64_t ms, mapping::ParseDate(scalar.text, {.format = type.format.pattern(),
                                                                          .time_zone = type.format.time_zone(),
                                                                          .now_ms = now_ms}));
    return static_cast<double>(ms);
  }
  if (scalar.text == "true" || scalar.text == "false") {
    if (type.kind == ValueKind::kBoolean || scalar.type == json::Type::kBool) return scalar.text == "true" ? 1.0 : 0.0;
  }
  TIERCEL_TRY_ASSIGN(const double number, ParseNumber(scalar.text));
  if (type.kind == ValueKind::kBoolean) return number != 0 ? 1.0 : 0.0;
  return number;
}

Result<ValueType> ResolveValues(const ValueSpec& spec, uint32_t accepts, ValueKind unmapped,
                                const ResolveContext& context) {
  ValueType type;
  if (spec.field == "_index" && accepts == kEverything) {
    type.missing_term = context.target->index;  // every document has it, no column does
    return type;
  }
  TIERCEL_TRY(ResolveField(spec, accepts, unmapped, context, type));
  TIERCEL_TRY(ResolveFormat(spec, type));
  TIERCEL_TRY(ResolveMissing(spec, context, type));
  return type;
}

}  // namespace tiercel::search::aggs
