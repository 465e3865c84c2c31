// Parsing of "retriever": standard, knn and rrf.
#include "tiercel/search/query.h"
#include "tiercel/search/request.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/request_number.h"

namespace tiercel::search {
namespace {

constexpr int kDepthMax = 10;

Result<Retriever> ParseAt(json::Value retriever, uint32_t size, int depth);

Status UnknownField(json::Value value, std::string_view parser, std::string_view key) {
  return ContentError(value, "[" + std::string(parser) + "] unknown field [" + std::string(key) + "]");
}

Status ParseFilters(json::Value value, std::string_view parser, std::vector<json::Value>& filters) {
  if (!value.is_object() && !value.is_array()) return WrongFieldType(value, parser, "filter");
  if (value.is_object()) {
    filters.push_back(value);
  } else {
    for (const json::Value element : value.elements()) filters.push_back(element);
  }
  for (const json::Value filter : filters) {
    if (Status status = CheckQueryShape(filter); !status.ok())
      return FieldError(filter, parser, "filter", std::move(status));
  }
  return {};
}

Status ParseMinScore(json::Value value, std::string_view parser, Retriever& out) {
  Result<float> score = ReadFloat(value);
  if (!score.ok()) return FieldError(value, parser, "min_score", std::move(score).status());
  out.min_score = *score;
  return {};
}

Status ParseStandardMember(std::string_view key, json::Value value, Retriever& out) {
  constexpr std::string_view kParser = "standard";
  if (key == "query") {
    if (!value.is_object()) return WrongFieldType(value, kParser, key);
    if (Status status = CheckQueryShape(value); !status.ok()) return FieldError(value, kParser, key, std::move(status));
    out.query = value;
    return {};
  }
  if (key == "filter") return ParseFilters(value, kParser, out.filters);
  if (key == "sort") {
    Result<std::vector<SortSpec>> sort = ParseSort(value);
    if (!sort.ok()) return FieldError(value, kParser, key, std::move(sort).status());
    out.sort = std::move(sort).value();
    return {};
  }
  if (key == "search_after") {
    if (!value.is_array()) return WrongFieldType(value, kParser, key);
    for (const json::Value element : value.elements()) out.search_after.push_back(element);
    return {};
  }
  if (key == "terminate_after") {
    Result<int32_t> after = ReadInt(value);
    if (!after.ok()) return FieldError(value, kParser, key, std::move(after).status());
    if (*after < 0) return FieldError(value, kParser, key, InvalidArgument("terminateAfter must be > 0"));
    out.terminate_after = static_cast<uint32_t>(*after);
    return {};
  }
  if (key == "min_score") return ParseMinScore(value, kParser, out);
  if (key == "_name") {
    if (!value.is_string()) return WrongFieldType(value, kParser, key);
    out.name = value.as_string();
    return {};
  }
  if (key == "collapse") return Unimplemented("[collapse] is not supported");
  return UnknownField(value, kParser, key);
}

Status ParseKnn(json::Value body, uint32_t size, Retriever& out) {
  TIERCEL_TRY_ASSIGN(out.knn, ParseKnnClause(body, KnnForm::kRetriever, size));
  if (const json::Value score = body["min_score"]; score.exists()) TIERCEL_TRY(ParseMinScore(score, "knn", out));
  out.name = out.knn.name;
  return {};
}

Result<uint32_t> ParsePositive(json::Value value, std::string_view key) {
  Result<int32_t> number = ReadInt(value);
  if (!number.ok()) return FieldError(value, "rrf", key, std::move(number).status());
  if (*number < 1)
    return InvalidArgument("[" + std::string(key) + "] must be greater or equal to [1], received [" +
                           std::to_string(*number) + "]");
  return static_cast<uint32_t>(*number);
}

// A child stands as {"standard": …} or, with a weight, as {"retriever": {…}, "weight": n}; weights other than 1 are not
// supported.
Status ParseChild(json::Value child, uint32_t size, int depth, Retriever& out) {
  if (!child.is_object()) return WrongFieldType(child, "rrf", "retrievers");
  Result<Retriever> parsed = ParseAt(child, size, depth + 1);
  if (!parsed.ok()) return FieldError(child, "rrf", "retrievers", std::move(parsed).status());
  out.children.push_back(std::move(parsed).value());
  return {};
}

Status ParseRrf(json::Value body, uint32_t size, int depth, Retriever& out) {
  out.rank_window_size = size > 0 ? size : 10;
  bool has_retrievers = false;
  for (auto [key, value] : body.members()) {
    if (key == "retrievers") {
      if (!value.is_array()) return WrongFieldType(value, "rrf", key);
      has_retrievers = true;
      for (const json::Value child : value.elements()) TIERCEL_TRY(ParseChild(child, size, depth, out));
    } else if (key == "rank_constant") {
      TIERCEL_TRY_ASSIGN(out.rank_constant, ParsePositive(value, key));
    } else if (key == "rank_window_size") {
      TIERCEL_TRY_ASSIGN(out.rank_window_size, ParsePositive(value, key));
    } else if (key == "filter") {
      TIERCEL_TRY(ParseFilters(value, "rrf", out.filters));
    } else if (key == "min_score") {
      TIERCEL_TRY(ParseMinScore(value, "rrf", out));
    } else if (key == "_name") {
      if (!value.is_string()) return WrongFieldType(value, "rrf", key);
      out.name = value.as_string();
    } else {
      return UnknownField(value, "rrf", key);
    }
  }
  if (!has_retrievers) return InvalidArgument("Required [retrievers]");
  if (out.children.size() < 2) return ValidationError("[rrf] requires at least 2 retrievers");
  if (out.rank_window_size < size) {
    return ValidationError("[rrf] requires [rank_window_size: " + std::to_string(out.rank_window_size) +
                           "] be greater than or equal to [size: " + std::to_string(size) + "]");
  }
  return {};
}

Result<Retriever> ParseAt(json::Value retriever, uint32_t size, int depth) {
  if (depth > kDepthMax)
    return InvalidArgument("retrievers may be nested at most " + std::to_string(kDepthMax) + " deep");
  if (retriever.empty()) return ParsingError(retriever, "retriever malformed, empty clause found");
  const auto [kind, body] = *retriever.members().begin();
  const std::string name(kind);
  if (name != "standard" && name != "knn" && name != "rrf")
    return ParsingError(body, "unknown retriever [" + name + "]");
  if (!body.is_object())
    return ParsingError(body, "[" + name + "] retriever malformed, no [START_OBJECT] after retriever name");
  if (retriever.size() > 1)
    return ParsingError(body, "[" + name + "] malformed retriever, expected [END_OBJECT] but found [FIELD_NAME]");
  Retriever out;
  if (name == "standard") {
    out.kind = Retriever::Kind::kStandard;
    for (auto [key, value] : body.members()) TIERCEL_TRY(ParseStandardMember(key, value, out));
  } else if (name == "knn") {
    out.kind = Retriever::Kind::kKnn;
    TIERCEL_TRY(ParseKnn(body, size, out));
  } else {
    out.kind = Retriever::Kind::kRrf;
    TIERCEL_TRY(ParseRrf(body, size, depth, out));
  }
  return out;
}

}  // namespace

Result<Retriever> ParseRetriever(json::Value retriever, uint32_t size) { return ParseAt(retriever, size, 0); }

}  // namespace tiercel::search
