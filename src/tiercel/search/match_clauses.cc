// match, match_phrase and multi_match.
#include <algorithm>
#include <charconv>
#include <map>

#include "tiercel/search/clause_parser.h"
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/leaf_queries.h"
#include "tiercel/search/text_queries.h"

namespace tiercel::search {
namespace {

class MatchClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    return MakeTextQuery(binder, match.phrase ? "match_phrase" : "match", field, match, total_boost);
  }

  std::string field;
  TextMatch match;
};

enum class MultiMatchType { kBestFields, kMostFields, kPhrase };

// A field, or a pattern of fields, with its boost.
struct BoostedField {
  std::string pattern;
  float boost = 1;
};

class MultiMatchClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    TextMatch each = match;
    each.phrase = type == MultiMatchType::kPhrase;
    const bool everywhere = fields.empty() || std::any_of(fields.begin(), fields.end(),
                                                          [](const auto& field) { return field.pattern == "*"; });
    if (!lenient_given) each.lenient = everywhere;
    const std::map<std::string, float> boosts = Resolve(binder);
    TIERCEL_TRY(binder.CountClauses(boosts.size()));
    std::vector<std::unique_ptr<Query>> queries;
    for (const auto& [field, field_boost] : boosts) {
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query,
                         MakeTextQuery(binder, "multi_match", field, each, field_boost * total_boost));
      queries.push_back(std::move(query));
    }
    if (queries.empty()) return MakeMatchNone();
    const float share = tie_breaker.value_or(type == MultiMatchType::kMostFields ? 1.0f : 0.0f);
    return MakeDisjunctionQuery(std::move(queries), {.best = true, .tie_breaker = share});
  }

  std::vector<BoostedField> fields;
  TextMatch match;
  MultiMatchType type = MultiMatchType::kBestFields;
  std::optional<float> tie_breaker;
  bool lenient_given = false;

 private:
  // Field names with their boosts; a field named several times has the product.
  std::map<std::string, float> Resolve(const Binder& binder) const {
    std::map<std::string, float> boosts;
    const auto add = [&](const std::string& field, float field_boost) {
      const auto [at, fresh] = boosts.emplace(field, field_boost);
      if (!fresh) at->second *= field_boost;
    };
    static const BoostedField kEverywhere{"*", 1};
    for (const BoostedField& field : fields.empty() ? std::span(&kEverywhere, 1) : std::span(fields)) {
      if (field.pattern.find('*') == std::string::npos) {
        add(field.pattern, field.boost);
        continue;
      }
      for (const mapping::Field* leaf : binder.mapping().Expand(field.pattern)) {
        if (!leaf->inside_nested && leaf->type != mapping::FieldType::kDenseVector) add(leaf->name, field.boost);
      }
    }
    return boosts;
  }
};

Status RequireScalar(std::string_view query, std::string_view key, json::Value value, ClauseParser& parser) {
  if (!value.is_null() && !value.is_array() && !value.is_object()) return {};
  return parser.ParsingError(StartOf(value), "[" + std::string(query) + "] unknown token [" +
                                                 std::string(json::TokenName(value.type())) + "] after [" +
                                                 std::string(key) + "]");
}

// "fuzziness" that asks for exact terms is fine; more is not offered.
Status CheckFuzziness(std::string_view query, json::Value value, ClauseParser& parser) {
  const std::string text = value.ToDisplayString();
  if (text == "0" || text == "0.0") return {};
  return parser.ParsingError(StartOf(value), "[" + std::string(query) + "] fuzziness [" + text + "] is not supported");
}

// Parameters without effect as long as there is no fuzzy matching and there are no synonyms.
bool IsIdleParameter(std::string_view key) {
  return key == "prefix_length" || key == "max_expansions" || key == "fuzzy_transpositions" || key == "fuzzy_rewrite" ||
         key == "auto_generate_synonyms_phrase_query";
}

Result<bool> ParseAllTerms(json::Value value, ClauseParser& parser) {
  std::string text = value.ToDisplayString();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (text == "AND" || text == "OR") return text == "AND";
  return parser.IllegalArgument(StartOf(value), "No enum constant org.elasticsearch.index.query.Operator." + text);
}

Result<bool> ParseZeroTermsAll(json::Value value, ClauseParser& parser) {
  const std::string text = value.ToDisplayString();
  if (text == "none" || text == "NONE") return false;
  if (text == "all" || text == "ALL") return true;
  return parser.ParsingError(StartOf(value), "Unsupported zero_terms_query value [" + text + "]");
}

Result<uint32_t> ParseSlop(json::Value value, ClauseParser& parser) {
  TIERCEL_TRY_ASSIGN(const int64_t slop, parser.Integer(value));
  if (slop < 0) return parser.IllegalArgument(StartOf(value), "No negative slop allowed.");
  return static_cast<uint32_t>(slop);
}

// Parameters that match, match_phrase and multi_match share; false when the key is none of them.
Result<bool> ParseSharedKey(std::string_view query, std::string_view key, json::Value value, ClauseParser& parser,
                            TextMatch& match) {
  if (key == "analyzer") {
    match.analyzer = value.ToDisplayString();
  } else if (key == "zero_terms_query") {
    TIERCEL_TRY_ASSIGN(match.zero_terms_all, ParseZeroTermsAll(value, parser));
  } else if (key == "slop" && query != "match") {
    TIERCEL_TRY_ASSIGN(match.slop, ParseSlop(value, parser));
  } else if (query == "match_phrase") {
    return false;
  } else if (key == "operator") {
    TIERCEL_TRY_ASSIGN(match.all_terms, ParseAllTerms(value, parser));
  } else if (key == "minimum_should_match") {
    match.minimum_should_match = value.ToDisplayString();
  } else if (key == "lenient") {
    TIERCEL_TRY_ASSIGN(match.lenient, parser.Boolean(value));
  } else if (key == "fuzziness") {
    TIERCEL_TRY(CheckFuzziness(query, value, parser));
  } else if (!IsIdleParameter(key)) {
    return false;
  }
  return true;
}

ParsedClause ParseFieldMatch(std::string_view query, json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<MatchClause>();
  clause->match.phrase = query == "match_phrase";
  TIERCEL_TRY_ASSIGN(const auto field, parser.SingleField(query, body));
  const bool phrase = clause->match.phrase;
  if (!field) {
    if (phrase) return parser.IllegalArgument(EndOf(body), "[match_phrase] requires fieldName");
    return parser.ParsingError(EndOf(body), "No text specified for text query");
  }
  clause->field = field->name;
  if (!field->value.is_object()) {
    if (field->value.is_null() && phrase)
      return parser.IllegalArgument(StartOf(field->value), "[match_phrase] requires query value");
    if (field->value.is_null()) return parser.ParsingError(EndOf(body), "No text specified for text query");
    TIERCEL_TRY(parser.Text(field->value).status());
    clause->match.text = LiteralOf(field->value);
    return std::unique_ptr<QueryClause>(std::move(clause));
  }
  bool given = false;
  for (const auto& [key, value] : field->value.members()) {
    TIERCEL_TRY(RequireScalar(query, key, value, parser));
    if (key == "query") {
      clause->match.text = LiteralOf(value);
      given = true;
      continue;
    }
    TIERCEL_TRY_ASSIGN(const bool shared, ParseSharedKey(query, key, value, parser, clause->match));
    if (shared) continue;
    TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
    if (!common) return parser.UnknownKey(query, key, value);
  }
  if (!given && phrase) return parser.IllegalArgument(EndOf(field->value), "[match_phrase] requires query value");
  if (!given) return parser.ParsingError(EndOf(body), "No text specified for text query");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

// "title" or "title^3".
Result<BoostedField> ParseBoostedField(json::Value value, ClauseParser& parser) {
  TIERCEL_TRY_ASSIGN(std::string text, parser.Text(value));
  const size_t caret = text.find('^');
  if (caret == std::string::npos) return BoostedField{std::move(text), 1};
  BoostedField field{text.substr(0, caret), 1};
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + caret + 1, end, field.boost);
  if (error != std::errc() || last != end) {
    return InvalidArgument("For input string: \"" + text.substr(caret + 1) + "\"").WithType("number_format_exception");
  }
  if (field.boost < 0) {
    return parser.IllegalArgument(
        StartOf(value), "negative [boost] are not allowed in [" + text + "], use a value between 0 and 1 to deboost");
  }
  return field;
}

Status ParseFields(json::Value value, ClauseParser& parser, std::vector<BoostedField>& fields) {
  if (value.is_array()) {
    for (const json::Value one : value.elements()) {
      TIERCEL_TRY_ASSIGN(BoostedField field, ParseBoostedField(one, parser));
      fields.push_back(std::move(field));
    }
    return {};
  }
  if (value.is_null() || value.is_object()) {
    return parser.ParsingError(StartOf(value), "[multi_match] query does not support [fields]");
  }
  TIERCEL_TRY_ASSIGN(BoostedField field, ParseBoostedField(value, parser));
  fields.push_back(std::move(field));
  return {};
}

Result<MultiMatchType> ParseMultiMatchType(json::Value value, ClauseParser& parser) {
  const std::string text = value.ToDisplayString();
  if (text == "best_fields" || text == "boolean") return MultiMatchType::kBestFields;
  if (text == "most_fields") return MultiMatchType::kMostFields;
  if (text == "phrase") return MultiMatchType::kPhrase;
  if (text == "cross_fields" || text == "phrase_prefix" || text == "bool_prefix") {
    return parser.ParsingError(StartOf(value), "[multi_match] type [" + text + "] is not supported");
  }
  return InvalidArgument("failed to parse [multi_match] query type [" + text + "]. unknown type.")
      .WithType("parse_exception");
}

}  // namespace

ParsedClause ParseMatchClause(json::Value body, ClauseParser& parser) { return ParseFieldMatch("match", body, parser); }

ParsedClause ParseMatchPhraseClause(json::Value body, ClauseParser& parser) {
  return ParseFieldMatch("match_phrase", body, parser);
}

ParsedClause ParseMultiMatchClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<MultiMatchClause>();
  bool given = false;
  for (const auto& [key, value] : body.members()) {
    if (key == "fields") {
      TIERCEL_TRY(ParseFields(value, parser, clause->fields));
      continue;
    }
    TIERCEL_TRY(RequireScalar("multi_match", key, value, parser));
    if (key == "query") {
      clause->match.text = LiteralOf(value);
      given = true;
    } else if (key == "type") {
      TIERCEL_TRY_ASSIGN(clause->type, ParseMultiMatchType(value, parser));
    } else if (key == "tie_breaker") {
      TIERCEL_TRY_ASSIGN(clause->tie_breaker, parser.Float(value));
    } else {
      if (key == "lenient") clause->lenient_given = true;
      TIERCEL_TRY_ASSIGN(const bool shared, ParseSharedKey("multi_match", key, value, parser, clause->match));
      if (shared) continue;
      TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
      if (!common) return parser.UnknownKey("multi_match", key, value);
    }
  }
  if (!given) return parser.ParsingError(EndOf(body), "No text specified for multi_match query");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

}  // namespace tiercel::search
