#include "tiercel/search/field_queries.h"

#include <algorithm>

#include "tiercel/mapping/values.h"
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/leaf_queries.h"

namespace tiercel::search {
namespace {

using mapping::Field;
using mapping::FieldType;

Status Unsearchable(const Field& field) {
  return InvalidArgument("Cannot search on field [" + field.name + "] since it is not indexed" +
                         (field.type == FieldType::kText ? "." : " nor has doc values."))
      .WithType("illegal_argument_exception");
}

bool IsSearchable(const Field& field) { return field.index || (field.doc_values && field.type != FieldType::kText); }

Status NoTermQueries(const Field& field) {
  return InvalidArgument("Field [" + field.name + "] of type [" + std::string(mapping::TypeName(field.type)) +
                         "] doesn't support term queries")
      .WithType("illegal_argument_exception");
}

// The milliseconds a date literal covers as a term, or the inner edge it sets as a bound.
Result<int64_t> ParseBound(const Binder& binder, const Field& field, const Literal& literal, const RangeBounds& bounds,
                           bool any_number, mapping::Rounding rounding) {
  mapping::DateParseOptions options;
  options.format = !bounds.format.empty() ? std::string_view(bounds.format)
                   : any_number           ? "epoch_millis"
                                          : std::string_view(field.format);
  options.time_zone = bounds.time_zone;
  options.rounding = rounding;
  options.now_ms = binder.context().now_ms;
  return mapping::ParseDate(literal.text, options);
}

Result<std::unique_ptr<Query>> MakeDateRange(Binder& binder, const Field& field, const RangeBounds& bounds,
                                             float boost) {
  const bool any_number = (bounds.low && bounds.low->is_number) || (bounds.high && bounds.high->is_number);
  int64_t low = INT64_MIN, high = INT64_MAX;
  if (bounds.low) {
    const auto rounding = bounds.include_low ? mapping::Rounding::kDown : mapping::Rounding::kUp;
    TIERCEL_TRY_ASSIGN(low, ParseBound(binder, field, *bounds.low, bounds, any_number, rounding));
    if (!bounds.include_low) ++low;
  }
  if (bounds.high) {
    const auto rounding = bounds.include_high ? mapping::Rounding::kUp : mapping::Rounding::kDown;
    TIERCEL_TRY_ASSIGN(high, ParseBound(binder, field, *bounds.high, bounds, any_number, rounding));
    if (!bounds.include_high) --high;
  }
  return MakeNumericRangeQuery(field.name, low, high, boost);
}

Result<std::unique_ptr<Query>> MakeIpQuery(Binder& binder, const Field& field, const Literal& value, float boost) {
  if (value.text.find('/') == std::string::npos) {
    TIERCEL_TRY_ASSIGN(std::string address, mapping::ParseIp(value.text));
    return MakeTermSetQuery(binder, field, {std::move(address)}, boost);
  }
  TIERCEL_TRY_ASSIGN(mapping::IpRange range, mapping::ParseCidr(value.text));
  return MakeTermRangeQuery(binder, field, {std::move(range.low), std::move(range.high)}, boost);
}

// One bit a kind of value for booleans: false is 0, true is 1.
Result<std::unique_ptr<Query>> MakeBooleanRange(const Field& field, const RangeBounds& bounds, float boost) {
  int64_t low = 0, high = 1;
  if (bounds.low) {
    TIERCEL_TRY_ASSIGN(const bool value, ParseBooleanLiteral(bounds.low->text));
    low = value + (bounds.include_low ? 0 : 1);
  }
  if (bounds.high) {
    TIERCEL_TRY_ASSIGN(const bool value, ParseBooleanLiteral(bounds.high->text));
    high = value - (bounds.include_high ? 0 : 1);
  }
  return MakeNumericRangeQuery(field.name, low, high, boost);
}

Result<std::unique_ptr<Query>> MakeNumberRange(const Field& field, const RangeBounds& bounds, float boost) {
  std::optional<int64_t> low = INT64_MIN, high = INT64_MAX;
  if (bounds.low) {
    TIERCEL_TRY_ASSIGN(low, EncodeLowerBound(field, *bounds.low, bounds.include_low));
  }
  if (bounds.high) {
    TIERCEL_TRY_ASSIGN(high, EncodeUpperBound(field, *bounds.high, bounds.include_high));
  }
  if (!low || !high) return MakeMatchNone();
  return MakeNumericRangeQuery(field.name, *low, *high, boost);
}

Result<std::unique_ptr<Query>> MakeTermBoundsRange(Binder& binder, const Field& field, const RangeBounds& bounds,
                                                   float boost) {
  TermBounds terms{std::nullopt, std::nullopt, bounds.include_low, bounds.include_high};
  for (auto [literal, term] : {std::pair(&bounds.low, &terms.low), std::pair(&bounds.high, &terms.high)}) {
    if (!*literal) continue;
    if (field.type != FieldType::kIp) {
      *term = (*literal)->text;
      continue;
    }
    TIERCEL_TRY_ASSIGN(*term, mapping::ParseIp((*literal)->text));
  }
  return MakeTermRangeQuery(binder, field, std::move(terms), boost);
}

// Values of types on which each value is a set of its own (dates, CIDR blocks): any of them.
Result<std::unique_ptr<Query>> MakeAnyOf(Binder& binder, const Field& field, std::span<const Literal> values,
                                         float boost) {
  std::vector<std::unique_ptr<Query>> queries;
  for (const Literal& value : values) {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, MakeFieldTermQuery(binder, field, value, 1));
    queries.push_back(std::move(query));
  }
  if (queries.empty()) return MakeMatchNone();
  return MakeConstantScoreQuery(MakeDisjunctionQuery(std::move(queries), {}), boost);
}

}  // namespace

Result<std::unique_ptr<Query>> MakeFieldTermQuery(Binder& binder, const Field& field, const Literal& value,
                                                  float boost) {
  if (field.type == FieldType::kDenseVector) return NoTermQueries(field);
  if (!IsSearchable(field)) return Unsearchable(field);
  if (field.type == FieldType::kText || field.type == FieldType::kKeyword) {
    if (!field.index) return MakeTermSetQuery(binder, field, {value.text}, boost);
    return MakeTermQuery(binder, field, value.text, boost);
  }
  if (field.type == FieldType::kIp) return MakeIpQuery(binder, field, value, boost);
  if (field.type == FieldType::kDate) return MakeDateRange(binder, field, {value, value, true, true, {}, {}}, boost);
  if (field.type == FieldType::kBoolean) {
    TIERCEL_TRY_ASSIGN(const bool truth, ParseBooleanLiteral(value.text));
    if (!field.index) return MakeNumericRangeQuery(field.name, truth, truth, boost);
    return MakeBooleanTermQuery(binder, field, truth, boost);
  }
  TIERCEL_TRY_ASSIGN(const std::optional<int64_t> encoded, EncodeTerm(field, value));
  if (!encoded) return MakeMatchNone();
  return MakeNumericRangeQuery(field.name, *encoded, *encoded, boost);
}

Result<std::unique_ptr<Query>> MakeFieldTermsQuery(Binder& binder, const Field& field, std::span<const Literal> values,
                                                   float boost) {
  if (field.type == FieldType::kDenseVector) return NoTermQueries(field);
  if (!IsSearchable(field)) return Unsearchable(field);
  if (field.type == FieldType::kText || field.type == FieldType::kKeyword) {
    std::vector<std::string> terms;
    for (const Literal& value : values) terms.push_back(value.text);
    return MakeTermSetQuery(binder, field, std::move(terms), boost);
  }
  const bool blocks = std::any_of(values.begin(), values.end(),
                                  [](const Literal& value) { return value.text.find('/') != std::string::npos; });
  if (field.type == FieldType::kDate || (field.type == FieldType::kIp && blocks))
    return MakeAnyOf(binder, field, values, boost);
  if (field.type == FieldType::kIp) {
    std::vector<std::string> addresses(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      TIERCEL_TRY_ASSIGN(addresses[i], mapping::ParseIp(values[i].text));
    }
    return MakeTermSetQuery(binder, field, std::move(addresses), boost);
  }
  std::vector<int64_t> encoded;
  for (const Literal& value : values) {
    if (field.type == FieldType::kBoolean) {
      TIERCEL_TRY_ASSIGN(const bool truth, ParseBooleanLiteral(value.text));
      encoded.push_back(truth);
      continue;
    }
    TIERCEL_TRY_ASSIGN(const std::optional<int64_t> number, EncodeTerm(field, value));
    if (number) encoded.push_back(*number);
  }
  return MakeNumericSetQuery(field.name, std::move(encoded), boost);
}

Result<std::unique_ptr<Query>> MakeFieldRangeQuery(Binder& binder, const Field& field, const RangeBounds& bounds,
                                                   float boost) {
  if (field.type == FieldType::kDenseVector) {
    return InvalidArgument("Field [" + field.name + "] of type [dense_vector] does not support range queries")
        .WithType("illegal_argument_exception");
  }
  if (!IsSearchable(field)) return Unsearchable(field);
  if (field.type == FieldType::kText || field.is_keyword_column())
    return MakeTermBoundsRange(binder, field, bounds, boost);
  if (field.type == FieldType::kBoolean) return MakeBooleanRange(field, bounds, boost);
  if (field.type != FieldType::kDate) return MakeNumberRange(field, bounds, boost);
  Result<std::unique_ptr<Query>> range = MakeDateRange(binder, field, bounds, boost);
  if (!range.ok()) return binder.Final(std::move(range).status());
  return range;
}

bool IsMetadataField(std::string_view field) { return field == "_id" || field == "_index" || field == "_seq_no"; }

Result<std::unique_ptr<Query>> MakeMetadataTermsQuery(Binder& binder, std::string_view field,
                                                      std::span<const Literal> values, float boost) {
  if (field == "_id") {
    std::vector<std::string> ids;
    for (const Literal& value : values) ids.push_back(value.text);
    return MakeIdsQuery(std::move(ids), boost);
  }
  if (field == "_index") {
    const bool this_one = std::any_of(values.begin(), values.end(), [&](const Literal& value) {
      return value.text == binder.context().target->index;
    });
    return this_one ? MakeMatchAll(boost) : MakeMatchNone();
  }
  Field sequence;
  sequence.name = field;
  sequence.type = FieldType::kLong;
  return MakeFieldTermsQuery(binder, sequence, values, boost);
}

}  // namespace tiercel::search
