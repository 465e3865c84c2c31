// Single documents: _doc, _create, _source, _update.

#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;
using engine::OperationKind;

constexpr std::string_view kWriteParameters[] = {"refresh",
                                                 "routing",
                                                 "timeout",
                                                 "version",
                                                 "version_type",
                                                 "if_seq_no",
                                                 "if_primary_term",
                                                 "wait_for_active_shards",
                                                 "type",
                                                 "require_alias",
                                                 "require_data_stream",
                                                 "include_source_on_error",
                                                 "pipeline",
                                                 "op_type"};
constexpr std::string_view kGetParameters[] = {"preference", "realtime",     "refresh",       "routing",
                                               "version",    "version_type", "stored_fields", "force_synthetic_source"};

Result<engine::WriteRequest> ReadWrite(const RestRequest& request, OperationKind kind) {
  engine::WriteRequest write;
  write.kind = kind;
  write.index = IndexExpression(request);
  const auto id = request.Get("id");
  write.id_given = id.has_value();
  write.id = std::string(id.value_or(""));
  write.routing = request.GetOr("routing", "");
  write.pipeline = request.GetOr("pipeline", "");
  TIERCEL_TRY_ASSIGN(write.if_seq_no, request.OptionalInt("if_seq_no"));
  TIERCEL_TRY_ASSIGN(write.if_primary_term, request.OptionalInt("if_primary_term"));
  TIERCEL_TRY_ASSIGN(write.version, request.OptionalInt("version"));
  TIERCEL_TRY_ASSIGN(write.require_alias, request.Bool("require_alias", false));
  if (const auto type = request.Get("version_type")) {
    TIERCEL_TRY_ASSIGN(write.version_type, engine::ParseVersionType(*type));
  }
  return write;
}

RestResponse WriteResponse(const engine::WriteResult& result, std::string_view routing) {
  std::string body;
  json::Writer writer(body);
  writer.Object([&] { engine::WriteMembers(result, writer); });
  RestResponse response = RestResponse::Json(std::move(body), result.http_status());
  if (result.outcome == engine::WriteResult::Outcome::kCreated) {
    std::string location = "/" + PercentEncode(result.index) + "/_doc/" + PercentEncode(result.id);
    if (!routing.empty()) location += "?routing=" + PercentEncode(routing);
    response.headers.emplace_back("Location", std::move(location));
  }
  return response;
}

Result<RestResponse> Execute(Engine& engine, const RestRequest& request, engine::WriteRequest write) {
  TIERCEL_TRY_ASSIGN(const engine::RefreshPolicy refresh, ReadRefresh(request));
  TIERCEL_TRY_ASSIGN(const engine::WriteResult result, engine.Write(std::move(write), refresh));
  return WriteResponse(result, request.GetOr("routing", ""));
}

Result<RestResponse> Index(Engine& engine, const RestRequest& request, OperationKind kind) {
  if (const auto type = request.Get("op_type")) {
    if (*type != "create" && *type != "index") {
      return InvalidArgument("opType must be 'create' or 'index', found: [" + std::string(*type) + "]");
    }
    if (*type == "create") kind = OperationKind::kCreate;
  }
  TIERCEL_TRY_ASSIGN(engine::WriteRequest write, ReadWrite(request, kind));
  TIERCEL_TRY(RequireBody(request));
  write.source = request.body();
  return Execute(engine, request, std::move(write));
}

Result<RestResponse> Delete(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(engine::WriteRequest write, ReadWrite(request, OperationKind::kDelete));
  return Execute(engine, request, std::move(write));
}

Result<std::optional<bool>> OptionalBool(const RestRequest& request, std::string_view name) {
  if (!request.Has(name)) return std::optional<bool>();
  TIERCEL_TRY_ASSIGN(const bool value, request.Bool(name, false));
  return std::optional<bool>(value);
}

Result<RestResponse> Update(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(engine::WriteRequest write, ReadWrite(request, OperationKind::kUpdate));
  TIERCEL_TRY_ASSIGN(const int64_t retries, request.Int("retry_on_conflict", 0));
  write.retry_on_conflict = static_cast<uint32_t>(std::clamp<int64_t>(retries, 0, 1000));
  TIERCEL_TRY_ASSIGN(write.doc_as_upsert, OptionalBool(request, "doc_as_upsert"));
  TIERCEL_TRY_ASSIGN(write.detect_noop, OptionalBool(request, "detect_noop"));
  write.return_source = ReadSourceFilter(request);
  write.source = request.has_body() ? std::string(request.body()) : "{}";
  return Execute(engine, request, std::move(write));
}

Result<engine::GetRequest> ReadGet(const RestRequest& request) {
  engine::GetRequest get;
  get.index = IndexExpression(request);
  get.id = request.GetOr("id", "");
  get.routing = request.GetOr("routing", "");
  TIERCEL_TRY_ASSIGN(get.realtime, request.Bool("realtime", true));
  TIERCEL_TRY_ASSIGN(get.refresh, request.Bool("refresh", false));
  TIERCEL_TRY_ASSIGN(get.version, request.OptionalInt("version"));
  if (const auto type = request.Get("version_type")) {
    TIERCEL_TRY_ASSIGN(get.version_type, engine::ParseVersionType(*type));
  }
  if (auto filter = ReadSourceFilter(request)) {
    get.source = std::move(*filter);
  } else if (request.GetOr("stored_fields", "_source").find("_source") == std::string::npos) {
    get.source.enabled = false;  // stored_fields leaves the source out unless it names it
  }
  return get;
}

Result<RestResponse> Get(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::GetRequest get, ReadGet(request));
  TIERCEL_TRY_ASSIGN(const engine::GetResult result, engine.Get(get));
  std::string body;
  body.reserve(256 + (result.source ? result.source->size() : 0));
  json::Writer writer(body);
  writer.Object([&] { engine::WriteMembers(result, writer); });
  return RestResponse::Json(std::move(body), result.found ? 200 : 404);
}

Result<RestResponse> GetSource(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::GetRequest get, ReadGet(request));
  if (!get.source.enabled) {
    return InvalidArgument("Validation Failed: 1: fetching source can not be disabled;")
        .WithType("action_request_validation_exception");
  }
  TIERCEL_TRY_ASSIGN(const engine::GetResult result, engine.Get(get));
  if (!result.found) return NotFound("Document not found [" + get.index + "]/[" + get.id + "]");
  if (!result.source) return NotFound("Source not found [" + get.index + "]/[" + get.id + "]");
  return RestResponse::Json(*result.source);
}

}  // namespace

void AddDocumentRoutes(Router& router, Engine& engine) {
  const auto write = Parameters({}, {kWriteParameters});
  const auto update =
      Parameters({"retry_on_conflict", "doc_as_upsert", "detect_noop", "lang"}, {kWriteParameters, kSourceParameters});
  const auto add_write = [&](HttpMethod method, const char* pattern, BodyRule body, auto handler) {
    router.Add(
        {.method = method, .pattern = pattern, .parameters = write, .body = body, .handler = std::move(handler)});
  };
  const auto index = [&engine](const RestRequest& r) { return Index(engine, r, OperationKind::kIndex); };
  const auto create = [&engine](const RestRequest& r) { return Index(engine, r, OperationKind::kCreate); };
  add_write(HttpMethod::kPost, "/{index}/_doc", BodyRule::kAllowed, index);
  for (const HttpMethod method : {HttpMethod::kPut, HttpMethod::kPost}) {
    add_write(method, "/{index}/_doc/{id}", BodyRule::kAllowed, index);
    add_write(method, "/{index}/_create/{id}", BodyRule::kAllowed, create);
  }
  add_write(HttpMethod::kDelete, "/{index}/_doc/{id}", BodyRule::kNone,
            [&engine](const RestRequest& r) { return Delete(engine, r); });
  router.Add({.method = HttpMethod::kPost,
              .pattern = "/{index}/_update/{id}",
              .parameters = update,
              .body = BodyRule::kAllowed,
              .handler = [&engine](const RestRequest& r) { return Update(engine, r); }});
  const auto add_read = [&](HttpMethod method, const char* pattern, auto function) {
    router.Add({.method = method,
                .pattern = pattern,
                .parameters = Parameters({}, {kGetParameters, kSourceParameters}),
                .cost = RouteCost::kCheap,
                .blocking_parameter = "refresh",
                .handler = [&engine, function](const RestRequest& r) { return function(engine, r); }});
  };
  for (const HttpMethod method : {HttpMethod::kGet, HttpMethod::kHead}) {
    add_read(method, "/{index}/_doc/{id}", Get);
    add_read(method, "/{index}/_source/{id}", GetSource);
  }
}

}  // namespace tiercel::server
