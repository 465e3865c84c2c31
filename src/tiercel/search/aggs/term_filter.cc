#include "tiercel/search/aggs/term_filter.h"

#include <algorithm>
#include <cmath>

#include "tiercel/mapping/values.h"

namespace tiercel::search::aggs {
namespace {

Result<std::string> DictionaryTerm(const std::string& text, const ValueType& type) {
  if (type.kind == ValueKind::kIp) return mapping::ParseIp(text);
  return text;
}

}  // namespace

Status TermFilter::ParseClause(const Parameter& parameter, std::optional<TermClause>& clause) {
  clause.emplace();
  if (parameter.value().is_string()) return ParsePattern(parameter, *clause);
  if (parameter.value().is_object()) {
    return Unimplemented("[" + std::string(parameter.key()) + "] by partition is not supported")
        .WithType("illegal_argument_exception");
  }
  if (!parameter.value().is_array()) return parameter.WrongType();
  for (const json::Value value : parameter.value().elements()) clause->values.push_back(Scalar::From(value));
  return {};
}

Status TermFilter::ParsePattern(const Parameter& parameter, TermClause& clause) {
  std::string_view pattern = parameter.value().as_string();
  clause.pattern = true;
  const bool prefix = pattern.ends_with(".*") && !pattern.ends_with("\\.*");
  if (prefix) pattern.remove_suffix(2);
  std::string literal;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      literal += pattern[++i];
    } else if (std::string_view(".?+*|{}[]()\"\\#@&<>~").find(pattern[i]) != std::string_view::npos) {
      return parameter.Failed(
          Unimplemented("only literal text and prefixes (\"text.*\") are supported as patterns, got [" +
                        std::string(parameter.value().as_string()) + "]")
              .WithType("illegal_argument_exception"));
    } else {
      literal += pattern[i];
    }
  }
  if (prefix) {
    clause.prefix = std::move(literal);
  } else {
    clause.values.push_back({std::move(literal), json::Type::kString});
  }
  return {};
}

Status TermFilter::Validate(const ValueType& type, const std::string& name, int64_t now_ms) const {
  if ((include_ && include_->pattern) || (exclude_ && exclude_->pattern)) {
    if (type.kind == ValueKind::kKeyword) return {};
    return InvalidArgument(
        "Aggregation [" + name +
        "] cannot support regular expression style include/exclude settings as they can only be applied to string "
        "fields. Use an array of " +
        (type.kind == ValueKind::kIp ? "values" : "numeric values") + " for include/exclude clauses used to filter " +
        (type.kind == ValueKind::kIp ? "ip" : "numeric") + " fields");
  }
  if (type.numeric()) return Numbers(type, false, now_ms).status();
  return Ordinals(nullptr, type).status();
}

Status TermFilter::Mark(const TermClause& clause, const segment::KeywordColumn* column, const ValueType& type, uint8_t mark,
                        std::vector<uint8_t>& accepted) {
  const size_t missing = accepted.size() - 1;
  if (clause.prefix) {
    const std::string& prefix = *clause.prefix;
    if (type.missing_term && type.missing_term->starts_with(prefix)) accepted[missing] = mark;
    if (column == nullptr) return {};
    TIERCEL_TRY_ASSIGN(const auto first, column->LowerBound(prefix));
    for (segment::Ordinal ordinal = first.first; ordinal < column->cardinality(); ++ordinal) {
      TIERCEL_TRY_ASSIGN(const std::string term, column->Term(ordinal));
      if (!term.starts_with(prefix)) break;
      accepted[ordinal] = mark;
    }
    return {};
  }
  for (const Scalar& value : clause.values) {
    TIERCEL_TRY_ASSIGN(const std::string term, DictionaryTerm(value.text, type));
    if (type.missing_term == term) accepted[missing] = mark;
    if (column == nullptr) continue;
    TIERCEL_TRY_ASSIGN(const auto found, column->LowerBound(term));
    if (found.second) accepted[found.first] = mark;
  }
  return {};
}

Result<std::vector<uint8_t>> TermFilter::Ordinals(const segment::KeywordColumn* column, const ValueType& type) const {
  const size_t size = (column ? column->cardinality() : 0) + size_t{1};
  std::vector<uint8_t> accepted(size, include_ ? 0 : 1);
  if (include_) TIERCEL_TRY(Mark(*include_, column, type, 1, accepted));
  if (exclude_) TIERCEL_TRY(Mark(*exclude_, column, type, 0, accepted));
  return accepted;
}

Result<std::vector<int64_t>> TermFilter::Encode(const TermClause& clause, const ValueType& type, bool as_double,
                                                int64_t now_ms) {
  std::vector<int64_t> keys;
  for (const Scalar& value : clause.values) {
    TIERCEL_TRY_ASSIGN(double number, ScalarToNumber(value, type, now_ms));
    if (as_double) {
      keys.push_back(mapping::EncodeDouble(number));
      continue;
    }
    if (type.kind == ValueKind::kLong) number = std::trunc(number);
    const int64_t stored = type.ToStored(number);
    if (type.ToDouble(stored) == number) keys.push_back(stored);  // 0.1 is no value of a float field
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Result<TermFilter::Keys> TermFilter::Numbers(const ValueType& type, bool as_double, int64_t now_ms) const {
  Keys keys;
  if (include_) {
    TIERCEL_TRY_ASSIGN(keys.include_, Encode(*include_, type, as_double, now_ms));
  }
  if (exclude_) {
    TIERCEL_TRY_ASSIGN(keys.exclude_, Encode(*exclude_, type, as_double, now_ms));
  }
  return keys;
}

bool TermFilter::Keys::Accepts(int64_t key) const {
  return (!include_ || std::binary_search(include_->begin(), include_->end(), key)) &&
         (!exclude_ || !std::binary_search(exclude_->begin(), exclude_->end(), key));
}

}  // namespace tiercel::search::aggs
