// What the parameters of a search URL add to the request or override in it.
#include <limits>

#include "tiercel/search/request_builder.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/request_number.h"

namespace tiercel::search {
namespace {

std::vector<std::string> SplitCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (const std::string_view part = text.substr(0, comma); !part.empty()) parts.emplace_back(part);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

Result<int32_t> IntParameter(std::string_view name, std::string_view value) {
  const std::optional<int64_t> number = ParseInteger(value);
  if (number && *number >= std::numeric_limits<int32_t>::min() && *number <= std::numeric_limits<int32_t>::max())
    return static_cast<int32_t>(*number);
  return InvalidArgument("Failed to parse int parameter [" + std::string(name) + "] with value [" + std::string(value) +
                         "]")
      .WithCause(NumberFormatError(value));
}

Status SetFrom(std::string_view value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int32_t from, IntParameter("from", value));
  if (from < 0) return InvalidArgument("[from] parameter cannot be negative but was [" + std::to_string(from) + "]");
  builder.request->from = static_cast<uint32_t>(from);
  return {};
}

Status SetSize(std::string_view value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int32_t size, IntParameter("size", value));
  if (size < 0) return InvalidArgument("[size] parameter cannot be negative, found [" + std::to_string(size) + "]");
  builder.size = size;
  return {};
}

Status SetTrackTotalHits(std::string_view value, RequestBuilder& builder) {
  int64_t& limit = builder.request->track_total_hits;
  if (value == "true" || value == "false") {
    limit = value == "true" ? kTotalHitsExact : kTotalHitsOff;
    return {};
  }
  TIERCEL_TRY_ASSIGN(limit, IntParameter("track_total_hits", value));
  if (limit < -1)
    return InvalidArgument("[track_total_hits] parameter must be positive or equals to -1, got " +
                           std::to_string(limit));
  if (limit == std::numeric_limits<int32_t>::max()) limit = kTotalHitsExact;
  return {};
}

Status SetTerminateAfter(std::string_view value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int32_t after, IntParameter("terminate_after", value));
  if (after < 0) return InvalidArgument("terminateAfter must be > 0");
  builder.request->terminate_after = static_cast<uint32_t>(after);
  return {};
}

Status SetTimeout(std::string_view value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN(const int64_t ms, ReadTimeValue(value, "timeout"));
  if (ms >= 0) builder.request->timeout_ms = ms;
  return {};
}

Status SetQuery(std::string_view value, RequestBuilder& builder) {
  if (!builder.request->uri_query) builder.request->uri_query.emplace();
  builder.request->uri_query->text = value;
  return {};
}

Status SetSort(std::string_view value, RequestBuilder& builder) {
  for (const std::string& element : SplitCommas(value)) AppendUrlSort(element, builder.request->sort);
  DropDefaultSort(builder.request->sort);
  return {};
}

Status SetDocvalueFields(std::string_view value, RequestBuilder& builder) {
  for (std::string& field : SplitCommas(value)) builder.request->docvalue_fields.push_back({std::move(field), {}});
  return {};
}

Status SetStoredFields(std::string_view value, RequestBuilder& builder) {
  bool source = false;
  for (const std::string& field : SplitCommas(value)) {
    builder.request->stored_fields_none |= field == "_none_";
    source |= field == "_source";
  }
  if (!source && !builder.request->source_requested) builder.request->source.enabled = false;
  return {};
}

Status CheckSearchType(std::string_view value, RequestBuilder&) {
  if (value == "query_then_fetch" || value == "dfs_query_then_fetch") return {};
  return InvalidArgument("No search type for [" + std::string(value) + "]");
}

Status CheckBatchedReduceSize(std::string_view value, RequestBuilder&) {
  TIERCEL_TRY_ASSIGN(const int32_t size, IntParameter("batched_reduce_size", value));
  return size >= 2 ? Status() : InvalidArgument("batchedReduceSize must be >= 2");
}

Status CheckBool(std::string_view value, RequestBuilder&) { return ReadBool(value).status(); }

Status RefuseExplain(std::string_view value, RequestBuilder&) {
  TIERCEL_TRY_ASSIGN(const bool explain, ReadBool(value));
  return explain ? Unimplemented("[explain] is not supported") : Status();
}

template <bool SearchRequest::* kFlag>
Status SetFlag(std::string_view value, RequestBuilder& builder) {
  TIERCEL_TRY_ASSIGN((*builder.request).*kFlag, ReadBool(value));
  return {};
}

struct Parameter {
  std::string_view name;
  Status (*handle)(std::string_view, RequestBuilder&);
};

constexpr Parameter kParameters[] = {
    {"q", SetQuery},
    {"from", SetFrom},
    {"size", SetSize},
    {"sort", SetSort},
    {"track_total_hits", SetTrackTotalHits},
    {"track_scores", SetFlag<&SearchRequest::track_scores>},
    {"rest_total_hits_as_int", SetFlag<&SearchRequest::total_hits_as_int>},
    {"typed_keys", SetFlag<&SearchRequest::typed_keys>},
    {"version", SetFlag<&SearchRequest::version>},
    {"seq_no_primary_term", SetFlag<&SearchRequest::seq_no_primary_term>},
    {"terminate_after", SetTerminateAfter},
    {"timeout", SetTimeout},
    {"docvalue_fields", SetDocvalueFields},
    {"stored_fields", SetStoredFields},
    {"search_type", CheckSearchType},
    {"batched_reduce_size", CheckBatchedReduceSize},
    {"request_cache", CheckBool},
    {"allow_partial_search_results", SetFlag<&SearchRequest::allow_partial>},
    {"ccs_minimize_roundtrips", CheckBool},
    {"explain", RefuseExplain},
};

}  // namespace

Status RequestBuilder::AddUrlParameter(std::string_view name, std::string_view value) {
  for (const Parameter& parameter : kParameters)
    if (parameter.name == name) return parameter.handle(value, *this);
  return {};
}

// Parameters that only mean something together with others, whatever their order in the URL. Any of the _source ones
// replaces the body's filter as a whole.
Status RequestBuilder::AddUrlGroups(const UrlParameters& url) {
  SourceFilter source;
  bool replace_source = false;
  for (const auto& [name, value] : url) {
    if (name == "_source") {
      replace_source = true;
      source.enabled = value != "false";
      if (source.enabled && value != "true" && source.includes.empty()) source.includes = SplitCommas(value);
    } else if (name == "_source_includes") {
      replace_source = true;
      source.includes = SplitCommas(value);
    } else if (name == "_source_excludes") {
      replace_source = true;
      source.excludes = SplitCommas(value);
    } else if (name == "_source_exclude_vectors") {
      TIERCEL_TRY_ASSIGN(request->exclude_vectors, ReadBool(value));
    } else if (name == "df" && request->uri_query) {
      request->uri_query->default_field = value;
    } else if (name == "default_operator" && request->uri_query) {
      request->uri_query->default_operator = value;
    }
  }
  if (replace_source) {
    request->source = std::move(source);
    request->source_requested = true;
  }
  if (request->total_hits_as_int && request->track_total_hits == kTotalHitsDefault)
    request->track_total_hits = kTotalHitsExact;
  return {};
}

}  // namespace tiercel::search
