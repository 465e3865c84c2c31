// Indices: create, get, delete, exists, open, close; mappings and settings.

#include <algorithm>

#include "tiercel/engine/index_name.h"
#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;
using engine::IndexMetadataPtr;

constexpr std::string_view kTimeouts[] = {"timeout", "master_timeout", "wait_for_active_shards"};

// Writes {"index":{…}, …} for what the expression matches.
template <typename WriteIndex>
Result<RestResponse> PerIndex(Engine& engine, const RestRequest& request, engine::IndicesOptions defaults,
                              WriteIndex write_index) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request, defaults));
  TIERCEL_TRY_ASSIGN(const std::vector<IndexMetadataPtr> found, engine.Resolve(IndexExpression(request), options));
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    for (const IndexMetadataPtr& metadata : found)
      writer.Key(metadata->name).Object([&] { write_index(*metadata, writer); });
  });
  return RestResponse::Json(std::move(body));
}

Result<RestResponse> Create(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseBody(request));
  TIERCEL_TRY_ASSIGN(const engine::CreateIndexResult created,
                     engine.CreateIndex(IndexExpression(request), body.root()));
  std::string json;
  json::Writer writer(json);
  writer.Object(
      [&] { writer.Member("acknowledged", true).Member("shards_acknowledged", true).Member("index", created.index); });
  return RestResponse::Json(std::move(json));
}

Result<RestResponse> Get(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const bool flat, request.Bool("flat_settings", false));
  const std::vector<std::string> features = SplitList(request.GetOr("features", "aliases,mappings,settings"));
  const auto wanted = [&](std::string_view feature) {
    return std::find(features.begin(), features.end(), feature) != features.end();
  };
  return PerIndex(engine, request, {.expand_closed = true},
                  [&](const engine::IndexMetadata& metadata, json::Writer& writer) {
                    writer.Key("aliases");
                    engine::WriteAliases(wanted("aliases") ? metadata.aliases : engine::Aliases(), writer);
                    writer.Key("mappings");
                    if (wanted("mappings")) {
                      metadata.mapping->Write(writer);
                    } else {
                      writer.BeginObject().EndObject();
                    }
                    writer.Key("settings");
                    if (wanted("settings")) {
                      engine::WriteSettings(metadata.ShownSettings(), flat, writer);
                    } else {
                      writer.BeginObject().EndObject();
                    }
                  });
}

Result<RestResponse> Exists(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request, {.expand_closed = true}));
  return RestResponse::Json("", engine.Exists(IndexExpression(request), options) ? 200 : 404);
}

Result<RestResponse> Delete(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options,
                     ReadIndicesOptions(request, {.expand_closed = true, .aliases_allowed = false}));
  TIERCEL_TRY(engine.DeleteIndices(IndexExpression(request), options));
  return Acknowledged();
}

Result<RestResponse> DeleteNothing(Engine&, const RestRequest&) {
  return InvalidArgument("Validation Failed: 1: index / indices is missing;")
      .WithType("action_request_validation_exception");
}

Result<RestResponse> Open(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options,
                     ReadIndicesOptions(request, {.expand_open = false, .expand_closed = true}));
  TIERCEL_TRY(engine.OpenIndices(IndexExpression(request), options));
  return RestResponse::Json("{\"acknowledged\":true,\"shards_acknowledged\":true}");
}

Result<RestResponse> Close(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  TIERCEL_TRY_ASSIGN(const std::vector<IndexMetadataPtr> found, engine.Resolve(IndexExpression(request), options));
  TIERCEL_TRY(engine.CloseIndices(IndexExpression(request), options));
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("acknowledged", true).Member("shards_acknowledged", true).Key("indices").Object([&] {
      for (const IndexMetadataPtr& metadata : found)
        writer.Key(metadata->name).Object([&] { writer.Member("closed", true); });
    });
  });
  return RestResponse::Json(std::move(body));
}

Result<RestResponse> GetMapping(Engine& engine, const RestRequest& request) {
  return PerIndex(engine, request, {.expand_closed = true},
                  [](const engine::IndexMetadata& metadata, json::Writer& writer) {
                    writer.Key("mappings");
                    metadata.mapping->Write(writer);
                  });
}

Result<RestResponse> PutMapping(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseRequiredBody(request));
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options,
                     ReadIndicesOptions(request, {.allow_no_indices = false, .expand_closed = true}));
  TIERCEL_TRY(engine.PutMapping(IndexExpression(request), options, body.root()));
  return Acknowledged();
}

using Settings = std::map<std::string, std::string, std::less<>>;

Settings MatchingSettings(Settings settings, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return settings;
  std::erase_if(settings, [&](const auto& setting) {
    return std::none_of(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) { return engine::MatchesPattern(pattern, setting.first); });
  });
  return settings;
}

Result<RestResponse> GetSettings(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const bool flat, request.Bool("flat_settings", false));
  TIERCEL_TRY_ASSIGN(const bool include_defaults, request.Bool("include_defaults", false));
  std::vector<std::string> patterns = SplitList(request.GetOr("name", ""));
  if (std::find(patterns.begin(), patterns.end(), "_all") != patterns.end()) patterns.clear();
  return PerIndex(engine, request, {.expand_closed = true},
                  [&](const engine::IndexMetadata& metadata, json::Writer& writer) {
                    const Settings shown = metadata.ShownSettings();
                    writer.Key("settings");
                    engine::WriteSettings(MatchingSettings(shown, patterns), flat, writer);
                    if (!include_defaults) return;
                    Settings defaults = engine::IndexSettings::Defaults();
                    std::erase_if(defaults, [&](const auto& setting) { return shown.contains(setting.first); });
                    writer.Key("defaults");
                    engine::WriteSettings(MatchingSettings(std::move(defaults), patterns), flat, writer);
                  });
}

Result<RestResponse> PutSettings(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseRequiredBody(request));
  TIERCEL_TRY_ASSIGN(const bool preserve, request.Bool("preserve_existing", false));
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options,
                     ReadIndicesOptions(request, {.allow_no_indices = true, .expand_closed = true}));
  TIERCEL_TRY(engine.UpdateSettings(IndexExpression(request), options, body.root(), preserve));
  return Acknowledged();
}

using EngineFunction = Result<RestResponse> (*)(Engine&, const RestRequest&);

}  // namespace

void AddIndexRoutes(Router& router, Engine& engine) {
  const auto add = [&](HttpMethod method, const char* pattern, std::vector<std::string_view> parameters,
                       EngineFunction function, BodyRule body = BodyRule::kNone) {
    router.Add({.method = method,
                .pattern = pattern,
                .parameters = std::move(parameters),
                .body = body,
                .handler = [&engine, function](const RestRequest& r) { return function(engine, r); }});
  };
  const auto read =
      Parameters({"local", "master_timeout", "flat_settings", "include_defaults", "features"}, {kIndicesParameters});
  const auto write =
      Parameters({"write_index_only", "preserve_existing", "flat_settings", "reopen"}, {kTimeouts, kIndicesParameters});
  add(HttpMethod::kPut, "/{index}", Parameters({}, {kTimeouts}), Create, BodyRule::kAllowed);
  add(HttpMethod::kGet, "/{index}", read, Get);
  add(HttpMethod::kHead, "/{index}", read, Exists);
  add(HttpMethod::kDelete, "/{index}", Parameters({}, {kTimeouts, kIndicesParameters}), Delete);
  add(HttpMethod::kDelete, "/", Parameters({}, {kTimeouts, kIndicesParameters}), DeleteNothing);
  add(HttpMethod::kPost, "/{index}/_open", write, Open);
  add(HttpMethod::kPost, "/{index}/_close", write, Close);
  for (const char* pattern : {"/_mapping", "/_mappings", "/{index}/_mapping", "/{index}/_mappings"}) {
    add(HttpMethod::kGet, pattern, read, GetMapping);
    if (pattern[1] == '_') continue;
    add(HttpMethod::kPut, pattern, write, PutMapping, BodyRule::kAllowed);
    add(HttpMethod::kPost, pattern, write, PutMapping, BodyRule::kAllowed);
  }
  for (const char* pattern : {"/_settings", "/_settings/{name}", "/{index}/_settings", "/{index}/_settings/{name}"}) {
    add(HttpMethod::kGet, pattern, read, GetSettings);
  }
  for (const char* pattern : {"/_settings", "/{index}/_settings"})
    add(HttpMethod::kPut, pattern, write, PutSettings, BodyRule::kAllowed);
}

}  // namespace tiercel::server
