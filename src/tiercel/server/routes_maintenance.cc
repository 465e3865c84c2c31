// _refresh, _flush, _forcemerge, _cache/clear.

#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;

Result<RestResponse> Shards(const Result<engine::ShardsResult>& result) {
  if (!result.ok()) return result.error();
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Key("_shards");
    WriteShards(*result, writer);
  });
  return RestResponse::Json(std::move(body));
}

Result<RestResponse> Refresh(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  return Shards(engine.Refresh(IndexExpression(request), options));
}

Result<RestResponse> Flush(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  return Shards(engine.Flush(IndexExpression(request), options));
}

Result<RestResponse> ForceMerge(Engine& engine, const RestRequest& request) {
  engine::ForceMergeOptions merge;
  TIERCEL_TRY_ASSIGN(const std::optional<int64_t> segments, request.OptionalInt("max_num_segments"));
  TIERCEL_TRY_ASSIGN(merge.only_expunge_deletes, request.Bool("only_expunge_deletes", false));
  TIERCEL_TRY_ASSIGN(merge.flush, request.Bool("flush", true));
  if (segments && *segments > 0)
    merge.max_num_segments = static_cast<uint32_t>(std::min<int64_t>(*segments, UINT32_MAX));
  if (merge.only_expunge_deletes && merge.max_num_segments) {
    return InvalidArgument(
               "Validation Failed: 1: cannot set only_expunge_deletes and max_num_segments at the same time, those two "
               "parameters are "
               "mutually exclusive;")
        .WithType("action_request_validation_exception");
  }
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  return Shards(engine.ForceMerge(IndexExpression(request), options, merge));
}

// There is no cache that a request could want to clear: the operation has nothing to do but to say on how many shards.
Result<RestResponse> ClearCache(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  TIERCEL_TRY_ASSIGN(const auto found, engine.Resolve(IndexExpression(request), options));
  engine::ShardsResult shards;
  for (const engine::IndexMetadataPtr& metadata : found) {
    shards.total += metadata->settings.number_of_shards() * (1 + metadata->settings.number_of_replicas());
    shards.successful += metadata->settings.number_of_shards();
  }
  return Shards(shards);
}

}  // namespace

void AddMaintenanceRoutes(Router& router, Engine& engine) {
  const auto parameters = Parameters({"force", "wait_if_ongoing", "max_num_segments", "only_expunge_deletes", "flush",
                                      "wait_for_completion", "fielddata", "fields", "query", "request"},
                                     {kIndicesParameters});
  const auto add = [&](HttpMethod method, const char* pattern, auto function) {
    router.Add({.method = method,
                .pattern = pattern,
                .parameters = parameters,
                .handler = [&engine, function](const RestRequest& r) { return function(engine, r); }});
  };
  for (const HttpMethod method : {HttpMethod::kGet, HttpMethod::kPost}) {
    for (const char* pattern : {"/_refresh", "/{index}/_refresh"}) add(method, pattern, Refresh);
    for (const char* pattern : {"/_flush", "/{index}/_flush"}) add(method, pattern, Flush);
  }
  for (const char* pattern : {"/_forcemerge", "/{index}/_forcemerge"}) add(HttpMethod::kPost, pattern, ForceMerge);
  for (const char* pattern : {"/_cache/clear", "/{index}/_cache/clear"}) add(HttpMethod::kPost, pattern, ClearCache);
}

}  // namespace tiercel::server
