// Several documents at once: _bulk and _mget.

#include "tiercel/json/error_object.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/error_body.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;

constexpr std::string_view kExtraKeysWarning =
    "A bulk action wasn't closed properly with the closing brace. Malformed objects are currently accepted but will be "
    "rejected in a future "
    "version.";

void WriteItem(const engine::BulkItem& item, json::Writer& writer) {
  writer.Key(engine::OperationName(item.kind)).Object([&] {
    if (item.result.ok()) {
      engine::WriteMembers(*item.result, writer);
      writer.Member("status", item.result->http_status());
      return;
    }
    const Status& error = item.result.error();
    writer.Member("_index", item.index).Key("_id");
    if (item.has_id) {
      writer.String(item.id);
    } else {
      writer.Null();
    }
    writer.Member("status", HttpStatus(error.code())).Key("error");
    json::WriteErrorObject(error, writer);
  });
}

Result<RestResponse> Bulk(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::RefreshPolicy refresh, ReadRefresh(request));
  TIERCEL_TRY(RequireBody(request));
  engine::BulkDefaults defaults;
  defaults.index = IndexExpression(request);
  defaults.routing = request.GetOr("routing", "");
  defaults.pipeline = request.GetOr("pipeline", "");
  defaults.return_source = ReadSourceFilter(request);
  defaults.tolerate_extra_keys = request.media.compatible_with == 8;
  TIERCEL_TRY_ASSIGN(defaults.require_alias, request.Bool("require_alias", false));
  TIERCEL_TRY_ASSIGN(engine::BulkRequest bulk, engine::ParseBulk(request.body(), defaults));
  const bool warn = bulk.extra_keys_tolerated;
  const engine::BulkResponse result = engine.Bulk(std::move(bulk), refresh);
  std::string body;
  body.reserve(64 + result.items.size() * 192);
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("errors", result.has_errors()).Member("took", result.took_ms);
    writer.Key("items").Array([&] {
      for (const engine::BulkItem& item : result.items) writer.Object([&] { WriteItem(item, writer); });
    });
  });
  RestResponse response = RestResponse::Json(std::move(body));
  if (warn) response.AddWarning(kExtraKeysWarning);
  return response;
}

void WriteDocument(const engine::GetRequest& get, const Result<engine::GetResult>& result, json::Writer& writer) {
  writer.Object([&] {
    if (result.ok()) {
      engine::WriteMembers(*result, writer);
      return;
    }
    writer.Member("_index", get.index).Member("_id", get.id).Key("error");
    WriteErrorWithRootCause(result.error(), writer);
  });
}

Result<RestResponse> MultiGet(Engine& engine, const RestRequest& request) {
  if (!request.has_body())
    return InvalidArgument("request body or source parameter is required").WithType("parse_exception");
  TIERCEL_TRY_ASSIGN(const RequestBody parsed, ParseBody(request));
  engine::GetRequest defaults;
  defaults.index = IndexExpression(request);
  defaults.routing = request.GetOr("routing", "");
  TIERCEL_TRY_ASSIGN(defaults.realtime, request.Bool("realtime", true));
  TIERCEL_TRY_ASSIGN(defaults.refresh, request.Bool("refresh", false));
  if (auto filter = ReadSourceFilter(request)) defaults.source = std::move(*filter);
  TIERCEL_TRY_ASSIGN(const std::vector<engine::GetRequest> gets, engine::ParseMultiGet(parsed.root(), defaults));
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Key("docs").Array([&] {
      for (const engine::GetRequest& get : gets) WriteDocument(get, engine.Get(get), writer);
    });
  });
  return RestResponse::Json(std::move(body));
}

}  // namespace

void AddBulkRoutes(Router& router, Engine& engine) {
  const auto bulk = Parameters({"refresh", "routing", "timeout", "pipeline", "require_alias", "require_data_stream",
                                "type", "wait_for_active_shards", "list_executed_pipelines", "include_source_on_error"},
                               {kSourceParameters});
  const auto mget = Parameters(
      {"preference", "realtime", "refresh", "routing", "stored_fields", "force_synthetic_source"}, {kSourceParameters});
  const auto add = [&](HttpMethod method, const char* pattern, const std::vector<std::string_view>& parameters,
                       auto function) {
    router.Add({.method = method,
                .pattern = pattern,
                .parameters = parameters,
                .body = BodyRule::kAllowed,
                .handler = [&engine, function](const RestRequest& r) { return function(engine, r); }});
  };
  for (const char* pattern : {"/_bulk", "/{index}/_bulk"}) {
    add(HttpMethod::kPost, pattern, bulk, Bulk);
    add(HttpMethod::kPut, pattern, bulk, Bulk);
  }
  for (const char* pattern : {"/_mget", "/{index}/_mget"}) {
    add(HttpMethod::kGet, pattern, mget, MultiGet);
    add(HttpMethod::kPost, pattern, mget, MultiGet);
  }
}

}  // namespace tiercel::server
