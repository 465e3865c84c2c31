#include "tiercel/search/text_queries.h"

#include "tiercel/analysis/analyzer.h"
#include "tiercel/search/compound_queries.h"
#include "tiercel/search/field_queries.h"
#include "tiercel/search/leaf_queries.h"
#include "tiercel/search/minimum_should_match.h"

namespace tiercel::search {
namespace {

using mapping::Field;
using mapping::FieldType;

// The analyzer the match asks for, else the one the field is searched with.
Result<const analysis::Analyzer*> AnalyzerFor(Binder& binder, std::string_view query, const Field& field,
                                              const TextMatch& match) {
  std::string name = match.analyzer;
  if (name.empty() && field.type == FieldType::kKeyword) name = "keyword";
  if (name.empty())
    name = !field.search_analyzer.empty() ? field.search_analyzer
           : !field.analyzer.empty()      ? field.analyzer
                                          : "standard";
  const analysis::Analyzer* analyzer = analysis::FindAnalyzer(name);
  if (analyzer == nullptr) return binder.ShardError("[" + std::string(query) + "] analyzer [" + name + "] not found");
  return analyzer;
}

Result<std::unique_ptr<Query>> MakeTerms(Binder& binder, const Field& field, const TextMatch& match,
                                         const analysis::TokenBuffer& tokens, float boost) {
  const auto count = static_cast<uint32_t>(tokens.tokens.size());
  TIERCEL_TRY(binder.CountClauses(count));
  BooleanClauses clauses;
  for (const analysis::Token& token : tokens.tokens) {
    TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> term,
                       MakeFieldTermQuery(binder, field, {std::string(tokens.term(token)), false}, boost));
    if (count == 1) return term;
    (match.all_terms ? clauses.must : clauses.should).push_back(std::move(term));
  }
  if (match.minimum_should_match && !match.all_terms) {
    TIERCEL_TRY_ASSIGN(clauses.minimum_should_match, ComputeMinimumShouldMatch(*match.minimum_should_match, count));
  }
  return MakeBooleanQuery(std::move(clauses));
}

Result<std::unique_ptr<Query>> MakePhrase(Binder& binder, const Field& field, const TextMatch& match,
                                          const analysis::TokenBuffer& tokens, float boost) {
  TIERCEL_TRY(binder.CountClauses(tokens.tokens.size()));
  if (field.type == FieldType::kKeyword) {
    return InvalidArgument("field:[" + field.name + "] was indexed without position data; cannot run PhraseQuery")
        .WithType("illegal_state_exception");
  }
  Phrase phrase;
  phrase.slop = match.slop;
  for (const analysis::Token& token : tokens.tokens) {
    phrase.terms.emplace_back(tokens.term(token));
    phrase.offsets.push_back(token.position - tokens.tokens[0].position);
  }
  return MakePhraseQuery(binder, field, std::move(phrase), boost);
}

Result<std::unique_ptr<Query>> MakeOnField(Binder& binder, std::string_view query, const Field& field,
                                           const TextMatch& match, float boost) {
  if (field.type == FieldType::kDenseVector) {
    return InvalidArgument("Field [" + field.name + "] of type [dense_vector] does not support match queries")
        .WithType("illegal_argument_exception");
  }
  if (field.type != FieldType::kText && field.type != FieldType::kKeyword)
    return MakeFieldTermQuery(binder, field, match.text, boost);
  TIERCEL_TRY_ASSIGN(const analysis::Analyzer* analyzer, AnalyzerFor(binder, query, field, match));
  // A keyword is the whole text, even an empty one.
  if (analyzer->name() == "keyword") return MakeFieldTermQuery(binder, field, match.text, boost);
  analysis::TokenBuffer tokens;
  analyzer->Analyze(match.text.text, tokens);
  if (tokens.tokens.empty()) return match.zero_terms_all ? MakeMatchAll(boost) : MakeMatchNone();
  if (match.phrase && tokens.tokens.size() > 1) return MakePhrase(binder, field, match, tokens, boost);
  return MakeTerms(binder, field, match, tokens, boost);
}

}  // namespace

Result<std::unique_ptr<Query>> MakeTextQuery(Binder& binder, std::string_view query, std::string_view field,
                                             const TextMatch& match, float boost) {
  if (IsMetadataField(field)) return MakeMetadataTermsQuery(binder, field, std::span(&match.text, 1), boost);
  if (!match.analyzer.empty() && analysis::FindAnalyzer(match.analyzer) == nullptr) {
    return binder.ShardError("[" + std::string(query) + "] analyzer [" + match.analyzer + "] not found");
  }
  const Field* mapped = binder.FindLeaf(field);
  if (mapped == nullptr) return MakeMatchNone();
  Result<std::unique_ptr<Query>> made = MakeOnField(binder, query, *mapped, match, boost);
  const bool misfit = !made.ok() && made.error().code() == Code::kInvalidArgument &&
                      made.error().type() != "query_shard_exception" &&
                      made.error().type() != "too_many_nested_clauses";
  if (misfit && match.lenient) return MakeMatchNone();
  return made;
}

}  // namespace tiercel::search
