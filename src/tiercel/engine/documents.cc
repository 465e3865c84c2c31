#include "tiercel/engine/documents.h"

namespace tiercel::engine {
namespace {

std::string_view OutcomeName(WriteResult::Outcome outcome) {
  static constexpr std::string_view kNames[] = {"created", "updated", "deleted", "not_found", "noop"};
  return kNames[static_cast<size_t>(outcome)];
}

Status UnexpectedToken(json::Value at, std::string message) {
  const auto [line, column] = at.line_column();
  return InvalidArgument(std::move(message))
      .WithType("parsing_exception")
      .With("line", std::to_string(line))
      .With("col", std::to_string(column));
}

Status ReadSource(std::string_view key, json::Value value, search::SourceFilter& filter) {
  if (value.is_number() || value.is_null()) {
    return InvalidArgument("illegal type for " + std::string(key) + ": [" + std::string(TokenName(value.type())) + "]")
        .WithType("parse_exception");
  }
  TIERCEL_TRY_ASSIGN(filter, search::ParseSourceFilter(value));
  return {};
}

Result<GetRequest> ParseGetEntry(json::Value entry, const GetRequest& defaults) {
  if (!entry.is_object()) return InvalidArgument("docs array element should include an object");
  GetRequest request = defaults;
  for (const auto& [key, value] : entry.members()) {
    if (key == "_index")
      request.index = value.ToDisplayString();
    else if (key == "_id")
      request.id = value.ToDisplayString();
    else if (key == "routing" || key == "_routing")
      request.routing = value.ToDisplayString();
    else if ((key == "version" || key == "_version") && value.is_integer())
      request.version = value.as_int64();
    else if (key == "version_type" || key == "_version_type") {
      TIERCEL_TRY_ASSIGN(request.version_type, ParseVersionType(value.ToDisplayString()));
    } else if (key == "_source") {
      TIERCEL_TRY(ReadSource(key, value, request.source));
    } else if (key != "stored_fields" && key != "_type") {
      return InvalidArgument("failed to parse multi get request. unknown field [" + std::string(key) + "]")
          .WithType("parse_exception");
    }
  }
  return request;
}

}  // namespace

Result<RefreshPolicy> ParseRefreshPolicy(std::string_view text) {
  if (text.empty() || text == "true") return RefreshPolicy::kImmediate;
  if (text == "false") return RefreshPolicy::kNone;
  if (text == "wait_for") return RefreshPolicy::kWaitFor;
  return InvalidArgument("Unknown value for refresh: [" + std::string(text) + "].");
}

Result<shard::VersionType> ParseVersionType(std::string_view text) {
  if (text == "internal") return shard::VersionType::kInternal;
  if (text == "external" || text == "external_gt") return shard::VersionType::kExternal;
  if (text == "external_gte") return shard::VersionType::kExternalGte;
  return InvalidArgument("No version type match [" + std::string(text) + "]");
}

std::string_view OperationName(OperationKind kind) {
  static constexpr std::string_view kNames[] = {"index", "create", "update", "delete"};
  return kNames[static_cast<size_t>(kind)];
}

int WriteResult::http_status() const {
  if (outcome == Outcome::kCreated) return 201;
  return outcome == Outcome::kNotFound ? 404 : 200;
}

void WriteMembers(const WriteResult& result, json::Writer& writer) {
  writer.Member("_index", result.index).Member("_id", result.id).Member("_version", result.version);
  writer.Member("result", OutcomeName(result.outcome));
  if (result.forced_refresh) writer.Member("forced_refresh", true);
  writer.Key("_shards").Object([&] {
    writer.Member("total", result.copies_total).Member("successful", result.copies_successful).Member("failed", 0);
  });
  writer.Member("_seq_no", result.seq_no).Member("_primary_term", result.primary_term);
  if (!result.get) return;
  writer.Key("get").Object([&] {
    writer.Member("_seq_no", result.get->seq_no).Member("_primary_term", result.get->primary_term);
    if (!result.get->routing.empty()) writer.Member("_routing", result.get->routing);
    writer.Member("found", result.get->found);
    if (result.get->source) writer.Key("_source").Raw(*result.get->source);
  });
}

void WriteMembers(const GetResult& result, json::Writer& writer) {
  writer.Member("_index", result.index).Member("_id", result.id);
  if (result.found) {
    writer.Member("_version", result.version)
        .Member("_seq_no", result.seq_no)
        .Member("_primary_term", result.primary_term);
    if (!result.routing.empty()) writer.Member("_routing", result.routing);
  }
  writer.Member("found", result.found);
  if (result.found && result.source) writer.Key("_source").Raw(*result.source);
}

Result<std::vector<GetRequest>> ParseMultiGet(json::Value body, const GetRequest& defaults) {
  std::vector<GetRequest> requests;
  if (!body.exists())
    return InvalidArgument("request body or source parameter is required").WithType("parse_exception");
  if (!body.is_object())
    return UnexpectedToken(body,
                           "unexpected token [" + std::string(TokenName(body.type())) + "], expected [START_OBJECT]");
  for (const auto& [key, value] : body.members()) {
    if (!value.is_array()) {
      return UnexpectedToken(value, "unexpected token [" + std::string(TokenName(value.type())) +
                                        "], expected [FIELD_NAME] or [START_ARRAY]");
    }
    if (key != "docs" && key != "ids") {
      return UnexpectedToken(value,
                             "unknown key [" + std::string(key) + "] for a START_ARRAY, expected [docs] or [ids]");
    }
    for (const json::Value element : value.elements()) {
      if (key == "docs") {
        TIERCEL_TRY_ASSIGN(GetRequest request, ParseGetEntry(element, defaults));
        requests.push_back(std::move(request));
        continue;
      }
      if (element.is_null() || element.is_object() || element.is_array())
        return InvalidArgument("ids array element should only contain ids");
      GetRequest request = defaults;
      request.id = element.ToDisplayString();
      requests.push_back(std::move(request));
    }
  }
  std::string problems;
  int count = 0;
  const auto add = [&](const std::string& problem) {
    problems += " " + std::to_string(++count) + ": " + problem + ";";
  };
  if (requests.empty()) add("no documents to get");
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].index.empty()) add("index is missing for doc " + std::to_string(i));
    if (requests[i].id.empty()) add("id is missing for doc " + std::to_string(i));
  }
  if (count > 0)
    return InvalidArgument("Validation Failed:" + problems).WithType("action_request_validation_exception");
  return requests;
}

}  // namespace tiercel::engine
