// Where an aggregation's values come from: what the request says (ValueSpec), resolved against a mapping (ValueType),
// and how results of such values are printed (ValueFormat).
//
// Thread safety: values; immutable once made. Lifetime: a ValueType borrows the field of the mapping it was resolved
// against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/dates.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/search/aggs/number_format.h"
#include "tiercel/search/search.h"

namespace tiercel::search::aggs {

// A scalar of the request, kept after its document is gone.
struct Scalar {
  std::string text;  // strings bare, the rest as JSON
  json::Type type = json::Type::kNull;
  static Scalar From(json::Value value) { return {value.ToDisplayString(), value.type()}; }
};

struct ValueSpec {
  std::string field;
  std::optional<Scalar> missing;
  std::optional<std::string> format;
  std::string time_zone;
  std::string value_type;  // only counts when the field is not mapped
};

enum class ValueKind : uint8_t { kLong, kUnsignedLong, kDouble, kBoolean, kDate, kKeyword, kIp };

// Sets of kinds, for what an aggregation accepts.
enum KindSet : uint32_t {
  kNumbers = 1u << static_cast<int>(ValueKind::kLong) | 1u << static_cast<int>(ValueKind::kUnsignedLong) |
             1u << static_cast<int>(ValueKind::kDouble),
  kNumeric = kNumbers | 1u << static_cast<int>(ValueKind::kBoolean) | 1u << static_cast<int>(ValueKind::kDate),
  kNumbersAndDates = kNumbers | 1u << static_cast<int>(ValueKind::kDate),
  kIps = 1u << static_cast<int>(ValueKind::kIp),
  kEverything = kNumeric | 1u << static_cast<int>(ValueKind::kKeyword) | kIps,
};

// How a value looks as text: "key_as_string", "value_as_string".
class ValueFormat {
 public:
  enum class Style : uint8_t { kRaw, kDecimal, kDate, kBoolean, kIp };

  ValueFormat() = default;
  static ValueFormat Boolean() { return ValueFormat(Style::kBoolean); }
  static ValueFormat Ip() { return ValueFormat(Style::kIp); }
  // An empty pattern is ISO 8601, an empty zone UTC.
  static Result<ValueFormat> Date(const std::string& pattern, const std::string& time_zone);
  static Result<ValueFormat> Decimal(std::string_view pattern);

  Style style() const { return style_; }
  const std::string& pattern() const { return pattern_; }
  const std::string& time_zone() const { return time_zone_; }
  const mapping::TimeZone& zone() const { return zone_; }
  // Whether there is a text beside the number.
  bool has_text() const { return style_ == Style::kDecimal || style_ == Style::kDate || style_ == Style::kBoolean; }
  // Any style but kIp; raw numbers as Java prints doubles.
  Result<std::string> Text(double value) const;
  // Writes "<name>": "text" when has_text(). `boolean_as_json`: some aggregations write true, others "true".
  Status WriteMember(std::string_view name, double value, bool boolean_as_json, json::Writer& writer) const;

 private:
  explicit ValueFormat(Style style) : style_(style) {}
  Style style_ = Style::kRaw;
  std::string pattern_, time_zone_;
  std::optional<NumberFormat> decimal_;
  std::optional<mapping::DateFormat> date_;
  mapping::TimeZone zone_;
};

struct ValueType {
  ValueKind kind = ValueKind::kKeyword;
  const mapping::Field* field = nullptr;  // null: not mapped, or one of the columns every segment has
  std::string column;                     // name in the segment
  mapping::NumericEncoding encoding = mapping::NumericEncoding::kInt64;
  double factor = 1;  // scaled_float: stored = value * factor
  ValueFormat format;
  std::optional<double> missing_number;     // of numeric kinds
  std::optional<int64_t> missing_encoded;   // the same as the column stores it; unset when it cannot
  std::optional<std::string> missing_term;  // of kKeyword and kIp, as the dictionary stores it

  bool numeric() const { return kind != ValueKind::kKeyword && kind != ValueKind::kIp; }
  bool has_missing() const { return missing_number || missing_term; }
  // A column value as the number it stands for.
  double ToDouble(int64_t stored) const { return mapping::DecodeToDouble(encoding, stored) / factor; }
  // A number as the column stores it, rounded to the precision of the field.
  int64_t ToStored(double value) const;
};

struct ResolveContext {
  const SearchTarget* target;
  const SearchEnvironment* environment;
  const std::string* aggregation_type;
  const std::string* aggregation_name;

  int64_t now_ms() const { return environment->clock ? environment->clock->WallMs() : 0; }
};

// `accepts` is a KindSet; `unmapped` the kind of a field nobody mapped.
Result<ValueType> ResolveValues(const ValueSpec& spec, uint32_t accepts, ValueKind unmapped,
                                const ResolveContext& context);
// "x" → number_format_exception; `text` as Java's Double.parseDouble reads it.
Result<double> ParseNumber(std::string_view text);
// A request's scalar as a value of that type: dates through the format (with date math), booleans, numbers. Numeric
// kinds only.
Result<double> ScalarToNumber(const Scalar& scalar, const ValueType& type, int64_t now_ms);

}  // namespace tiercel::search::aggs
