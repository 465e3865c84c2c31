// Parsing of the object after "knn", in its three forms.
#include <algorithm>
#include <cmath>

#include "tiercel/search/query.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/request_number.h"
#include "tiercel/search/vector_query.h"
#include "tiercel/search/vector_text.h"

namespace tiercel::search {
namespace {

constexpr uint32_t kCandidatesMax = 10000;

// Members collected before they are checked together.
struct Draft {
  KnnClause clause;
  std::optional<int32_t> k, num_candidates;
  bool has_field = false, has_vector = false;
};

Status ParseVectorText(json::Value value, QueryVector& vector) {
  const std::string_view text = value.as_string();
  if (!DecodeHex(text) && !DecodeBase64(text)) {
    const size_t at = text.find_first_not_of("0123456789abcdefABCDEF");
    const std::string digit(at == std::string_view::npos ? text : text.substr(at, 1));
    return InvalidArgument("not a hexadecimal digit: \"" + digit +
                           "\" = " + std::to_string(digit.empty() ? 0 : static_cast<unsigned char>(digit[0])))
        .WithType("number_format_exception");
  }
  vector.encoded = text;
  return {};
}

Status ParseVector(json::Value value, QueryVector& vector) {
  if (value.is_string()) {
    Status status = ParseVectorText(value, vector);
    return status.ok() ? std::move(status) : FieldError(value, "knn", "query_vector", std::move(status));
  }
  if (value.is_number()) {
    vector.numbers = {static_cast<float>(value.as_double())};
    return {};
  }
  if (!value.is_array()) return WrongFieldType(value, "knn", "query_vector");
  vector.numbers.reserve(value.size());
  for (const json::Value element : value.elements()) {
    Result<float> number = ReadFloat(element);
    if (!number.ok()) return FieldError(element, "knn", "query_vector", std::move(number).status());
    vector.numbers.push_back(*number);
  }
  return {};
}

Status ParseFilters(json::Value value, std::vector<json::Value>& filters) {
  if (!value.is_object() && !value.is_array()) return WrongFieldType(value, "knn", "filter");
  if (value.is_object()) {
    filters.push_back(value);
  } else {
    for (const json::Value element : value.elements()) filters.push_back(element);
  }
  for (const json::Value filter : filters) {
    if (Status status = CheckQueryShape(filter); !status.ok())
      return FieldError(filter, "knn", "filter", std::move(status));
  }
  return {};
}

Status ParseRescore(json::Value value) {
  if (!value.is_object()) return WrongFieldType(value, "knn", "rescore_vector");
  const json::Value oversample = value["oversample"];
  if (!oversample.exists()) return FieldError(value, "knn", "rescore_vector", InvalidArgument("Required [oversample]"));
  Result<float> factor = ReadFloat(oversample);
  if (!factor.ok()) return FieldError(value, "knn", "rescore_vector", std::move(factor).status());
  if (*factor != 0 && !(*factor >= 1)) {
    return FieldError(
        value, "knn", "rescore_vector",
        InvalidArgument("[oversample] must be greater than 1.0, or exactly 0, got " + oversample.ToDisplayString()));
  }
  return {};  // vectors are stored whole and scored exactly: there is nothing to rescore
}

template <typename T, typename Read>
Status ParseNumber(json::Value value, std::string_view key, Read read, std::optional<T>& out) {
  if (!value.is_number() && !value.is_string()) return WrongFieldType(value, "knn", key);
  auto number = read(value);
  if (!number.ok()) return FieldError(value, "knn", key, std::move(number).status());
  out = *number;
  return {};
}

Result<int32_t> ReadIntOf(json::Value value) { return ReadInt(value); }
Result<float> ReadFloatOf(json::Value value) { return ReadFloat(value); }

Status ParseMember(std::string_view key, json::Value value, KnnForm form, Draft& draft) {
  KnnClause& clause = draft.clause;
  if (key == "field") {
    if (!value.is_string()) return WrongFieldType(value, "knn", key);
    draft.has_field = true;
    clause.field = value.as_string();
    return {};
  }
  if (key == "query_vector") {
    draft.has_vector = true;
    return ParseVector(value, clause.vector);
  }
  if (key == "query_vector_builder") {
    return FieldError(
        value, "knn", key,
        InvalidArgument("[query_vector_builder] is not supported: pass the vector itself as [query_vector]"));
  }
  if (key == "k") return ParseNumber(value, key, ReadIntOf, draft.k);
  if (key == "num_candidates") return ParseNumber(value, key, ReadIntOf, draft.num_candidates);
  if (key == "similarity") return ParseNumber(value, key, ReadFloatOf, clause.similarity);
  if (key == "filter") return ParseFilters(value, clause.filters);
  if (key == "rescore_vector") return ParseRescore(value);
  if (key == "visit_percentage") {
    std::optional<float> ignored;
    return ParseNumber(value, key, ReadFloatOf, ignored);
  }
  if (key == "boost" && form != KnnForm::kRetriever) {
    std::optional<float> boost;
    TIERCEL_TRY(ParseNumber(value, key, ReadFloatOf, boost));
    clause.boost = *boost;
    return {};
  }
  if (key == "_name") {
    if (!value.is_string()) return WrongFieldType(value, "knn", key);
    clause.name = value.as_string();
    return {};
  }
  if (key == "inner_hits" && form == KnnForm::kTopLevel)
    return {};  // means something only for vectors inside nested objects
  if (key == "min_score" && form == KnnForm::kRetriever) return {};  // read by the retriever
  return ContentError(value, "[knn] unknown field [" + std::string(key) + "]");
}

Status CheckLimits(int64_t k, int64_t candidates) {
  if (k < 1) return InvalidArgument("[k] must be greater than 0");
  if (candidates < k) return InvalidArgument("[num_candidates] cannot be less than [k]");
  if (candidates > kCandidatesMax)
    return InvalidArgument("[num_candidates] cannot exceed [" + std::to_string(kCandidatesMax) + "]");
  return {};
}

int64_t DefaultCandidates(int64_t k) {
  return std::llround(std::min(1.5 * static_cast<double>(k), double{kCandidatesMax}));
}

Status Complete(KnnForm form, uint32_t size, Draft& draft) {
  if (!draft.has_vector) {
    return InvalidArgument(form == KnnForm::kQuery
                               ? "either [query_vector] or [query_vector_builder] must be provided"
                               : "either [query_vector_builder] or [query_vector] must be provided");
  }
  if (form == KnnForm::kQuery && !draft.k) {
    const int64_t candidates = draft.num_candidates && *draft.num_candidates > 0
                                   ? *draft.num_candidates
                                   : DefaultCandidates(size > 0 ? size : 10);
    if (candidates > kCandidatesMax) return CheckLimits(1, candidates);
    draft.clause.k = static_cast<uint32_t>(candidates);
    return {};
  }
  const int64_t k = draft.k ? *draft.k : int64_t{size};
  TIERCEL_TRY(CheckLimits(k, draft.num_candidates ? *draft.num_candidates : DefaultCandidates(k)));
  draft.clause.k = static_cast<uint32_t>(k);
  return {};
}

}  // namespace

Result<KnnClause> ParseKnnClause(json::Value knn, KnnForm form, uint32_t size) {
  Draft draft;
  for (auto [key, value] : knn.members()) TIERCEL_TRY(ParseMember(key, value, form, draft));
  std::string missing;
  const auto require = [&missing](bool present, const char* name) {
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  require(draft.has_field, "field");
  if (form == KnnForm::kRetriever) {
    require(draft.k.has_value(), "k");
    require(draft.num_candidates.has_value(), "num_candidates");
  }
  if (!missing.empty()) return InvalidArgument("Required [" + missing + "]");
  Status status = Complete(form, size, draft);
  if (!status.ok() && form == KnnForm::kQuery) {
    return InvalidArgument("Failed to build [knn] after last required field arrived")
        .WithType("x_content_parse_exception")
        .WithCause(std::move(status));
  }
  TIERCEL_TRY(std::move(status));
  if (draft.clause.boost < 0)
    return InvalidArgument("negative [boost] are not allowed in [knn], use a value between 0 and 1 to deboost");
  return std::move(draft.clause);
}

}  // namespace tiercel::search
