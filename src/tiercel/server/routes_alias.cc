// Aliases.

#include "tiercel/engine/index_name.h"
#include "tiercel/json/error_object.h"
#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;

std::string_view ActionName(engine::AliasAction::Kind kind) {
  switch (kind) {
    case engine::AliasAction::Kind::kAdd:
      return "add";
    case engine::AliasAction::Kind::kRemove:
      return "remove";
    case engine::AliasAction::Kind::kRemoveIndex:
      return "remove_index";
  }
  return "";
}

void WriteAction(const engine::AliasAction& action, const Status& status, json::Writer& writer) {
  const auto list = [&](std::string_view key, const std::vector<std::string>& names) {
    writer.Key(key).Array([&] {
      for (const std::string& name : names) writer.String(name);
    });
  };
  writer.Object([&] {
    writer.Key("action").Object([&] {
      writer.Member("type", ActionName(action.kind));
      list("indices", action.indices);
      list("aliases", action.aliases);
    });
    writer.Member("status", HttpStatus(status.code()));
    if (status.ok()) return;
    writer.Key("error");
    json::WriteErrorObject(status, writer);
  });
}

// An action that fails alone is reported beside the others, which have happened.
Result<RestResponse> Apply(Engine& engine, std::vector<engine::AliasAction> actions) {
  TIERCEL_TRY_ASSIGN(const engine::AliasUpdateResult result, engine.UpdateAliases(std::move(actions)));
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("acknowledged", true).Member("errors", result.errors());
    if (!result.errors()) return;
    writer.Key("action_results").Array([&] {
      for (size_t i = 0; i < result.actions.size(); ++i) WriteAction(result.actions[i], result.statuses[i], writer);
    });
  });
  return RestResponse::Json(std::move(body));
}

Result<RestResponse> Change(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseRequiredBody(request));
  TIERCEL_TRY_ASSIGN(std::vector<engine::AliasAction> actions, engine::ParseAliasActions(body.root()));
  return Apply(engine, std::move(actions));
}

// "alias [a] missing", "aliases [a,b] missing".
std::string MissingText(const std::vector<std::string>& missing) {
  std::string text = missing.size() == 1 ? "alias [" : "aliases [";
  for (size_t i = 0; i < missing.size(); ++i) text.append(i == 0 ? "" : ",").append(missing[i]);
  return text + "] missing";
}

Result<RestResponse> Get(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request, {.expand_closed = true}));
  std::vector<std::string> missing;
  TIERCEL_TRY_ASSIGN(const std::vector<engine::AliasesOf> found,
                     engine.GetAliases(IndexExpression(request), request.GetOr("name", ""), options, &missing));
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    if (!missing.empty()) writer.Member("error", MissingText(missing)).Member("status", 404);
    for (const engine::AliasesOf& of : found) {
      writer.Key(of.metadata->name).Object([&] {
        writer.Key("aliases");
        engine::WriteAliases(of.aliases, writer);
      });
    }
  });
  return RestResponse::Json(std::move(body), missing.empty() ? 200 : 404);
}

// PUT {index}/_alias/{name}: index and alias may stand in the path or in the body, where they win.
Result<RestResponse> Put(Engine& engine, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const RequestBody body, ParseBody(request));
  std::string index = IndexExpression(request), name = request.GetOr("name", ""), properties;
  json::Writer writer(properties);
  writer.BeginObject();
  if (body.root().is_object()) {
    for (const auto [key, value] : body.root().members()) {
      if (key == "index" && value.is_string()) {
        index = value.as_string();
      } else if (key == "alias" && value.is_string()) {
        name = value.as_string();
      } else {
        writer.Key(key).Copy(value);
      }
    }
  }
  writer.EndObject();
  if (index.empty()) return InvalidArgument("[indices] can't be empty");
  TIERCEL_TRY(engine::CheckAliasName(name));  // the engine would take a comma for a list
  TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(properties));
  engine::AliasAction action;
  action.kind = engine::AliasAction::Kind::kAdd;
  action.indices = SplitList(index);
  action.aliases = {name};
  TIERCEL_TRY_ASSIGN(action.properties, engine::ParsePutAlias(document.root()));
  return Apply(engine, {std::move(action)});
}

Result<RestResponse> Delete(Engine& engine, const RestRequest& request) {
  engine::AliasAction action;
  action.kind = engine::AliasAction::Kind::kRemove;
  action.indices = SplitList(IndexExpression(request));
  action.aliases = SplitList(request.GetOr("name", ""));
  return Apply(engine, {std::move(action)});
}

using EngineFunction = Result<RestResponse> (*)(Engine&, const RestRequest&);

}  // namespace

void AddAliasRoutes(Router& router, Engine& engine) {
  const auto read = Parameters({"local", "master_timeout"}, {kIndicesParameters});
  const auto write = Parameters({"timeout", "master_timeout"});
  const auto add = [&](HttpMethod method, const char* pattern, const std::vector<std::string_view>& parameters,
                       EngineFunction function, BodyRule body = BodyRule::kNone) {
    router.Add({.method = method,
                .pattern = pattern,
                .parameters = parameters,
                .body = body,
                .handler = [&engine, function](const RestRequest& r) { return function(engine, r); }});
  };
  add(HttpMethod::kPost, "/_aliases", write, Change, BodyRule::kAllowed);
  for (const char* pattern : {"/_alias", "/_aliases", "/{index}/_alias"}) add(HttpMethod::kGet, pattern, read, Get);
  for (const char* pattern : {"/_alias/{name}", "/{index}/_alias/{name}"}) {
    add(HttpMethod::kGet, pattern, read, Get);
    add(HttpMethod::kHead, pattern, read, Get);
  }
  for (const HttpMethod method : {HttpMethod::kPut, HttpMethod::kPost}) {
    for (const char* pattern :
         {"/{index}/_alias/{name}", "/{index}/_aliases/{name}", "/_alias/{name}", "/{index}/_alias", "/_alias"}) {
      add(method, pattern, write, Put, BodyRule::kAllowed);
    }
  }
  for (const char* pattern : {"/{index}/_alias/{name}", "/{index}/_aliases/{name}"})
    add(HttpMethod::kDelete, pattern, write, Delete);
}

}  // namespace tiercel::server
