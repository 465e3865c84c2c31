#include "tiercel/search/request.h"

#include <algorithm>
#include <limits>

#include "tiercel/search/query.h"
#include "tiercel/search/request_builder.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/request_number.h"

namespace tiercel::search {
namespace {

using Handler = Status (*)(json::Value, RequestBuilder&);

struct Member {
  std::string_view key;
  const char* tokens;  // which value types it takes: s(calar), o(bject), a(rray), t(ext), b(ool)
  Handler handle;
};

bool Takes(std::string_view tokens, json::Value value) {
  const auto has = [tokens](char c) { return tokens.find(c) != std::string_view::npos; };
  if (value.is_object()) return has('o');
  if (value.is_array()) return has('a');
  if (value.is_null()) return false;
  return has('s') || (has('t') && value.is_string()) || (has('b') && value.is_bool());
}

Status SetFrom(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int32_t from, ReadInt(value));
  if (from < 0) return InvalidArgument("[from] parameter cannot be negative but was [" + std::to_string(from) + "]");
  builder.request->from = static_cast<uint32_t>(from);
  return {};
}

Status SetSize(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int32_t size, ReadInt(value));
  if (size < 0) return InvalidArgument("[size] parameter cannot be negative, found [" + std::to_string(size) + "]");
  builder.size = size;
  return {};
}

Status SetTrackTotalHits(json::Value value, RequestBuilder& builder) {
  if (value.is_bool() || (value.is_string() && (value.as_string() == "true" || value.as_string() == "false"))) {
    TIERCEL_TRY_ASSIGN(const bool track, ReadBool(value));
    builder.request->track_total_hits = track ? kTotalHitsExact : kTotalHitsOff;
    return {};
  }
  TIERCEL_TRY_ASSIGN(const int32_t limit, ReadInt(value));
  if (limit < -1)
    return InvalidArgument("[track_total_hits] parameter must be positive or equals to -1, got " +
                           std::to_string(limit));
  builder.request->track_total_hits = limit == std::numeric_limits<int32_t>::max() ? kTotalHitsExact : limit;
  return {};
}

Status SetTimeout(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int64_t ms, ReadTimeValue(value.ToDisplayString(), "timeout"));
  if (ms >= 0) builder.request->timeout_ms = ms;
  return {};
}

Status SetTerminateAfter(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int32_t after, ReadInt(value));
  if (after < 0) return InvalidArgument("terminateAfter must be > 0");
  builder.request->terminate_after = static_cast<uint32_t>(after);
  return {};
}

Status SetMinScore(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->min_score, ReadFloat(value));
  return {};
}

Status SetVersion(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->version, ReadBool(value));
  return {};
}

Status SetSeqNo(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->seq_no_primary_term, ReadBool(value));
  return {};
}

Status SetTrackScores(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->track_scores, ReadBool(value));
  return {};
}

// A switch that may be off; on, it asks for something we do not have.
template <const char* kName>
Status RefuseWhenTrue(json::Value value, RequestBuilder&) {
  TIERCEL_TRY_ASSIGN(const bool on, ReadBool(value));
  if (on) return InvalidArgument("[" + std::string(kName) + "] is not supported");
  return {};
}
constexpr char kExplain[] = "explain";
constexpr char kProfile[] = "profile";

Status SetQuery(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY(CheckQueryShape(value));
  builder.request->query = value;
  return {};
}

Status SetPostFilter(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY(CheckQueryShape(value));
  builder.request->post_filter = value;
  return {};
}

Status SetKnn(json::Value value, RequestBuilder& builder) {
  builder.knn = value;
  return {};
}

Status SetRetriever(json::Value value, RequestBuilder& builder) {
  builder.retriever = value;
  return {};
}

Status SetSource(json::Value value, RequestBuilder& builder) {
  SearchRequest& request = *builder.request;
  TIERCEL_TRY_ASSIGN(request.source, ParseSourceFilter(value));
  request.source_requested = true;
  if (const json::Value exclude = value["exclude_vectors"]; exclude.exists()) {
    TIERCEL_TRY_ASSIGN(request.exclude_vectors, ReadBool(exclude));
  }
  return {};
}

Status SetSort(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->sort, ParseSort(value));
  return {};
}

Status SetSearchAfter(json::Value value, RequestBuilder& builder) {
  if (value.empty()) return InvalidArgument("Values must contains at least one value.");
  for (const json::Value element : value.elements()) {
    if (element.is_object() || element.is_array()) {
      return ParsingError(element,
                          "Expected [VALUE_STRING] or [VALUE_NUMBER] or [VALUE_BOOLEAN] or [VALUE_NULL] but found [" +
                              std::string(json::TokenName(element.type())) + "] inside search_after.");
    }
    builder.request->search_after.push_back(element);
  }
  return {};
}

Status SetAggregations(json::Value value, RequestBuilder& builder) {
  if (value.empty()) return {};
  TIERCEL_TRY_ASSIGN(builder.request->aggregations, AggregationSet::Parse(value));
  return {};
}

Status SetDocvalueFields(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->docvalue_fields, ParseFieldsAndFormats(value, "docvalue_fields"));
  return {};
}

Status SetFields(json::Value value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(builder.request->fields, ParseFieldsAndFormats(value, "fields"));
  return {};
}

Status SetStoredFields(json::Value value, RequestBuilder& builder) {
  if (!value.is_string() && !value.is_array()) {
    return ParsingError(value, "Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [" +
                                   std::string(json::TokenName(value.type())) + "]");
  }
  bool source = false;
  if (value.is_string()) {
    builder.request->stored_fields_none = value.as_string() == "_none_";
    source = value.as_string() == "_source";
  } else {
    for (const json::Value element : value.elements())
      source |= element.is_string() && element.as_string() == "_source";
  }
  // Naming stored fields turns the source off unless it is named too or asked for by "_source".
  if (!source && !builder.request->source_requested) builder.request->source.enabled = false;
  return {};
}

// Known keys of features this engine does not have: refused, unless what they hold asks for nothing.
Status Unsupported(std::string_view key, json::Value value) {
  if ((value.is_object() || value.is_array()) && value.empty()) return {};
  return Unimplemented("[" + std::string(key) + "] is not supported");
}

Status Ignore(json::Value, RequestBuilder&) { return {}; }

constexpr Member kMembers[] = {
    {"query", "o", SetQuery},
    {"knn", "oa", SetKnn},
    {"retriever", "o", SetRetriever},
    {"from", "s", SetFrom},
    {"size", "s", SetSize},
    {"sort", "soa", SetSort},
    {"search_after", "a", SetSearchAfter},
    {"track_total_hits", "s", SetTrackTotalHits},
    {"track_scores", "s", SetTrackScores},
    {"min_score", "s", SetMinScore},
    {"post_filter", "o", SetPostFilter},
    {"_source", "soa", SetSource},
    {"docvalue_fields", "a", SetDocvalueFields},
    {"fields", "a", SetFields},
    {"stored_fields", "sa", SetStoredFields},
    {"version", "s", SetVersion},
    {"seq_no_primary_term", "s", SetSeqNo},
    {"timeout", "s", SetTimeout},
    {"terminate_after", "s", SetTerminateAfter},
    {"aggs", "o", SetAggregations},
    {"aggregations", "o", SetAggregations},
    {"profile", "s", RefuseWhenTrue<kProfile>},
    {"explain", "s", RefuseWhenTrue<kExplain>},
    {"include_named_queries_score", "s", RefuseWhenTrue<kExplain>},
    {"ext", "o", Ignore},
    {"stats", "a", Ignore},
};

struct UnsupportedKey {
  std::string_view key;
  const char* tokens;
};
constexpr UnsupportedKey kUnsupported[] = {
    {"collapse", "o"},     {"highlight", "o"},     {"rescore", "oa"},      {"suggest", "o"},          {"pit", "o"},
    {"slice", "o"},        {"indices_boost", "a"}, {"script_fields", "o"}, {"runtime_mappings", "o"}, {"rank", "o"},
    {"sub_searches", "a"},
};

}  // namespace

Status RequestBuilder::AddBodyMember(std::string_view key, json::Value value) {
  for (const Member& member : kMembers) {
    if (member.key != key) continue;
    if (!Takes(member.tokens, value)) return UnknownKey(value, key);
    return member.handle(value, *this);
  }
  for (const UnsupportedKey& known : kUnsupported)
    if (known.key == key) return Takes(known.tokens, value) ? Unsupported(key, value) : UnknownKey(value, key);
  return UnknownKey(value, key);
}

Status RequestBuilder::FoldRetriever() {
  SearchRequest& r = *request;
  std::string others;
  const auto add = [&others](bool present, const char* name) {
    if (present) others += (others.empty() ? "" : ", ") + std::string(name);
  };
  add(r.query.exists() || r.uri_query.has_value(), "query");
  add(knn.exists(), "knn");
  add(!r.search_after.empty(), "search_after");
  add(r.terminate_after > 0, "terminate_after");
  add(!r.sort.empty(), "sort");
  if (!others.empty()) return ValidationError("cannot specify [retriever] and [" + others + "]");
  TIERCEL_TRY_ASSIGN(Retriever parsed, ParseRetriever(retriever, r.size));
  switch (parsed.kind) {
    case Retriever::Kind::kStandard:
      r.query = parsed.query;
      r.filters = std::move(parsed.filters);
      r.sort = std::move(parsed.sort);
      r.search_after = std::move(parsed.search_after);
      r.terminate_after = parsed.terminate_after;
      if (parsed.min_score) r.min_score = parsed.min_score;
      break;
    case Retriever::Kind::kKnn:
      r.knn.push_back(std::move(parsed.knn));
      if (parsed.min_score) r.min_score = parsed.min_score;
      break;
    case Retriever::Kind::kRrf:
      r.rrf = std::move(parsed);
      break;
  }
  return {};
}

Status RequestBuilder::CheckTogether() const {
  const SearchRequest& r = *request;
  if (!r.search_after.empty() && r.from > 0)
    return ValidationError("[from] parameter must be set to 0 when [search_after] is used");
  if (r.stored_fields_none && r.source_requested && r.source.enabled) {
    return ValidationError("[stored_fields] cannot be disabled if [_source] is requested");
  }
  if (r.stored_fields_none && !r.fields.empty())
    return ValidationError("[stored_fields] cannot be disabled when using the [fields] option");
  if (r.total_hits_as_int && r.track_total_hits != kTotalHitsExact && r.track_total_hits != kTotalHitsOff) {
    return InvalidArgument(
        "[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got " +
        std::to_string(r.track_total_hits));
  }
  return {};
}

Result<std::shared_ptr<const SearchRequest>> RequestBuilder::Finish() && {
  SearchRequest& r = *request;
  if (size) r.size = static_cast<uint32_t>(*size);
  if (r.stored_fields_none) r.source.enabled = r.source_requested && r.source.enabled;
  if (knn.is_object()) {
    TIERCEL_TRY_ASSIGN(KnnClause clause, ParseKnnClause(knn, KnnForm::kTopLevel, r.size));
    r.knn.push_back(std::move(clause));
  }
  for (const json::Value element : knn.is_array() ? knn.elements() : json::Value().elements()) {
    if (!element.is_object()) {
      return ContentError(element,
                          "malformed knn format, within the knn search array only objects are allowed; found " +
                              std::string(json::TokenName(element.type())));
    }
    TIERCEL_TRY_ASSIGN(KnnClause clause, ParseKnnClause(element, KnnForm::kTopLevel, r.size));
    r.knn.push_back(std::move(clause));
  }
  if (retriever.exists()) TIERCEL_TRY(FoldRetriever());
  TIERCEL_TRY(CheckTogether());
  return std::shared_ptr<const SearchRequest>(std::move(request));
}

Result<std::shared_ptr<const SearchRequest>> ParseSearchRequest(json::Value body, const UrlParameters& url) {
  RequestBuilder builder;
  if (body.exists()) {
    if (!body.is_object())
      return ParsingError(body,
                          "Expected [START_OBJECT] but found [" + std::string(json::TokenName(body.type())) + "]");
    for (auto [key, value] : body.members()) TIERCEL_TRY(builder.AddBodyMember(key, value));
  }
  for (const auto& [name, value] : url) TIERCEL_TRY(builder.AddUrlParameter(name, value));
  TIERCEL_TRY(builder.AddUrlGroups(url));
  return std::move(builder).Finish();
}

}  // namespace tiercel::search
