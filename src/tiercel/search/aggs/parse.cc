#include "tiercel/search/aggs/parse.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tiercel::search::aggs {
namespace {

constexpr uint32_t kDepthMax = 32;

struct Type {
  std::string_view name;
  Factory parse;
};
constexpr Type kTypes[] = {
    {"avg", ParseAvg},
    {"cardinality", ParseCardinality},
    {"date_histogram", ParseDateHistogram},
    {"date_range", ParseDateRange},
    {"filter", ParseFilter},
    {"filters", ParseFilters},
    {"global", ParseGlobal},
    {"histogram", ParseHistogram},
    {"max", ParseMax},
    {"min", ParseMin},
    {"missing", ParseMissing},
    {"percentiles", ParsePercentiles},
    {"range", ParseRange},
    {"stats", ParseStats},
    {"sum", ParseSum},
    {"terms", ParseTerms},
    {"value_count", ParseValueCount},
};

// Lines and columns are found by walking the text a value lies in.
std::pair<uint32_t, uint32_t> LineColumnAt(const char* text, size_t offset) {
  uint32_t line = 1;
  size_t line_start = 0;
  for (size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') ++line, line_start = i + 1;
  }
  return {line, static_cast<uint32_t>(offset - line_start + 1)};
}

std::pair<uint32_t, uint32_t> LastToken(json::Value value) {
  const size_t last = value.is_array() || value.is_object() ? value.raw().size() - 1 : 0;
  return LineColumnAt(value.raw().data() - value.offset(), value.offset() + last);
}

// A member's key stands before its value; walks back over ':' and white space to its opening quote.
std::pair<uint32_t, uint32_t> KeyPosition(json::Value value) {
  const char* text = value.raw().data() - value.offset();
  size_t at = value.offset();
  while (at > 0 && text[at - 1] != '"') --at;
  if (at > 0) --at;
  const auto escaped = [&](size_t quote) {
    size_t slashes = 0;
    while (slashes < quote && text[quote - 1 - slashes] == '\\') ++slashes;
    return slashes % 2 == 1;
  };
  while (at > 0 && (text[at - 1] != '"' || escaped(at - 1))) --at;
  return LineColumnAt(text, at > 0 ? at - 1 : 0);
}

std::string Text(std::pair<uint32_t, uint32_t> position) {
  return "[" + std::to_string(position.first) + ":" + std::to_string(position.second) + "] ";
}

Status NumberFormatException(std::string_view text) {
  return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
}

Status At(std::string message, std::pair<uint32_t, uint32_t> position) {
  return InvalidArgument(std::move(message))
      .WithType("parsing_exception")
      .With("line", std::to_string(position.first))
      .With("col", std::to_string(position.second));
}

bool ValidName(std::string_view name) { return !name.empty() && name.find_first_of("[]>") == std::string_view::npos; }

Result<std::unique_ptr<Spec>> ParseType(std::string_view type, const std::string& name, json::Value body) {
  for (const Type& known : kTypes) {
    if (known.name == type) return known.parse(name, body);
  }
  const auto position = LineColumnAt(body.raw().data() - body.offset(), body.offset());
  return At("Unknown aggregation type [" + std::string(type) + "]", position)
      .WithCause(InvalidArgument(Text(position) + "unknown field [" + std::string(type) + "]")
                     .WithType("named_object_not_found_exception"));
}

struct Definition {
  std::unique_ptr<Spec> spec;
  std::vector<std::unique_ptr<Spec>> children;
  bool has_children = false;
  std::string meta_json;
};

Status ReadDefinitionMember(const std::string& name, std::string_view key, json::Value value, uint32_t depth,
                            Definition& definition) {
  if (!value.is_object()) {
    return ParsingException("Expected [START_OBJECT] under [" + std::string(key) + "], but got a [" +
                                std::string(json::TokenName(value.type())) + "] in [" + name + "]",
                            value);
  }
  if (key == "meta") {
    definition.meta_json = value.raw();
    return {};
  }
  const auto start = LineColumnAt(value.raw().data() - value.offset(), value.offset());
  if (key == "aggs" || key == "aggregations") {
    if (std::exchange(definition.has_children, true))
      return At("Found two sub aggregation definitions under [" + name + "]", start);
    TIERCEL_TRY_ASSIGN(definition.children, ParseAggregations(value, depth + 1));
    return {};
  }
  if (definition.spec) {
    return At("Found two aggregation type definitions in [" + name + "]: [" + definition.spec->type() + "] and [" +
                  std::string(key) + "]",
              start);
  }
  TIERCEL_TRY_ASSIGN(definition.spec, ParseType(key, name, value));
  return {};
}

Result<std::unique_ptr<Spec>> ParseDefinition(const std::string& name, json::Value value, uint32_t depth) {
  if (!value.is_object()) {
    return ParsingException("Aggregation definition for [" + name + " starts with a [" +
                                std::string(json::TokenName(value.type())) + "], expected a [START_OBJECT].",
                            value);
  }
  Definition definition;
  for (const auto [key, member] : value.members())
    TIERCEL_TRY(ReadDefinitionMember(name, key, member, depth, definition));
  if (!definition.spec) return ParsingException("Missing definition for aggregation [" + name + "]", value);
  if (!definition.children.empty() && !definition.spec->accepts_children()) {
    return InvalidArgument("Aggregator [" + name + "] of type [" + definition.spec->type() +
                           "] cannot accept sub-aggregations");
  }
  for (auto& child : definition.children) definition.spec->AddChild(std::move(child));
  definition.spec->set_meta_json(std::move(definition.meta_json));
  return std::move(definition.spec);
}

}  // namespace

std::string Position(json::Value value) { return Text(LastToken(value)); }

Status ParsingException(std::string message, json::Value at) { return At(std::move(message), LastToken(at)); }

Status Parameter::Failed(Status cause) const {
  return InvalidArgument(Position(value_) + "[" + owner_ + "] failed to parse field [" + key_ + "]")
      .WithType("x_content_parse_exception")
      .WithCause(std::move(cause));
}

Status Parameter::FailedAt(json::Value inner, Status cause) const {
  const auto [line, column] = inner.line_column();
  return InvalidArgument(Text({line, column}) + "[" + owner_ + "] failed to parse field [" + key_ + "]")
      .WithType("x_content_parse_exception")
      .WithCause(std::move(cause));
}

Status Parameter::WrongType() const {
  const auto [line, column] = value_.line_column();
  return InvalidArgument(Text({line, column}) + "[" + owner_ + "] " + key_ +
                         " doesn't support values of type: " + std::string(json::TokenName(value_.type())))
      .WithType("x_content_parse_exception");
}

Status Parameter::Unknown() const {
  return InvalidArgument(Text(KeyPosition(value_)) + "[" + owner_ + "] unknown field [" + key_ + "]")
      .WithType("x_content_parse_exception");
}

Result<std::string> Parameter::String() const {
  if (!value_.is_string()) return WrongType();
  return std::string(value_.as_string());
}

Result<bool> Parameter::Bool() const {
  if (value_.is_bool()) return value_.as_bool();
  if (!value_.is_string()) return WrongType();
  if (value_.as_string() == "true") return true;
  if (value_.as_string() == "false") return false;
  return Failed(InvalidArgument("Failed to parse value [" + std::string(value_.as_string()) +
                                "] as only [true] or [false] are allowed."));
}

Result<int64_t> Parameter::Int() const {
  TIERCEL_TRY_ASSIGN(const double number, Double());
  if (!(std::fabs(number) <= 2147483648.0)) {
    return Failed(InvalidArgument("Numeric value (" + value_.ToDisplayString() +
                                  ") out of range of int (-2147483648 - 2147483647)")
                      .WithType("input_coercion_exception"));
  }
  return static_cast<int64_t>(number);
}

Result<double> Parameter::Double() const {
  if (value_.is_number()) return value_.as_double();
  if (!value_.is_string()) return WrongType();
  const auto number = ParseNumber(value_.as_string());
  if (!number.ok()) return Failed(NumberFormatException(value_.as_string()));
  return *number;
}

Result<Scalar> Parameter::AnyScalar() const {
  if (value_.is_array() || value_.is_object()) return WrongType();
  return Scalar::From(value_);
}

Result<int64_t> Parameter::IntAtLeast(int64_t min, std::string_view label, std::string_view name) const {
  TIERCEL_TRY_ASSIGN(const int64_t number, Int());
  if (number >= min) return number;
  return Failed(InvalidArgument("[" + std::string(label) + "] must be greater than " +
                                (min == 0 ? "or equal to 0" : "0") + ". Found [" + std::to_string(number) + "] in [" +
                                std::string(name) + "]"));
}

Result<bool> ReadValueParameter(const Parameter& parameter, const std::string& name, uint32_t extras, ValueSpec& spec) {
  if (parameter.key() == "field") {
    TIERCEL_TRY_ASSIGN(spec.field, parameter.String());
  } else if (parameter.key() == "missing") {
    TIERCEL_TRY_ASSIGN(spec.missing, parameter.AnyScalar());
    if (parameter.value().is_null())
      return parameter.Failed(InvalidArgument("[missing] must not be null: [" + name + "]"));
  } else if (parameter.key() == "value_type") {
    TIERCEL_TRY_ASSIGN(spec.value_type, parameter.String());
  } else if (parameter.key() == "format" && extras & kFormat) {
    TIERCEL_TRY_ASSIGN(spec.format, parameter.String());
  } else if (parameter.key() == "time_zone" && extras & kTimeZone) {
    TIERCEL_TRY_ASSIGN(spec.time_zone, parameter.String());
  } else if (parameter.key() == "script") {
    return Unimplemented("scripts are not supported in aggregations").WithType("illegal_argument_exception");
  } else {
    return false;
  }
  return true;
}

Status RequireField(const ValueSpec& spec) {
  if (!spec.field.empty()) return {};
  return InvalidArgument("Required one of fields [field, script], but none were specified.");
}

Result<std::vector<std::unique_ptr<Spec>>> ParseAggregations(json::Value aggs, uint32_t depth) {
  if (!aggs.is_object())
    return ParsingException("Unknown key for a " + std::string(json::TokenName(aggs.type())) + " in [aggs].", aggs);
  if (depth >= kDepthMax) {
    return InvalidArgument("aggregations are nested more than [" + std::to_string(kDepthMax) + "] levels deep");
  }
  std::vector<std::unique_ptr<Spec>> specs;
  for (const auto [key, value] : aggs.members()) {
    const std::string name(key);
    if (!ValidName(name)) {
      return At("Invalid aggregation name [" + name +
                    "]. Aggregation names can contain any character except '[', ']', and '>'",
                KeyPosition(value));
    }
    TIERCEL_TRY_ASSIGN(auto spec, ParseDefinition(name, value, depth));
    if (std::any_of(specs.begin(), specs.end(), [&](const auto& other) { return other->name() == name; })) {
      return InvalidArgument("Two sibling aggregations cannot have the same name: [" + name + "]");
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace tiercel::search::aggs
