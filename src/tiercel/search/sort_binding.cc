// BindSort: which column a sort element reads in an index, what stands for a missing value, and where search_after
// lies.
#include <algorithm>
#include <limits>

#include "tiercel/mapping/values.h"
#include "tiercel/search/fielddata_error.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/request_number.h"
#include "tiercel/search/sort.h"

namespace tiercel::search {
namespace {

using mapping::FieldType;
using Print = BoundSortField::Print;
using Source = BoundSortField::Source;

constexpr std::pair<std::string_view, FieldType> kUnmappedTypes[] = {
    {"long", FieldType::kLong},
    {"integer", FieldType::kInteger},
    {"short", FieldType::kShort},
    {"byte", FieldType::kByte},
    {"unsigned_long", FieldType::kUnsignedLong},
    {"double", FieldType::kDouble},
    {"float", FieldType::kFloat},
    {"half_float", FieldType::kHalfFloat},
    {"scaled_float", FieldType::kScaledFloat},
    {"boolean", FieldType::kBoolean},
    {"date", FieldType::kDate},
    {"keyword", FieldType::kKeyword},
    {"ip", FieldType::kIp},
};

Result<FieldType> UnmappedType(const std::string& name) {
  for (const auto& [known, type] : kUnmappedTypes)
    if (known == name) return type;
  return InvalidArgument("No mapper found for type [" + name + "]");
}

bool IsTermType(FieldType type) { return type == FieldType::kKeyword || type == FieldType::kIp; }
bool IsSmallInteger(FieldType type) {
  return type == FieldType::kInteger || type == FieldType::kShort || type == FieldType::kByte;
}

Print PrintOf(FieldType type) {
  switch (type) {
    case FieldType::kUnsignedLong:
      return Print::kUint64;
    case FieldType::kDouble:
    case FieldType::kScaledFloat:
      return Print::kDouble;
    case FieldType::kFloat:
    case FieldType::kHalfFloat:
      return Print::kFloat;
    case FieldType::kDate:
      return Print::kDate;
    default:
      return Print::kInt64;
  }
}

// What a document without a value sorts as: beyond every value, at the end the order and "missing" ask for.
int64_t MissingNumber(const BoundSortField& bound) {
  const bool high = bound.descending == (bound.missing == SortMissing::kFirst);
  if (bound.as_double) {
    const double infinity = std::numeric_limits<double>::infinity();
    return mapping::EncodeDouble(high ? infinity : -infinity);
  }
  if (IsSmallInteger(bound.type))
    return high ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int32_t>::min();
  return high ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

// Text → the number that stands for it among a field's keys; nothing when it is no number.
std::optional<int64_t> NumberKey(const BoundSortField& bound, std::string_view text) {
  if (bound.as_double) {
    const std::optional<double> value = ParseReal(text);
    return value ? std::optional(
                       mapping::EncodeDouble(bound.print == Print::kFloat ? static_cast<float>(*value) : *value))
                 : std::nullopt;
  }
  if (const std::optional<int64_t> value = ParseInteger(text)) {
    return bound.print == Print::kUint64 ? *value ^ std::numeric_limits<int64_t>::min() : *value;
  }
  const std::optional<double> value = ParseReal(text);  // "5.5" sorts as 5
  if (!value || !(*value >= -9.3e18 && *value <= 1.9e19)) return std::nullopt;
  if (bound.print == Print::kUint64) return static_cast<int64_t>(static_cast<uint64_t>(*value) ^ (uint64_t{1} << 63));
  return *value >= 9.2233720368547758e18    ? std::numeric_limits<int64_t>::max()
         : *value <= -9.2233720368547758e18 ? std::numeric_limits<int64_t>::min()
                                            : static_cast<int64_t>(*value);
}

Status ApplyNumericType(const SortSpec& spec, BoundSortField& bound) {
  if (spec.numeric_type.empty()) return {};
  if (spec.numeric_type == "double") {
    bound.as_double = true;
    bound.print = Print::kDouble;
  } else if (spec.numeric_type == "date_nanos" && bound.type == FieldType::kDate) {
    bound.to_nanos = true;
    bound.print = Print::kInt64;
  } else if (spec.numeric_type == "long" && bound.as_double) {
    return Unimplemented("[numeric_type] long is not supported for field [" + spec.field + "]");
  }
  return {};
}

Status BindMissing(const SortSpec& spec, BoundSortField& bound) {
  bound.missing = spec.missing;
  if (bound.source == Source::kTerm) {
    bound.missing_term = spec.missing_value;
    if (spec.missing == SortMissing::kValue && bound.type == FieldType::kIp) {
      TIERCEL_TRY_ASSIGN(bound.missing_term, mapping::ParseIp(spec.missing_value));
    }
    return {};
  }
  if (spec.missing != SortMissing::kValue) {
    bound.missing_number = MissingNumber(bound);
    return {};
  }
  const std::optional<int64_t> number = NumberKey(bound, spec.missing_value);
  if (!number) return NumberFormatError(spec.missing_value);
  bound.missing_number = *number;
  return {};
}

Status BindColumn(const SortSpec& spec, const SearchTarget& target, BoundSortField& bound) {
  bound.field = target.mapping->Find(spec.field);
  if (bound.field != nullptr && !bound.field->is_leaf()) bound.field = nullptr;
  if (bound.field != nullptr) {
    if (bound.field->inside_nested) {
      return spec.nested_path.empty()
                 ? QueryShardError(
                       "it is mandatory to set the [nested] context on the nested sort field: [" + spec.field + "].",
                       target.index)
                 : Unimplemented("sorting by fields of nested objects is not supported");
    }
    TIERCEL_TRY(CheckFielddata(*bound.field, target.index, FielddataUse::kSort));
    bound.type = bound.field->type;
  } else if (spec.field == segment::kSeqNoField || spec.field == segment::kVersionField) {
    bound.type = FieldType::kLong;
  } else if (spec.field == "_id") {
    return InvalidArgument(
        "Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster "
        "setting: "
        "indices.id_field_data.enabled");
  } else if (spec.unmapped_type.empty()) {
    return QueryShardError("No mapping found for [" + spec.field + "] in order to sort on", target.index);
  } else {
    TIERCEL_TRY_ASSIGN(bound.type, UnmappedType(spec.unmapped_type));
  }
  bound.column = spec.field;
  bound.print = PrintOf(bound.type);
  if (IsTermType(bound.type)) {
    bound.source = Source::kTerm;
    if (spec.mode == SortMode::kAvg || spec.mode == SortMode::kSum || spec.mode == SortMode::kMedian) {
      return QueryShardError("we only support AVG, MEDIAN and SUM on number based fields", target.index);
    }
    return {};
  }
  bound.source = Source::kNumber;
  bound.as_double = bound.print == Print::kDouble || bound.print == Print::kFloat;
  return ApplyNumericType(spec, bound);
}

Result<BoundSortField> BindField(const SortSpec& spec, const SearchTarget& target) {
  BoundSortField bound;
  bound.descending = spec.descending;
  bound.format = spec.format;
  bound.mode = spec.mode != SortMode::kDefault ? spec.mode : spec.descending ? SortMode::kMax : SortMode::kMin;
  if (spec.kind == SortSpec::Kind::kScore) {
    bound.source = Source::kScore;
    bound.print = Print::kFloat;
    bound.as_double = true;
    return bound;
  }
  if (spec.kind == SortSpec::Kind::kDoc || spec.kind == SortSpec::Kind::kShardDoc) {
    bound.source = Source::kDoc;
    return bound;
  }
  if (spec.field == "_index") {
    bound.source = Source::kIndexName;
    return bound;
  }
  TIERCEL_TRY(BindColumn(spec, target, bound));
  TIERCEL_TRY(BindMissing(spec, bound));
  return bound;
}

Result<SortValue> TermAfter(const BoundSortField& bound, json::Value value) {
  SortValue after;
  if (value.is_null()) {
    after.kind = bound.missing == SortMissing::kFirst ? SortValue::Kind::kMissingFirst : SortValue::Kind::kMissingLast;
    return after;
  }
  after.kind = SortValue::Kind::kTerm;
  after.term = value.ToDisplayString();
  if (bound.type == FieldType::kIp) {
    TIERCEL_TRY_ASSIGN(after.term, mapping::ParseIp(after.term));
  }
  return after;
}

Result<SortValue> NumberAfter(const BoundSortField& bound, const SortSpec& spec, json::Value value, int64_t now_ms) {
  SortValue after;
  if (value.is_null()) {
    after.number = bound.missing_number;
    return after;
  }
  if (bound.print == Print::kDate && value.is_string()) {
    const std::string& format = !spec.format.empty()     ? spec.format
                                : bound.field != nullptr ? bound.field->format
                                                         : std::string();
    TIERCEL_TRY_ASSIGN(after.number,
                       mapping::ParseDate(value.as_string(), {.format = format, .time_zone = {}, .now_ms = now_ms}));
    return after;
  }
  std::string text = value.ToDisplayString();
  if (bound.type == FieldType::kBoolean && (text == "true" || text == "false")) text = text == "true" ? "1" : "0";
  const std::optional<int64_t> number = NumberKey(bound, text);
  if (!number) {
    const std::string name = spec.kind == SortSpec::Kind::kField ? spec.field : "null";
    return InvalidArgument("Failed to parse search_after value for field [" + name + "].")
        .WithCause(NumberFormatError(text));
  }
  after.number = *number;
  return after;
}

}  // namespace

bool BoundSort::needs_scores() const {
  return std::any_of(fields.begin(), fields.end(), [](const BoundSortField& f) { return f.source == Source::kScore; });
}

Result<BoundSort> BindSort(std::span<const SortSpec> specs, std::span<const json::Value> search_after,
                           const SearchTarget& target, int64_t now_ms) {
  BoundSort sort;
  sort.index = target.index;
  for (const SortSpec& spec : specs) {
    TIERCEL_TRY_ASSIGN(BoundSortField field, BindField(spec, target));
    sort.fields.push_back(std::move(field));
  }
  if (search_after.empty()) return sort;
  if (specs.empty()) return InvalidArgument("Sort must contain at least one field.");
  if (search_after.size() != specs.size()) {
    return InvalidArgument("search_after has " + std::to_string(search_after.size()) + " value(s) but sort has " +
                           std::to_string(specs.size()) + ".");
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    const BoundSortField& field = sort.fields[i];
    const bool terms = field.source == Source::kTerm || field.source == Source::kIndexName;
    Result<SortValue> value =
        terms ? TermAfter(field, search_after[i]) : NumberAfter(field, specs[i], search_after[i], now_ms);
    if (!value.ok()) return std::move(value).status();
    sort.after.push_back(std::move(value).value());
  }
  return sort;
}

}  // namespace tiercel::search
