// _search and _count.

#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;

constexpr std::string_view kQueryParameters[] = {
    "q",          "df",      "analyzer",  "analyze_wildcard", "default_operator", "lenient",
    "preference", "routing", "min_score", "terminate_after",  "ignore_throttled"};
constexpr std::string_view kSearchParameters[] = {"from",
                                                  "size",
                                                  "sort",
                                                  "timeout",
                                                  "version",
                                                  "seq_no_primary_term",
                                                  "stored_fields",
                                                  "docvalue_fields",
                                                  "track_scores",
                                                  "track_total_hits",
                                                  "rest_total_hits_as_int",
                                                  "typed_keys",
                                                  "search_type",
                                                  "request_cache",
                                                  "batched_reduce_size",
                                                  "max_concurrent_shard_requests",
                                                  "pre_filter_shard_size",
                                                  "allow_partial_search_results",
                                                  "ccs_minimize_roundtrips",
                                                  "explain",
                                                  "stats",
                                                  "suggest_field",
                                                  "suggest_mode",
                                                  "suggest_size",
                                                  "suggest_text",
                                                  "force_synthetic_source",
                                                  "include_named_queries_score"};
// What the engine is told in other ways than by URL parameters.
constexpr std::string_view kNotForSearch[] = {"pretty",          "human", "error_trace",        "filter_path",
                                              "format",          "index", "ignore_unavailable", "allow_no_indices",
                                              "expand_wildcards"};

Result<engine::SearchCall> ReadCall(const RestRequest& request, const RequestBody& body) {
  engine::SearchCall call;
  call.indices = IndexExpression(request);
  TIERCEL_TRY_ASSIGN(call.indices_options, ReadIndicesOptions(request, {.forbid_closed = true}));
  call.body = body.root();
  for (const auto& parameter : request.parameters) {
    if (std::find(std::begin(kNotForSearch), std::end(kNotForSearch), parameter.first) == std::end(kNotForSearch))
      call.url.push_back(parameter);
  }
  call.cancellation = request.http->cancellation.get();
  return call;
}

Result<RestResponse> Search(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseBody(request));
  TIERCEL_TRY_ASSIGN(const engine::SearchCall call, ReadCall(request, body));
  TIERCEL_TRY_ASSIGN(search::SearchOutcome outcome, engine.Search(call));
  return RestResponse::Json(std::move(outcome.json));
}

Result<RestResponse> Count(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseBody(request));
  TIERCEL_TRY_ASSIGN(const engine::SearchCall call, ReadCall(request, body));
  TIERCEL_TRY_ASSIGN(const engine::CountResult result, engine.Count(call));
  std::string json;
  json::Writer writer(json);
  writer.Object([&] { writer.Member("count", result.count).Key("_shards").Raw(result.shards_json); });
  return RestResponse::Json(std::move(json));
}

}  // namespace

void AddSearchRoutes(Router& router, Engine& engine) {
  const auto search = Parameters({}, {kQueryParameters, kSearchParameters, kSourceParameters, kIndicesParameters});
  const auto count = Parameters({}, {kQueryParameters, kIndicesParameters});
  for (const HttpMethod method : {HttpMethod::kGet, HttpMethod::kPost}) {
    for (const char* pattern : {"/_search", "/{index}/_search"}) {
      router.Add({.method = method,
                  .pattern = pattern,
                  .parameters = search,
                  .body = BodyRule::kAllowed,
                  .handler = [&engine](const RestRequest& r) { return Search(engine, r); }});
    }
    for (const char* pattern : {"/_count", "/{index}/_count"}) {
      router.Add({.method = method,
                  .pattern = pattern,
                  .parameters = count,
                  .body = BodyRule::kAllowed,
                  .handler = [&engine](const RestRequest& r) { return Count(engine, r); }});
    }
  }
}

}  // namespace tiercel::server
