// bool, constant_score and dis_max.
#include <algorithm>

#include "tiercel/search/clause_parser.h"
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/leaf_queries.h"
#include "tiercel/search/minimum_should_match.h"

namespace tiercel::search {
namespace {

using Clauses = std::vector<std::unique_ptr<QueryClause>>;

class BoolClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    if (const Matches known = KnownMatches(binder); known != Matches::kSome) {
      return known == Matches::kAll ? MakeMatchAll(total_boost) : MakeMatchNone();
    }
    BooleanClauses bound;
    TIERCEL_TRY_ASSIGN(bound.must, BindAll(must, binder, total_boost));
    TIERCEL_TRY_ASSIGN(bound.filter, BindAll(filter, binder, total_boost));
    TIERCEL_TRY_ASSIGN(bound.should, BindAll(should, binder, total_boost));
    TIERCEL_TRY_ASSIGN(bound.must_not, BindAll(must_not, binder, total_boost));
    if (minimum_should_match) {
      TIERCEL_TRY_ASSIGN(bound.minimum_should_match,
                         ComputeMinimumShouldMatch(*minimum_should_match, static_cast<uint32_t>(should.size())));
    }
    if (must.empty() && should.empty() && filter.empty()) {
      if (!adjust_pure_negative) return MakeMatchNone();
      bound.filter.push_back(MakeMatchAll(1));
    }
    return MakeBooleanQuery(std::move(bound));
  }

  Matches KnownMatches(const Binder& binder) const override {
    if (must.empty() && should.empty() && filter.empty() && must_not.empty()) return Matches::kAll;
    const auto is = [&](Matches wanted) {
      return [&binder, wanted](const auto& clause) { return clause->KnownMatches(binder) == wanted; };
    };
    const bool none = std::any_of(must.begin(), must.end(), is(Matches::kNone)) ||
                      std::any_of(filter.begin(), filter.end(), is(Matches::kNone)) ||
                      std::any_of(must_not.begin(), must_not.end(), is(Matches::kAll)) ||
                      (must.empty() && filter.empty() && !should.empty() &&
                       std::all_of(should.begin(), should.end(), is(Matches::kNone)));
    return none ? Matches::kNone : Matches::kSome;
  }

  Clauses must, should, filter, must_not;
  std::optional<std::string> minimum_should_match;
  bool adjust_pure_negative = true;

 private:
  static Result<std::vector<std::unique_ptr<Query>>> BindAll(const Clauses& clauses, Binder& binder,
                                                             float total_boost) {
    std::vector<std::unique_ptr<Query>> queries;
    for (const auto& clause : clauses) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, BindClause(*clause, binder, total_boost));
      queries.push_back(std::move(query));
    }
    return queries;
  }
};

class ConstantScoreClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, BindClause(*filter, binder, 1));
    return MakeConstantScoreQuery(std::move(query), total_boost);
  }
  Matches KnownMatches(const Binder& binder) const override {
    return filter->KnownMatches(binder) == Matches::kNone ? Matches::kNone : Matches::kSome;
  }
  std::unique_ptr<QueryClause> filter;
};

class DisMaxClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    std::vector<std::unique_ptr<Query>> bound;
    for (const auto& clause : queries) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, BindClause(*clause, binder, total_boost));
      bound.push_back(std::move(query));
    }
    return MakeDisjunctionQuery(std::move(bound), {.best = true, .tie_breaker = tie_breaker});
  }
  Clauses queries;
  float tie_breaker = 0;
};

Result<std::unique_ptr<QueryClause>> ParseBoolElement(json::Value value, ClauseParser& parser) {
  if (value.is_array()) {
    return parser.WithPosition(
        StartOf(value), InvalidArgument("expected value but got [START_ARRAY]").WithType("illegal_state_exception"));
  }
  // Elasticsearch notices a scalar one token later.
  if (!value.is_object())
    return parser.ParsingError(Following(value), "[_na] query malformed, must start with start_object");
  return parser.Parse(value);
}

// The clauses under "must" and its siblings: one object or an array of them.
Status ParseBoolClauses(std::string_view key, json::Value value, ClauseParser& parser, Clauses& clauses) {
  if (value.is_null()) return {};
  if (!value.is_object() && !value.is_array()) return parser.WrongFieldType("bool", key, value);
  const auto parse_one = [&](json::Value one) -> Status {
    Result<std::unique_ptr<QueryClause>> clause = ParseBoolElement(one, parser);
    if (!clause.ok()) return parser.FieldError("bool", key, std::move(clause).status());
    clauses.push_back(std::move(clause).value());
    return {};
  };
  if (value.is_object()) return parse_one(value);
  for (const json::Value one : value.elements()) TIERCEL_TRY(parse_one(one));
  return {};
}

}  // namespace

ParsedClause ParseBoolClause(json::Value body, ClauseParser& parser) {
  static constexpr std::string_view kKeys[] = {
      "must",  "should", "filter", "must_not", "mustNot", "minimum_should_match", "adjust_pure_negative",
      "boost", "_name"};
  auto clause = std::make_unique<BoolClause>();
  for (const auto& [key, value] : body.members()) {
    if (key == "must" || key == "should" || key == "filter" || key == "must_not" || key == "mustNot") {
      Clauses& into = key == "must"     ? clause->must
                      : key == "should" ? clause->should
                      : key == "filter" ? clause->filter
                                        : clause->must_not;
      TIERCEL_TRY(ParseBoolClauses(key == "mustNot" ? "must_not" : key, value, parser, into));
    } else if (key == "minimum_should_match") {
      if (value.is_array() || value.is_object()) return parser.WrongFieldType("bool", key, value);
      if (!value.is_null()) clause->minimum_should_match = value.ToDisplayString();
    } else if (key == "adjust_pure_negative") {
      Result<bool> adjust = parser.Boolean(value);
      if (!adjust.ok()) return parser.FieldError("bool", key, std::move(adjust).status());
      clause->adjust_pure_negative = *adjust;
    } else if (key == "_name" && !value.is_string()) {
      return parser.WrongFieldType("bool", key, value);
    } else {
      Result<bool> common = parser.CommonKey(key, value, body, *clause);
      if (!common.ok()) return parser.FieldError("bool", key, std::move(common).status());
      if (!*common) return parser.UnknownField("bool", key, value, kKeys);
    }
  }
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParseConstantScoreClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<ConstantScoreClause>();
  for (const auto& [key, value] : body.members()) {
    if (value.is_array()) return parser.ParsingError(StartOf(value), "unexpected token [START_ARRAY]");
    if (key == "filter" && value.is_object()) {
      if (clause->filter)
        return parser.ParsingError(StartOf(value), "[constant_score] accepts only one 'filter' element.");
      TIERCEL_TRY_ASSIGN(clause->filter, parser.Parse(value));
      continue;
    }
    TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
    if (!common) return parser.UnknownKey("constant_score", key, value);
  }
  if (!clause->filter) return parser.ParsingError(EndOf(body), "[constant_score] requires a 'filter' element");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParseDisMaxClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<DisMaxClause>();
  for (const auto& [key, value] : body.members()) {
    if (key == "queries" && value.is_array()) {
      if (value.empty())
        return parser.ParsingError(EndOf(value), "[_na] query malformed, must start with start_object");
      for (const json::Value one : value.elements()) {
        TIERCEL_TRY_ASSIGN(std::unique_ptr<QueryClause> query, parser.Parse(one));
        clause->queries.push_back(std::move(query));
      }
    } else if (key == "queries" && value.is_object()) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<QueryClause> query, parser.Parse(value));
      clause->queries.push_back(std::move(query));
    } else if (key == "tie_breaker") {
      TIERCEL_TRY_ASSIGN(clause->tie_breaker, parser.Float(value));
    } else {
      TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
      if (!common) return parser.UnknownKey("dis_max", key, value);
    }
  }
  if (clause->queries.empty())
    return parser.ParsingError(EndOf(body), "[dis_max] requires 'queries' field with at least one clause");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

}  // namespace tiercel::search
