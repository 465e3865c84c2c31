// ClauseParser: query DSL in JSON → a tree of QueryClause, before any index is known. Finds every error of syntax and
// shape, in Elasticsearch's words and at its positions; what depends on the index is left to QueryClause::Bind.
//
// Thread safety: one thread, one query. Lifetime: clauses borrow the JSON document. Memory: bounded by the JSON;
// nesting by depth_max.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tiercel/json/value.h"
#include "tiercel/search/binder.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

class QueryClause {
 public:
  virtual ~QueryClause() = default;
  // `boost` is the product of the boosts of this clause and the ones around it.
  virtual Result<std::unique_ptr<Query>> Bind(Binder& binder, float boost) const = 0;

  // What the clause is known to match before anything of it is bound. A bool query that cannot match is never bound, so
  // that a bad value in one of its other clauses is no error, as in Elasticsearch.
  enum class Matches { kSome, kAll, kNone };
  virtual Matches KnownMatches(const Binder&) const { return Matches::kSome; }

  float boost = 1;
  std::optional<std::string> name;
};

// Binds a clause under the boost around it, and gives the query the clause's name.
Result<std::unique_ptr<Query>> BindClause(const QueryClause& clause, Binder& binder, float outer_boost);

// Binds the root of a query: errors that are not the index's own words become query_shard_exception "failed to create
// query: ...".
Result<std::unique_ptr<Query>> BindQuery(const QueryClause& root, Binder& binder);

// Where something stands in the JSON text, 1-based.
struct Position {
  uint32_t line = 0, column = 0;
  std::string ToString() const { return std::to_string(line) + ":" + std::to_string(column); }
};
Position StartOf(json::Value value);
// Of the closing bracket of an object or array.
Position EndOf(json::Value value);
// Of the opening quote of the key before a member's value.
Position KeyOf(json::Value member);

// Of the token after an element of an array.
Position Following(json::Value element);

class ClauseParser {
 public:
  explicit ClauseParser(uint32_t depth_max) : depth_max_(depth_max) {}

  // One clause: {"match": {...}}.
  Result<std::unique_ptr<QueryClause>> Parse(json::Value clause);

  // ---- for the parsers of single queries ----

  Status ParsingError(Position at, std::string message);
  Status IllegalArgument(Position at, std::string message);
  // x_content_parse_exception "[line:col] message".
  Status ContentError(Position at, std::string_view message);
  // Remembers where `error` was found.
  Status WithPosition(Position at, Status error);
  // "[query] query does not support [key]".
  Status UnknownKey(std::string_view query, std::string_view key, json::Value value);
  // As Elasticsearch's declarative parsers say it; `known` feeds "did you mean".
  Status UnknownField(std::string_view query, std::string_view key, json::Value value,
                      std::span<const std::string_view> known);
  // Wraps an error in "[query] failed to parse field [key]", at the place where the error was found.
  Status FieldError(std::string_view query, std::string_view key, Status cause);
  Status WrongFieldType(std::string_view query, std::string_view key, json::Value value);

  // The only member of `body`, {"field": value}; nothing when it is empty, an error when there are several.
  struct FieldBody {
    std::string_view name;
    json::Value value;
  };
  Result<std::optional<FieldBody>> SingleField(std::string_view query, json::Value body);

  // Scalars as Elasticsearch coerces them.
  Result<std::string> Text(json::Value value);
  Result<bool> Boolean(json::Value value);
  Result<int64_t> Integer(json::Value value);
  Result<float> Float(json::Value value);
  // Reads "boost" and "_name" into the clause; false when the key is neither. `body` is shown in errors.
  Result<bool> CommonKey(std::string_view key, json::Value value, json::Value body, QueryClause& clause);

  // Where the error reported last was found.
  Position failed_at() const { return failed_at_; }

 private:
  const uint32_t depth_max_;
  uint32_t depth_ = 0;
  Position failed_at_;
};

// " did you mean [match]?", or nothing when no candidate is close.
std::string Suggest(std::string_view unknown, std::span<const std::string_view> candidates);

// The parsers by query name, in the files named after them. `body` is the object after the name.
using ParsedClause = Result<std::unique_ptr<QueryClause>>;
ParsedClause ParseBoolClause(json::Value body, ClauseParser& parser);
ParsedClause ParseConstantScoreClause(json::Value body, ClauseParser& parser);
ParsedClause ParseDisMaxClause(json::Value body, ClauseParser& parser);
ParsedClause ParseMatchAllClause(json::Value body, ClauseParser& parser);
ParsedClause ParseMatchNoneClause(json::Value body, ClauseParser& parser);
ParsedClause ParseIdsClause(json::Value body, ClauseParser& parser);
ParsedClause ParseExistsClause(json::Value body, ClauseParser& parser);
ParsedClause ParseTermClause(json::Value body, ClauseParser& parser);
ParsedClause ParseTermsClause(json::Value body, ClauseParser& parser);
ParsedClause ParsePrefixClause(json::Value body, ClauseParser& parser);
ParsedClause ParseWildcardClause(json::Value body, ClauseParser& parser);
ParsedClause ParseRangeClause(json::Value body, ClauseParser& parser);
ParsedClause ParseKnnQueryClause(json::Value body, ClauseParser& parser);
ParsedClause ParseMatchClause(json::Value body, ClauseParser& parser);
ParsedClause ParseMatchPhraseClause(json::Value body, ClauseParser& parser);
ParsedClause ParseMultiMatchClause(json::Value body, ClauseParser& parser);

}  // namespace tiercel::search
