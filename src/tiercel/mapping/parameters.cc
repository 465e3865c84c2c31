#include "tiercel/mapping/parameters.h"

#include <charconv>

#include "tiercel/analysis/analyzer.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/dates.h"
#include "tiercel/mapping/numbers.h"
#include "tiercel/mapping/values.h"

namespace tiercel::mapping {
namespace {

using Kind = ParameterKind;

constexpr Parameter kIndex{"index", Kind::kBool, "true", false, {}};
constexpr Parameter kDocValues{"doc_values", Kind::kBool, "true", false, {}};
constexpr Parameter kStore{"store", Kind::kBool, "false", false, {}};
constexpr Parameter kIgnoreMalformed{"ignore_malformed", Kind::kBool, "false", true, {}};
constexpr Parameter kCoerce{"coerce", Kind::kBool, "true", true, {}};
constexpr Parameter kNullValue{"null_value", Kind::kNullValue, "", false, {}};
constexpr Parameter kMeta{"meta", Kind::kMeta, "{}", true, {}};
constexpr Parameter kDimension{"time_series_dimension", Kind::kBool, "false", false, {}};
constexpr Parameter kMetric{"time_series_metric", Kind::kChoice, "", true, "gauge, counter"};
constexpr Parameter kEagerOrdinals{"eager_global_ordinals", Kind::kBool, "false", true, {}};
constexpr Parameter kSimilarity{"similarity", Kind::kSimilarity, "\"BM25\"", false, {}};

constexpr Parameter kNumberParameters[] = {kIndex,     kDocValues, kStore,     kIgnoreMalformed, kCoerce,
                                           kNullValue, kMeta,      kDimension, kMetric};
constexpr Parameter kScaledFloatParameters[] = {
    kIndex,  kDocValues, kStore,     kIgnoreMalformed, {"scaling_factor", Kind::kScalingFactor, "", true, {}},
    kCoerce, kNullValue, kDimension, kMetric,          kMeta};
constexpr Parameter kUnsignedLongParameters[] = {kIndex,     kDocValues, kStore,     kIgnoreMalformed,
                                                 kNullValue, kMeta,      kDimension, kMetric};
constexpr Parameter kKeywordParameters[] = {kIndex,
                                            kDocValues,
                                            kStore,
                                            kNullValue,
                                            kEagerOrdinals,
                                            {"ignore_above", Kind::kPositive, "2147483647", true, {}},
                                            {"index_options", Kind::kChoice, "\"docs\"", false, "docs, freqs"},
                                            {"norms", Kind::kBool, "false", false, {}},
                                            kSimilarity,
                                            {"normalizer", Kind::kNormalizer, "", false, {}},
                                            {"split_queries_on_whitespace", Kind::kBool, "false", true, {}},
                                            kMeta,
                                            kDimension};
constexpr Parameter kTextParameters[] = {
    kStore,
    kIndex,
    {"index_options", Kind::kChoice, "\"positions\"", false, "positions, docs, freqs, offsets"},
    {"norms", Kind::kBool, "true", false, {}},
    {"term_vector", Kind::kChoice, "\"no\"", false,
     "no, yes, with_positions, with_offsets, with_positions_offsets, with_positions_payloads, "
     "with_positions_offsets_payloads"},
    {"analyzer", Kind::kAnalyzer, "\"default\"", false, {}},
    {"search_analyzer", Kind::kAnalyzer, "\"default\"", true, {}},
    {"search_quote_analyzer", Kind::kAnalyzer, "\"default\"", true, {}},
    {"position_increment_gap", Kind::kInteger, "-1", false, {}},
    kSimilarity,
    {"fielddata", Kind::kBool, "false", true, {}},
    {"fielddata_frequency_filter", Kind::kJson, "", true, {}},
    kEagerOrdinals,
    {"index_phrases", Kind::kBool, "false", false, {}},
    {"index_prefixes", Kind::kJson, "", false, {}},
    kMeta};
constexpr Parameter kDateParameters[] = {
    kIndex,
    kDocValues,
    kStore,
    {"format", Kind::kDateFormat, "\"strict_date_optional_time||epoch_millis\"", false, {}},
    {"locale", Kind::kString, "\"en\"", false, {}},
    kNullValue,
    kIgnoreMalformed,
    kMeta};
constexpr Parameter kBooleanParameters[] = {kIndex,           kDocValues, kStore,    kNullValue,
                                            kIgnoreMalformed, kMeta,      kDimension};
constexpr Parameter kIpParameters[] = {kIndex, kDocValues, kStore, kIgnoreMalformed, kNullValue, kMeta, kDimension};
constexpr Parameter kVectorParameters[] = {{"element_type", Kind::kVector, "\"float\"", false, {}},
                                           {"dims", Kind::kVector, "", false, {}},
                                           {"index", Kind::kBool, "true", false, {}},
                                           {"similarity", Kind::kVector, "", false, {}},
                                           {"index_options", Kind::kVector, "", false, {}},
                                           kMeta};

std::string Quoted(std::string_view text) {
  std::string out;
  json::AppendQuoted(text, out);
  return out;
}

Status MapperParsing(std::string message) {
  return InvalidArgument(std::move(message)).WithType("mapper_parsing_exception");
}

Result<int64_t> ReadInteger(json::Value value) {
  if (value.type() == json::Type::kInt64) return value.as_int64();
  if (value.is_number()) return static_cast<int64_t>(value.as_double());
  const std::string text = value.ToDisplayString();
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) {
    return InvalidArgument("For input string: \"" + text + "\"").WithType("number_format_exception");
  }
  return out;
}

Result<std::string> ReadPositive(const Parameter& parameter, json::Value value) {
  TIERCEL_TRY_ASSIGN(const int64_t number, ReadInteger(value));
  if (number < 0)
    return InvalidArgument("[" + std::string(parameter.name) + "] must be positive, got [" + std::to_string(number) +
                           "]");
  return std::to_string(number);
}

Result<std::string> ReadScalingFactor(json::Value value, const ParameterContext& context) {
  Field field;
  field.type = FieldType::kDouble;
  TIERCEL_TRY_ASSIGN(const int64_t encoded, EncodeDocumentNumber(field, value));
  std::string shown;
  json::AppendDouble(DecodeDouble(encoded), shown);
  if (DecodeDouble(encoded) <= 0)
    return InvalidArgument("[scaling_factor] must be a positive number, got [" + shown + "]");
  static_cast<void>(context);
  return shown;
}

Result<std::string> ReadChoice(const Parameter& parameter, json::Value value) {
  const std::string text = value.ToDisplayString();
  std::string_view rest = parameter.choices;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, end) == text) return Quoted(text);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return MapperParsing("Unknown value [" + text + "] for field [" + std::string(parameter.name) +
                       "] - accepted values are [" + std::string(parameter.choices) + "]");
}

Result<std::string> ReadMeta(json::Value value, const ParameterContext& context) {
  const std::string name(context.field_name);
  if (!value.is_object())
    return MapperParsing("[meta] must be an object, got " + value.ToDisplayString() + " for field [" + name + "]");
  if (value.size() > 5)
    return MapperParsing("[meta] can't have more than 5 entries, but got " + std::to_string(value.size()) +
                         " on field [" + name + "]");
  for (const auto [key, entry] : value.members()) {
    if (entry.is_string()) continue;
    const std::string_view java = entry.is_integer()  ? "Integer"
                                  : entry.is_number() ? "Double"
                                  : entry.is_bool()   ? "Boolean"
                                                      : "Object";
    return MapperParsing("[meta] values can only be strings, but got " + std::string(java) + "[" +
                         entry.ToDisplayString() + "] for field [" + name + "]");
  }
  return std::string(value.raw());
}

// A number as the field has it: "3" is 3.
std::string CanonicalNumber(const Field& field, int64_t encoded, json::Value value) {
  if (field.type == FieldType::kBoolean) return encoded != 0 ? "true" : "false";
  if (!field.is_integer_like()) return value.is_string() ? std::string(value.as_string()) : std::string(value.raw());
  std::string out;
  json::Writer writer(out);
  WriteNumeric(field, encoded, {}, writer);
  return out;
}

Result<std::string> ReadNullValue(json::Value value, const ParameterContext& context) {
  Field field;
  field.type = context.type;
  field.name = context.field_name;
  if (field.is_number() || field.type == FieldType::kBoolean) {
    auto encoded = EncodeDocumentNumber(field, value);
    if (encoded.ok()) return CanonicalNumber(field, *encoded, value);
    if (field.is_number() && value.is_string()) {
      return InvalidArgument(encoded.error().message()).WithType("number_format_exception");
    }
    return std::move(encoded).status();
  }
  if (field.type == FieldType::kIp) {
    if (auto address = ParseIp(value.ToDisplayString()); !address.ok()) {
      Status cause = std::move(address).status();
      return MapperParsing("Error parsing [null_value] on field [" + field.name + "]: " + cause.message())
          .WithCause(std::move(cause));
    }
  }
  return value.is_string() ? Quoted(value.as_string()) : std::string(value.raw());
}

}  // namespace

std::span<const Parameter> ParametersOf(FieldType type) {
  switch (type) {
    case FieldType::kText:
      return kTextParameters;
    case FieldType::kKeyword:
      return kKeywordParameters;
    case FieldType::kScaledFloat:
      return kScaledFloatParameters;
    case FieldType::kUnsignedLong:
      return kUnsignedLongParameters;
    case FieldType::kBoolean:
      return kBooleanParameters;
    case FieldType::kDate:
      return kDateParameters;
    case FieldType::kIp:
      return kIpParameters;
    case FieldType::kDenseVector:
      return kVectorParameters;
    case FieldType::kObject:
    case FieldType::kNested:
      return {};
    default:
      return kNumberParameters;
  }
}

int FindParameter(FieldType type, std::string_view name) {
  const auto parameters = ParametersOf(type);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Result<bool> ReadBool(json::Value value) {
  if (value.is_bool()) return value.as_bool();
  const std::string text = value.ToDisplayString();
  if (text == "true") return true;
  if (text == "false") return false;
  return InvalidArgument("Failed to parse value [" + text + "] as only [true] or [false] are allowed.");
}

Result<std::string> ReadParameter(const Parameter& parameter, json::Value value, const ParameterContext& context) {
  const std::string name(context.field_name);
  if (value.is_null()) {
    const bool optional =
        parameter.fallback.empty() || parameter.kind == Kind::kJson || parameter.kind == Kind::kVector;
    if (optional && parameter.name != "dims") return std::string();
    return MapperParsing("[" + std::string(parameter.name) + "] on mapper [" + name + "] of type [" +
                         std::string(TypeName(context.type)) + "] must not have a [null] value");
  }
  const std::string text = value.ToDisplayString();
  switch (parameter.kind) {
    case Kind::kBool: {
      TIERCEL_TRY_ASSIGN(const bool flag, ReadBool(value));
      return std::string(flag ? "true" : "false");
    }
    case Kind::kInteger: {
      TIERCEL_TRY_ASSIGN(const int64_t number, ReadInteger(value));
      return std::to_string(number);
    }
    case Kind::kPositive:
      return ReadPositive(parameter, value);
    case Kind::kScalingFactor:
      return ReadScalingFactor(value, context);
    case Kind::kString:
      return Quoted(text);
    case Kind::kChoice:
      return ReadChoice(parameter, value);
    case Kind::kAnalyzer:
      if (analysis::FindAnalyzer(text) == nullptr)
        return InvalidArgument("analyzer [" + text + "] has not been configured in mappings");
      return Quoted(text);
    case Kind::kNormalizer:
      if (text != "lowercase") return MapperParsing("normalizer [" + text + "] not found for field [" + name + "]");
      return Quoted(text);
    case Kind::kSimilarity:
      if (text != "BM25" && text != "boolean")
        return MapperParsing("Unknown Similarity type [" + text + "] for field [" + name + "]");
      return Quoted(text);
    case Kind::kDateFormat: {
      auto format = DateFormat::Compile(text);
      if (format.ok()) return Quoted(text);
      Status cause = std::move(format).status();
      return InvalidArgument("Error parsing [format] on field [" + name + "]: " + cause.message())
          .WithCause(std::move(cause));
    }
    case Kind::kNullValue:
      return ReadNullValue(value, context);
    case Kind::kMeta:
      return ReadMeta(value, context);
    case Kind::kJson:
    case Kind::kVector:
      return std::string(value.raw());
  }
  return std::string();
}

}  // namespace tiercel::mapping
