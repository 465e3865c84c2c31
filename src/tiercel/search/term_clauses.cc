// term, terms, prefix and wildcard.
#include "tiercel/search/clause_parser.h"
#include "tiercel/search/field_queries.h"
#include "tiercel/search/leaf_queries.h"
#include "tiercel/search/wildcard_pattern.h"

namespace tiercel::search {
namespace {

constexpr uint32_t kTermsMax = 65536;

bool IsScalar(json::Value value) { return !value.is_null() && !value.is_array() && !value.is_object(); }

// Text of a field the dictionary of which is read: its terms are what was typed.
bool HasTextTerms(const mapping::Field& field) {
  return field.type == mapping::FieldType::kText || field.type == mapping::FieldType::kKeyword;
}

class TermClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    if (IsMetadataField(field)) return MakeMetadataTermsQuery(binder, field, std::span(&value, 1), total_boost);
    if (field == "_version" || field == "_source")
      return binder.ShardError("The " + field + " field is not searchable");
    const mapping::Field* mapped = binder.FindLeaf(field);
    if (mapped == nullptr) return MakeMatchNone();
    if (!case_insensitive || (value.text.empty() && HasTextTerms(*mapped)))
      return MakeFieldTermQuery(binder, *mapped, value, total_boost);
    if (!HasTextTerms(*mapped)) {
      return binder.ShardError("[" + field + "] field which is of type [" +
                               std::string(mapping::TypeName(mapped->type)) +
                               "], does not support case insensitive term queries");
    }
    const std::string wanted = value.text;
    return MakeFilteredTermsQuery(binder, *mapped,
                                  {"",
                                   [wanted](std::string_view term) {
                                     return EqualsIgnoringCase(term, wanted) ? TermVerdict::kAccept
                                                                             : TermVerdict::kReject;
                                   }},
                                  total_boost);
  }

  std::string field;
  Literal value;
  bool case_insensitive = false;
};

class TermsClause final : public QueryClause {
 public:
  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    if (values.size() > kTermsMax) {
      return InvalidArgument("The number of terms [" + std::to_string(values.size()) +
                             "] used in the Terms Query request has exceeded the "
                             "allowed maximum of [" +
                             std::to_string(kTermsMax) +
                             "]. This maximum can be set by changing the "
                             "[index.max_terms_count] index level setting.")
          .WithType("illegal_argument_exception");
    }
    if (values.empty()) return MakeMatchNone();
    if (IsMetadataField(field)) return MakeMetadataTermsQuery(binder, field, values, total_boost);
    const mapping::Field* mapped = binder.FindLeaf(field);
    if (mapped == nullptr) return MakeMatchNone();
    return MakeFieldTermsQuery(binder, *mapped, values, total_boost);
  }

  std::string field;
  std::vector<Literal> values;
};

// prefix and wildcard.
class PatternClause final : public QueryClause {
 public:
  explicit PatternClause(bool is_prefix) : is_prefix_(is_prefix) {}

  Result<std::unique_ptr<Query>> Bind(Binder& binder, float total_boost) const override {
    const std::string query = is_prefix_ ? "prefix" : "wildcard";
    if (field == "_index") return BindIndexName(binder, total_boost);
    const mapping::Field* mapped = binder.FindLeaf(field);
    if (field == "_id" || (mapped != nullptr && !HasTextTerms(*mapped))) {
      const std::string type = mapped == nullptr ? field : std::string(mapping::TypeName(mapped->type));
      return binder.ShardError("Can only use " + query + " queries on keyword, text and wildcard fields - not on [" +
                               field + "] which is of type [" + type + "]");
    }
    if (mapped == nullptr) return MakeMatchNone();
    if (!mapped->index && !(mapped->doc_values && mapped->type == mapping::FieldType::kKeyword)) {
      return InvalidArgument("Cannot search on field [" + field + "] since it is not indexed.")
          .WithType("illegal_argument_exception");
    }
    return MakeFilteredTermsQuery(
        binder, *mapped, is_prefix_ ? PrefixFilter() : MakeWildcardFilter(text, case_insensitive), total_boost);
  }

  std::string field;
  std::string text;
  bool case_insensitive = false;

 private:
  Result<std::unique_ptr<Query>> BindIndexName(Binder& binder, float total_boost) const {
    const TermFilter filter = is_prefix_ ? PrefixFilter() : MakeWildcardFilter(text, case_insensitive);
    const std::string& index = binder.context().target->index;
    return index >= filter.from && filter.judge(index) == TermVerdict::kAccept ? MakeMatchAll(total_boost)
                                                                               : MakeMatchNone();
  }

  TermFilter PrefixFilter() const {
    if (case_insensitive) {
      return {"", [prefix = text](std::string_view term) {
                return StartsWithIgnoringCase(term, prefix) ? TermVerdict::kAccept : TermVerdict::kReject;
              }};
    }
    return {text, [prefix = text](std::string_view term) {
              return term.starts_with(prefix) ? TermVerdict::kAccept : TermVerdict::kStop;
            }};
  }

  const bool is_prefix_;
};

ParsedClause ParsePattern(std::string_view query, json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<PatternClause>(query == "prefix");
  TIERCEL_TRY_ASSIGN(const auto field, parser.SingleField(query, body));
  if (!field) return parser.IllegalArgument(EndOf(body), "field name is null or empty");
  clause->field = field->name;
  bool given = false;
  if (!field->value.is_object()) {
    if (query == "prefix" && field->value.is_null())
      return parser.IllegalArgument(StartOf(field->value), "value cannot be null");
    TIERCEL_TRY_ASSIGN(clause->text, parser.Text(field->value));
    return std::unique_ptr<QueryClause>(std::move(clause));
  }
  for (const auto& [key, value] : field->value.members()) {
    if (key == "value" || key == query) {
      TIERCEL_TRY_ASSIGN(clause->text, parser.Text(value));
      given = true;
    } else if (key == "case_insensitive") {
      TIERCEL_TRY_ASSIGN(clause->case_insensitive, parser.Boolean(value));
    } else if (key == "rewrite") {
      TIERCEL_TRY(parser.Text(value).status());
    } else {
      TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
      if (!common) return parser.UnknownKey(query, key, value);
    }
  }
  if (!given) return parser.IllegalArgument(EndOf(field->value), "value cannot be null");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

Status ParseTermValues(std::string_view key, json::Value values, ClauseParser& parser, std::vector<Literal>& into) {
  for (const json::Value value : values.elements()) {
    if (value.is_null()) return parser.ParsingError(StartOf(value), "No value specified for terms query");
    if (!IsScalar(value)) {
      return parser.ParsingError(StartOf(value), "[terms] unknown token [" +
                                                     std::string(json::TokenName(value.type())) + "] after [" +
                                                     std::string(key) + "]");
    }
    into.push_back(LiteralOf(value));
  }
  return {};
}

}  // namespace

ParsedClause ParseTermClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<TermClause>();
  TIERCEL_TRY_ASSIGN(const auto field, parser.SingleField("term", body));
  if (!field || field->value.is_null()) return parser.IllegalArgument(EndOf(body), "field name is null or empty");
  clause->field = field->name;
  if (field->value.is_array())
    return parser.ParsingError(StartOf(field->value), "[term] query does not support array of values");
  if (IsScalar(field->value)) {
    clause->value = LiteralOf(field->value);
    return std::unique_ptr<QueryClause>(std::move(clause));
  }
  bool given = false;
  for (const auto& [key, value] : field->value.members()) {
    if (key == "value") {
      if (value.is_array()) {
        return parser.ParsingError(
            StartOf(value),
            "[term] query does not support arrays for value - use a bool query with multiple term clauses "
            "in the should section or use a Terms query if scoring is not required");
      }
      if (!IsScalar(value)) return parser.IllegalArgument(StartOf(value), "value cannot be null");
      clause->value = LiteralOf(value);
      given = true;
    } else if (key == "case_insensitive") {
      TIERCEL_TRY_ASSIGN(clause->case_insensitive, parser.Boolean(value));
    } else {
      TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
      if (!common) return parser.UnknownKey("term", key, value);
    }
  }
  if (!given) return parser.IllegalArgument(EndOf(field->value), "value cannot be null");
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParseTermsClause(json::Value body, ClauseParser& parser) {
  auto clause = std::make_unique<TermsClause>();
  for (const auto& [key, value] : body.members()) {
    if (value.is_array()) {
      if (!clause->field.empty())
        return parser.ParsingError(StartOf(value), "[terms] query does not support multiple fields");
      clause->field = key;
      TIERCEL_TRY(ParseTermValues(key, value, parser, clause->values));
    } else if (value.is_object()) {
      return parser.ParsingError(StartOf(value), "[terms] terms lookup is not supported");
    } else {
      TIERCEL_TRY_ASSIGN(const bool common, parser.CommonKey(key, value, body, *clause));
      if (!common) return parser.UnknownKey("terms", key, value);
    }
  }
  if (clause->field.empty()) {
    return parser.ParsingError(
        EndOf(body),
        "[terms] query requires a field name, followed by array of terms or a document lookup specification");
  }
  return std::unique_ptr<QueryClause>(std::move(clause));
}

ParsedClause ParsePrefixClause(json::Value body, ClauseParser& parser) { return ParsePattern("prefix", body, parser); }

ParsedClause ParseWildcardClause(json::Value body, ClauseParser& parser) {
  return ParsePattern("wildcard", body, parser);
}

}  // namespace tiercel::search
