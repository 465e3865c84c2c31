#include "tiercel/search/clause_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tiercel/search/compound_queries.h"

namespace tiercel::search {
namespace {

struct QueryType {
  std::string_view name;
  ParsedClause (*parse)(json::Value body,
                        ClauseParser& parser);  // null: a query of Elasticsearch's that Tiercel does not have
};

constexpr QueryType kQueryTypes[] = {
    {"bool", ParseBoolClause},
    {"boosting", nullptr},
    {"combined_fields", nullptr},
    {"constant_score", ParseConstantScoreClause},
    {"dis_max", ParseDisMaxClause},
    {"distance_feature", nullptr},
    {"exists", ParseExistsClause},
    {"field_masking_span", nullptr},
    {"function_score", nullptr},
    {"fuzzy", nullptr},
    {"geo_bounding_box", nullptr},
    {"geo_distance", nullptr},
    {"geo_polygon", nullptr},
    {"geo_shape", nullptr},
    {"ids", ParseIdsClause},
    {"intervals", nullptr},
    {"knn", ParseKnnQueryClause},
    {"match", ParseMatchClause},
    {"match_all", ParseMatchAllClause},
    {"match_bool_prefix", nullptr},
    {"match_none", ParseMatchNoneClause},
    {"match_phrase", ParseMatchPhraseClause},
    {"match_phrase_prefix", nullptr},
    {"more_like_this", nullptr},
    {"multi_match", ParseMultiMatchClause},
    {"nested", nullptr},
    {"prefix", ParsePrefixClause},
    {"query_string", nullptr},
    {"range", ParseRangeClause},
    {"regexp", nullptr},
    {"script", nullptr},
    {"script_score", nullptr},
    {"simple_query_string", nullptr},
    {"span_containing", nullptr},
    {"span_first", nullptr},
    {"span_multi", nullptr},
    {"span_near", nullptr},
    {"span_not", nullptr},
    {"span_or", nullptr},
    {"span_term", nullptr},
    {"span_within", nullptr},
    {"term", ParseTermClause},
    {"terms", ParseTermsClause},
    {"terms_set", nullptr},
    {"wildcard", ParseWildcardClause},
    {"wrapper", nullptr},
};

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

// The whole text a value lies in, up to the value's end.
std::string_view TextThrough(json::Value value) {
  const std::string_view raw = value.raw();
  return {raw.data() - value.offset(), value.offset() + raw.size()};
}

Position PositionAt(std::string_view text, size_t offset) {
  Position position{1, 1};
  for (size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++position.column;
    }
  }
  return position;
}

}  // namespace

Position StartOf(json::Value value) {
  const auto [line, column] = value.line_column();
  return {line, column};
}

Position EndOf(json::Value value) {
  const std::string_view text = TextThrough(value);
  return PositionAt(text, text.empty() ? 0 : text.size() - 1);
}

Position KeyOf(json::Value member) {
  const std::string_view text = TextThrough(member);
  size_t at = member.offset();
  // Back over spaces, the colon and spaces to the key's closing quote, then to the opening one, which no odd run of
  // backslashes escapes.
  while (at > 0 && text[at - 1] != '"') --at;
  if (at > 0) --at;
  while (at > 0) {
    --at;
    if (text[at] != '"') continue;
    size_t backslashes = 0;
    while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) break;
  }
  return PositionAt(text, at);
}

Position Following(json::Value element) {
  const std::string_view text = TextThrough(element);
  // An element is followed by a comma or the closing bracket at least, so that reading on stays in the text.
  size_t at = text.size();
  while (text.data()[at] == ',' || text.data()[at] == ' ' || text.data()[at] == '\n' || text.data()[at] == '\t' ||
         text.data()[at] == '\r')
    ++at;
  return PositionAt({text.data(), at}, at);
}

std::string Suggest(std::string_view unknown, std::span<const std::string_view> candidates) {
  std::vector<std::pair<double, std::string_view>> close;
  for (const std::string_view candidate : candidates) {
    const double longest = static_cast<double>(std::max(unknown.size(), candidate.size()));
    const double similarity = longest == 0 ? 1 : 1 - static_cast<double>(EditDistance(unknown, candidate)) / longest;
    if (similarity > 0.5) close.emplace_back(-similarity, candidate);
  }
  if (close.empty()) return "";
  std::sort(close.begin(), close.end());
  if (close.size() == 1) return " did you mean [" + std::string(close[0].second) + "]?";
  std::string text = " did you mean any of [";
  for (size_t i = 0; i < close.size(); ++i) text.append(i == 0 ? "" : ", ").append(close[i].second);
  return text + "]?";
}

Status ClauseParser::ParsingError(Position at, std::string message) {
  failed_at_ = at;
  return InvalidArgument(std::move(message))
      .WithType("parsing_exception")
      .With("line", std::to_string(at.line))
      .With("col", std::to_string(at.column));
}

Status ClauseParser::WithPosition(Position at, Status error) {
  failed_at_ = at;
  return error;
}

Status ClauseParser::IllegalArgument(Position at, std::string message) {
  failed_at_ = at;
  return InvalidArgument(std::move(message)).WithType("illegal_argument_exception");
}

Status ClauseParser::ContentError(Position at, std::string_view message) {
  failed_at_ = at;
  return InvalidArgument("[" + at.ToString() + "] " + std::string(message)).WithType("x_content_parse_exception");
}

Status ClauseParser::UnknownKey(std::string_view query, std::string_view key, json::Value value) {
  return ParsingError(StartOf(value), "[" + std::string(query) + "] query does not support [" + std::string(key) + "]");
}

Status ClauseParser::UnknownField(std::string_view query, std::string_view key, json::Value value,
                                  std::span<const std::string_view> known) {
  Status error = ContentError(
      KeyOf(value), "[" + std::string(query) + "] unknown field [" + std::string(key) + "]" + Suggest(key, known));
  failed_at_ = StartOf(value);
  return error;
}

Status ClauseParser::FieldError(std::string_view query, std::string_view key, Status cause) {
  return ContentError(failed_at_, "[" + std::string(query) + "] failed to parse field [" + std::string(key) + "]")
      .WithCause(std::move(cause));
}

Status ClauseParser::WrongFieldType(std::string_view query, std::string_view key, json::Value value) {
  return ContentError(StartOf(value),
                      "[" + std::string(query) + "] " + std::string(key) +
                          " doesn't support values of type: " + std::string(json::TokenName(value.type())));
}

Result<std::optional<ClauseParser::FieldBody>> ClauseParser::SingleField(std::string_view query, json::Value body) {
  std::optional<FieldBody> field;
  for (const auto& [key, value] : body.members()) {
    if (field) {
      return ParsingError(StartOf(value), "[" + std::string(query) +
                                              "] query doesn't support multiple fields, found [" +
                                              std::string(field->name) + "] and [" + std::string(key) + "]");
    }
    field = FieldBody{key, value};
  }
  return field;
}

Result<std::string> ClauseParser::Text(json::Value value) {
  if (value.is_null() || value.is_array() || value.is_object()) {
    const Position at = StartOf(value);
    return IllegalArgument(
        at, "Expected text at " + at.ToString() + " but found " + std::string(json::TokenName(value.type())));
  }
  return value.ToDisplayString();
}

Result<bool> ClauseParser::Boolean(json::Value value) {
  if (value.is_bool()) return value.as_bool();
  TIERCEL_TRY_ASSIGN(const std::string text, Text(value));
  if (text == "true" || text == "false") return text == "true";
  return IllegalArgument(StartOf(value), "Failed to parse value [" + text + "] as only [true] or [false] are allowed.");
}

Result<int64_t> ClauseParser::Integer(json::Value value) {
  TIERCEL_TRY_ASSIGN(const double number, Float(value));
  return static_cast<int64_t>(std::clamp(std::trunc(number), -2147483648.0, 2147483647.0));
}

Result<float> ClauseParser::Float(json::Value value) {
  if (value.is_number()) return static_cast<float>(value.as_double());
  TIERCEL_TRY_ASSIGN(const std::string text, Text(value));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return static_cast<float>(number);
  failed_at_ = StartOf(value);
  return InvalidArgument("For input string: \"" + text + "\"").WithType("number_format_exception");
}

Result<bool> ClauseParser::CommonKey(std::string_view key, json::Value value, json::Value body, QueryClause& clause) {
  if (key == "_name") {
    TIERCEL_TRY_ASSIGN(clause.name, Text(value));
    return true;
  }
  if (key != "boost") return false;
  TIERCEL_TRY_ASSIGN(clause.boost, Float(value));
  if (clause.boost < 0) {
    return IllegalArgument(StartOf(value), "negative [boost] are not allowed in [" + std::string(body.raw()) +
                                               "], use a value between 0 and 1 to deboost");
  }
  return true;
}

Result<std::unique_ptr<QueryClause>> ClauseParser::Parse(json::Value clause) {
  if (!clause.is_object()) return ParsingError(StartOf(clause), "[_na] query malformed, must start with start_object");
  if (clause.empty()) {
    const Position at = EndOf(clause);
    return IllegalArgument(at, "query malformed, empty clause found at [" + at.ToString() + "]");
  }
  const auto [name, body] = *clause.members().begin();
  const std::string quoted = "[" + std::string(name) + "]";
  if (!body.is_object())
    return ParsingError(StartOf(body), quoted + " query malformed, no start_object after query name");
  const auto type = std::find_if(std::begin(kQueryTypes), std::end(kQueryTypes),
                                 [&](const QueryType& known) { return known.name == name; });
  if (type == std::end(kQueryTypes)) {
    std::vector<std::string_view> names;
    for (const QueryType& known : kQueryTypes) names.push_back(known.name);
    const Position at = StartOf(body);
    return ParsingError(at, "unknown query " + quoted + Suggest(name, names))
        .WithCause(InvalidArgument("[" + at.ToString() + "] unknown field " + quoted)
                       .WithType("named_object_not_found_exception"));
  }
  if (type->parse == nullptr) return ParsingError(StartOf(body), quoted + " query is not supported");
  if (++depth_ > depth_max_) {
    return IllegalArgument(StartOf(clause),
                           "The nested depth of the query exceeds the maximum nested depth for queries set in "
                           "[indices.query.bool.max_nested_depth]");
  }
  ParsedClause parsed = type->parse(body, *this);
  --depth_;
  if (!parsed.ok() || clause.size() == 1) return parsed;
  auto second = clause.members().begin();
  ++second;
  return ParsingError(KeyOf((*second).second),
                      quoted + " malformed query, expected [END_OBJECT] but found [FIELD_NAME]");
}

Result<std::unique_ptr<Query>> BindClause(const QueryClause& clause, Binder& binder, float outer_boost) {
  TIERCEL_TRY(binder.CountClauses(1));
  TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, clause.Bind(binder, clause.boost * outer_boost));
  if (clause.name) query = MakeNamedQuery(std::move(query), *clause.name);
  return query;
}

Result<std::unique_ptr<Query>> BindQuery(const QueryClause& root, Binder& binder) {
  Result<std::unique_ptr<Query>> query = BindClause(root, binder, 1);
  if (query.ok() || query.error().code() != Code::kInvalidArgument || binder.error_is_final()) return query;
  const std::string_view type = query.error().type();
  if (type == "query_shard_exception" || type == "parsing_exception" || type == "too_many_nested_clauses") return query;
  Status error = std::move(query).status();
  const std::string message = "failed to create query: " + error.message();
  return binder.ShardError(message).WithCause(std::move(error));
}

Result<std::unique_ptr<Query>> ParseQuery(json::Value query, const QueryContext& context) {
  ClauseParser parser(context.depth_max);
  TIERCEL_TRY_ASSIGN(const std::unique_ptr<QueryClause> clause, parser.Parse(query));
  Binder binder(context);
  return BindQuery(*clause, binder);
}

Status CheckQueryShape(json::Value query) {
  ClauseParser parser(QueryContext{}.depth_max);
  return parser.Parse(query).status();
}

}  // namespace tiercel::search
