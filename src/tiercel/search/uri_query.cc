// ParseUriQuery: the clauses of q= on the fields of an index.
#include <algorithm>

#include "tiercel/analysis/analyzer.h"
#include "tiercel/search/clause_parser.h"
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/field_queries.h"
#include "tiercel/search/leaf_queries.h"
#include "tiercel/search/text_queries.h"
#include "tiercel/search/uri_query_syntax.h"
#include "tiercel/search/wildcard_pattern.h"

namespace tiercel::search {
namespace {

using Kind = UriClause::Kind;
using Made = Result<std::unique_ptr<Query>>;

class UriQueryClause final : public QueryClause {
 public:
  UriQueryClause(std::vector<UriClause> clauses, std::string default_field, bool all_required)
      : clauses_(std::move(clauses)), default_field_(std::move(default_field)), all_required_(all_required) {}

  Made Bind(Binder& binder, float total_boost) const override {
    return BindGroup(binder, clauses_, default_field_, total_boost);
  }

 private:
  Made BindGroup(Binder& binder, const std::vector<UriClause>& group, const std::string& group_field,
                 float total_boost) const {
    TIERCEL_TRY(binder.CountClauses(group.size()));
    if (group.empty()) return MakeMatchNone();
    BooleanClauses clauses;
    for (const UriClause& clause : group) {
      const std::string& field = clause.field.empty() ? group_field : clause.field;
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, BindOne(binder, clause, field, total_boost * clause.boost));
      if (group.size() == 1 && clause.occur != UriClause::Occur::kMustNot) return query;
      auto& into = clause.occur == UriClause::Occur::kMust     ? clauses.must
                   : clause.occur == UriClause::Occur::kShould ? clauses.should
                                                               : clauses.must_not;
      into.push_back(std::move(query));
    }
    if (clauses.must.empty() && clauses.should.empty()) clauses.filter.push_back(MakeMatchAll(1));
    return MakeBooleanQuery(std::move(clauses));
  }

  Made BindOne(Binder& binder, const UriClause& clause, const std::string& field, float boost_here) const {
    if (clause.kind == Kind::kGroup) return BindGroup(binder, clause.group, field, boost_here);
    if (clause.kind == Kind::kPattern && clause.text == "*" && (field.empty() || field == "*"))
      return MakeMatchAll(boost_here);
    if (field == "_exists_") {
      std::vector<const mapping::Field*> leaves;
      for (const std::string& pattern : {clause.text, clause.text + ".*"}) {
        for (const mapping::Field* leaf : binder.mapping().Expand(pattern)) {
          if (!leaf->inside_nested) leaves.push_back(leaf);
        }
      }
      return MakeExistsQuery(std::move(leaves), boost_here);
    }
    if (IsMetadataField(field)) return BindOnField(binder, clause, field, boost_here);
    if (!field.empty() && field.find('*') == std::string::npos) return BindOnField(binder, clause, field, boost_here);
    std::vector<std::unique_ptr<Query>> queries;
    for (const mapping::Field* leaf : binder.mapping().Expand(field.empty() ? "*" : field)) {
      if (leaf->inside_nested || leaf->type == mapping::FieldType::kDenseVector) continue;
      TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, BindOnField(binder, clause, leaf->name, boost_here));
      queries.push_back(std::move(query));
    }
    if (queries.empty()) return MakeMatchNone();
    return MakeDisjunctionQuery(std::move(queries), {.best = true});
  }

  // Text that does not fit a field's type matches nothing: a URL is typed by people.
  Made BindOnField(Binder& binder, const UriClause& clause, const std::string& field, float boost_here) const {
    if (clause.kind == Kind::kTerm || clause.kind == Kind::kPhrase) {
      TextMatch match;
      match.text.text = clause.text;
      match.phrase = clause.kind == Kind::kPhrase;
      match.slop = clause.slop;
      match.all_terms = all_required_;
      match.lenient = true;
      return MakeTextQuery(binder, "query_string", field, match, boost_here);
    }
    const mapping::Field* mapped = binder.FindLeaf(field);
    if (mapped == nullptr) return MakeMatchNone();
    Made made = clause.kind == Kind::kRange ? BindRange(binder, clause, *mapped, boost_here)
                                            : BindPattern(binder, clause, *mapped, boost_here);
    if (!made.ok() && made.error().code() == Code::kInvalidArgument) return MakeMatchNone();
    return made;
  }

  static Made BindRange(Binder& binder, const UriClause& clause, const mapping::Field& field, float boost_here) {
    RangeBounds bounds;
    if (clause.low) bounds.low = Literal{*clause.low, false};
    if (clause.high) bounds.high = Literal{*clause.high, false};
    bounds.include_low = clause.include_low;
    bounds.include_high = clause.include_high;
    if (!bounds.low && !bounds.high) return MakeExistsQuery({&field}, boost_here);
    return MakeFieldRangeQuery(binder, field, bounds, boost_here);
  }

  static Made BindPattern(Binder& binder, const UriClause& clause, const mapping::Field& field, float boost_here) {
    if (clause.text == "*") return MakeExistsQuery({&field}, boost_here);
    if (field.type != mapping::FieldType::kText && field.type != mapping::FieldType::kKeyword) {
      return binder.ShardError("Can only use wildcard queries on keyword, text and wildcard fields - not on [" +
                               field.name + "] which is of type [" + std::string(mapping::TypeName(field.type)) + "]");
    }
    std::string text;
    if (field.type == mapping::FieldType::kText && field.analyzer != "whitespace" && field.analyzer != "keyword") {
      analysis::AppendLowerCase(clause.text, text);
    } else {
      text = clause.text;
    }
    return MakeFilteredTermsQuery(binder, field, MakeWildcardFilter(text, false), boost_here);
  }

  const std::vector<UriClause> clauses_;
  const std::string default_field_;
  const bool all_required_;
};

}  // namespace

Result<std::unique_ptr<Query>> ParseUriQuery(std::string_view q, std::string_view default_operator,
                                             std::string_view default_field, const QueryContext& context) {
  std::string operator_name(default_operator);
  std::transform(operator_name.begin(), operator_name.end(), operator_name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (!operator_name.empty() && operator_name != "AND" && operator_name != "OR") {
    return InvalidArgument("No enum constant org.elasticsearch.index.query.Operator." + operator_name)
        .WithType("illegal_argument_exception");
  }
  Binder binder(context);
  const bool all_required = operator_name == "AND";
  Result<std::vector<UriClause>> clauses = ParseUriSyntax(q, all_required, context.depth_max);
  if (!clauses.ok())
    return binder.ShardError("Failed to parse query [" + std::string(q) + "]").WithCause(std::move(clauses).status());
  const UriQueryClause root(std::move(clauses).value(), std::string(default_field), all_required);
  return BindQuery(root, binder);
}

}  // namespace tiercel::search
