// The parameters of field types in a mapping: names, defaults, and what may change once a field exists.
//
// A leaf keeps every parameter as JSON text in canonical form ("" when it was not given), so that reading, echoing,
// merging and reporting conflicts are the same few lines for all of them.
//
// Thread safety: constant tables and pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/field.h"

namespace tiercel::mapping {

enum class ParameterKind : uint8_t {
  kBool,
  kInteger,
  kPositive,  // an integer >= 0 whose name the error shows
  kScalingFactor,
  kString,
  kChoice,  // one of Parameter::choices
  kAnalyzer,
  kNormalizer,
  kSimilarity,  // of text and keyword scoring
  kDateFormat,
  kNullValue,
  kMeta,
  kJson,    // taken as it is
  kVector,  // checked together with the field's other vector parameters
};

struct Parameter {
  std::string_view name;
  ParameterKind kind;
  std::string_view fallback;  // JSON text; empty: null
  bool updateable;
  std::string_view choices;  // "docs, freqs"
};

// In the order in which Elasticsearch checks and shows them.
std::span<const Parameter> ParametersOf(FieldType type);
// Index into ParametersOf, or -1.
int FindParameter(FieldType type, std::string_view name);

struct ParameterContext {
  std::string_view field_name;  // as errors show it
  FieldType type;
};
// Canonical JSON text of a parameter's value, "" for an explicit null.
Result<std::string> ReadParameter(const Parameter& parameter, json::Value value, const ParameterContext& context);

// A boolean, or the strings "true" and "false".
Result<bool> ReadBool(json::Value value);

}  // namespace tiercel::mapping
