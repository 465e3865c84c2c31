// range.
#include "tiercel/mapping/values.h"
#include "tiercel/search/clause_parser.h"
#include "tiercel/search/field_queries.h"
#include "tiercel/search/leaf_queries.h"

namespace tiercel::search {
namespace {

class RangeClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    if (field == "_seq_no") {
      mapping::Field sequence;
      sequence.name = field;
      sequence.type = mapping::FieldType::kLong;
      return MakeFieldRangeQuery(binder, sequence, bounds, total_boost);
    }
    if (field == "_id") {
      return InvalidArgument("Field [_id] of type [_id] does not support range queries")
          .WithType("illegal_argument_exception");
    }
    const mapping::Field* mapped = binder.FindLeaf(field);
    if (mapped == nullptr) return MakeMatchNone();
    if (!bounds.low && !bounds.high && mapped->type != mapping::FieldType::kDenseVector)
      return MakeExistsQuery({mapped}, total_boost);
    return MakeFieldRangeQuery(binder, *mapped, bounds, total_boost);
  }

  std::string field;
  RangeBounds bounds;
};

// A bound: null leaves the range open.
Status ParseBound(json::Value value, ClauseParser& parser, std::optional<Literal>& bound) {
  bound.reset();
  if (value.is_null()) return {};
  TIERCEL_TRY(parser.Text(value).status());
  bound = LiteralOf(value);
  return {};
}

Result<bool> ParseBoundKey(std::string_view key, json::Value value, ClauseParser& parser, RangeBounds& bounds) {
  if (key == "gte" || key == "gt" || key == "from") {
    if (key != "from") bounds.include_low = key == "gte";
    TIERCEL_TRY(ParseBound(value, parser, bounds.low));
    return true;
  }
  if (key == "lte" || key == "lt" || key == "to") {
    if (key != "to") bounds.include_high = key == "lte";
    TIERCEL_TRY(ParseBound(value, parser, bounds.high));
    return true;
  }
  if (key == "include_lower") {
    TIERCEL_TRY_ASSIGN(bounds.include_low, parser.Boolean(value));
    return true;
  }
  if (key == "include_upper") {
    TIERCEL_TRY_ASSIGN(bounds.include_high, parser.Boolean(value));
    return true;
  }
  return false;
}

Status CheckTimeZone(std::string_view name, json::Value value, ClauseParser& parser) {
  if (mapping::FormatDate(0, {}, name).ok()) return {};
  const std::string problem = "Unknown time-zone ID: " + std::string(name);
  return parser.IllegalArgument(StartOf(value), "java.time.zone.ZoneRulesException: " + problem)
      .WithCause(InvalidArgument(problem).WithType("zone_rules_exception"));
}

Status ParseRangeParameters(json::Value body, json::Value parameters, ClauseParser& parser, RangeClause& clause) {
  for (const auto& [key, value] : parameters.members()) {
    TIERCEL_TRY_ASSIGN(const bool is_bound, ParseBoundKey(key, value, parser, clause.bounds));
    if (is_bound) continue;
    if (key == "format") {
      TIERCEL_TRY_ASSIGN(clause.bounds.format, parser.Text(value));
    } else if (key == "time_zone") {
      TIERCEL_TRY_ASSIGN(clause.bounds.time_zone, parser.Text(value));
      TIERCEL_TRY(CheckTimeZone(clause.bounds.time_zone, value, parser));
    } else if (key == "relation") {
      TIERCEL_TRY_ASSIGN(const std::string relation, parser.Text(value));
      if (relation != "intersects" && relation != "within" && relation != "contains" && relation != "INTERSECTS" &&
          relation != "WITHIN" && relation != "CONTAINS") {
        return parser.IllegalArgument(StartOf(value), relation + " is not a valid relation");
      }
    } else {
      TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, clause));
      if (!common) return parser.UnknownKey("range", key, value);
    }
  }
  return {};
}

}  // namespace

ParsedClause ParseRangeClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<RangeClause>();
  for (const auto& [key, value] : body.members()) {
    if (value.is_object()) {
      if (!clause->field.empty()) {
        return parser.ParsingError(StartOf(value), "[range] query doesn't support multiple fields, found [" +
                                                       clause->field + "] and [" + std::string(key) + "]");
      }
      clause->field = key;
      TIERCEL_TRY(ParseRangeParameters(body, value, parser, *clause));
    } else if (key == "_name") {
      TIERCEL_TRY_ASSIGN(clause->name, parser.Text(value));
    } else {
      return parser.UnknownKey("range", key, value);
    }
  }
  if (clause->field.empty()) return parser.IllegalArgument(EndOf(body), "field name is null or empty");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

}  // namespace tiercel::search
