// match_all, match_none, ids and exists.
#include "tiercel/search/clause_parser.h"
#include "tiercel/search/leaf_queries.h"

namespace tiercel::search {
namespace {

// Declarative parsers' errors arrive inside a parsing_exception of the same words.
Status Rewrap(ClauseParser& parser, Status error) {
  if (error.type() != "x_content_parse_exception") return error;
  std::string message = error.message();
  return parser.ParsingError(parser.failed_at(), std::move(message)).WithCause(std::move(error));
}

class MatchAllClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder&, float total_boost) const override { return MakeMatchAll(total_boost); }
  Matches KnownMatches(const Binder&) const override { return Matches::kAll; }
};

class MatchNoneClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder&, float) const override { return MakeMatchNone(); }
  Matches KnownMatches(const Binder&) const override { return Matches::kNone; }
};

class IdsClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    TIERCEL_TRY(binder.CountClauses(ids.size()));
    return MakeIdsQuery(ids, total_boost);
  }
  std::vector<std::string> ids;
};

class ExistsClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    if (field == "_id" || field == "_index" || field == "_seq_no" || field == "_version")
      return MakeMatchAll(total_boost);
    if (field == "_source") return binder.ShardError("The _source field is not searchable");
    std::vector<const mapping::Field*> leaves = Leaves(binder);
    TIERCEL_TRY(binder.CountClauses(leaves.size()));
    return MakeExistsQuery(std::move(leaves), total_boost);
  }
  Matches KnownMatches(const Binder& binder) const override {
    return !field.starts_with('_') && binder.mapping().Expand(field).empty() &&
                   binder.mapping().Expand(field + ".*").empty()
               ? Matches::kNone
               : Matches::kSome;
  }
  std::string field;

 private:
  // An object exists where one of its fields does.
  std::vector<const mapping::Field*> Leaves(const Binder& binder) const {
    std::vector<const mapping::Field*> leaves;
    for (const mapping::Field* leaf : binder.mapping().Expand(field)) {
      if (!leaf->inside_nested) leaves.push_back(leaf);
    }
    if (field.find('*') == std::string::npos) {
      for (const mapping::Field* leaf : binder.mapping().Expand(field + ".*")) {
        if (!leaf->inside_nested && !leaf->multi_field) leaves.push_back(leaf);
      }
    }
    return leaves;
  }
};

Status ParseIdValues(json::Value values, ClauseParser& parser, std::vector<std::string>& ids) {
  if (values.is_object()) return parser.WrongFieldType("ids", "values", values);
  if (!values.is_array()) {
    TIERCEL_TRY_ASSIGN(std::string id, parser.Text(values));
    ids.push_back(std::move(id));
    return {};
  }
  for (const json::Value value : values.elements()) {
    Result<std::string> id =
        value.is_array()
            ? parser.WithPosition(
                  StartOf(value),
                  InvalidArgument("expected value but got [START_ARRAY]").WithType("illegal_state_exception"))
            : parser.Text(value);
    if (!id.ok()) return parser.FieldError("ids", "values", std::move(id).status());
    ids.push_back(std::move(id).value());
  }
  return {};
}

// "boost" and "_name" of a query that Elasticsearch parses declaratively.
Result<bool> DeclaredCommonKey(std::string_view query, std::string_view key, json::Value value, json::Value body,
                               ClauseParser& parser, QueryClause& clause) {
  Result<bool> common = parser.CommonKey(key, value, body, clause);
  if (common.ok()) return common;
  return Rewrap(parser, parser.FieldError(query, key, std::move(common).status()));
}

}  // namespace

ParsedClause ParseMatchAllClause(json::Value body, ClauseParser& parser) {
  static constexpr std::string_view kKeys[] = {"boost", "_name"};
  auto clause = std::make_unique<MatchAllClause>();
  for (const auto& [key, value] : body.members()) {
    TIERCEL_TRY_ASSIGN(const bool common, DeclaredCommonKey("match_all", key, value, body, parser, *clause));
    if (!common) return Rewrap(parser, parser.UnknownField("match_all", key, value, kKeys));
  }
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParseMatchNoneClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<MatchNoneClause>();
  for (const auto& [key, value] : body.members()) {
    TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
    if (!common) return parser.UnknownKey("match_none", key, value);
  }
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParseIdsClause(json::Value body, ClauseParser& parser) {
  static constexpr std::string_view kKeys[] = {"boost", "_name", "values"};
  auto clause = std::make_unique<IdsClause>();
  for (const auto& [key, value] : body.members()) {
    if (key == "values") {
      if (Status status = ParseIdValues(value, parser, clause->ids); !status.ok())
        return Rewrap(parser, std::move(status));
      continue;
    }
    TIERCEL_TRY_ASSIGN(const bool common, DeclaredCommonKey("ids", key, value, body, parser, *clause));
    if (!common) return Rewrap(parser, parser.UnknownField("ids", key, value, kKeys));
  }
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParseExistsClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<ExistsClause>();
  bool given = false;
  for (const auto& [key, value] : body.members()) {
    if (value.is_null() || value.is_array() || value.is_object()) {
      return parser.ParsingError(StartOf(value), "[exists] unknown token [" +
                                                     std::string(json::TokenName(value.type())) + "] after [" +
                                                     std::string(key) + "]");
    }
    if (key == "field") {
      TIERCEL_TRY_ASSIGN(clause->field, parser.Text(value));
      given = true;
      continue;
    }
    TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
    if (!common) return parser.UnknownKey("exists", key, value);
  }
  if (!given) return parser.ParsingError(EndOf(body), "[exists] must be provided with a [field]");
  if (clause->field.empty()) return parser.IllegalArgument(EndOf(body), "field name is null or empty");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

}  // namespace tiercel::search
