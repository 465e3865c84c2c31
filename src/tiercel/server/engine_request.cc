#include "tiercel/server/engine_request.h"

#include "tiercel/json/error_object.h"
#include "tiercel/json/writer.h"

namespace tiercel::server {

Result<RequestBody> ParseBody(const RestRequest& request) {
  if (!request.has_body()) return RequestBody();
  TIERCEL_TRY_ASSIGN(json::Document document, json::Document::Parse(request.body(), {.refuse_duplicate_keys = true}));
  return RequestBody(std::move(document));
}

Status RequireBody(const RestRequest& request) {
  if (request.has_body()) return {};
  return InvalidArgument("request body is required").WithType("parse_exception");
}

Result<RequestBody> ParseRequiredBody(const RestRequest& request) {
  TIERCEL_TRY(RequireBody(request));
  return ParseBody(request);
}

Result<engine::IndicesOptions> ReadIndicesOptions(const RestRequest& request, engine::IndicesOptions defaults) {
  engine::IndicesOptions options = defaults;
  TIERCEL_TRY_ASSIGN(options.ignore_unavailable, request.Bool("ignore_unavailable", defaults.ignore_unavailable));
  TIERCEL_TRY_ASSIGN(options.allow_no_indices, request.Bool("allow_no_indices", defaults.allow_no_indices));
  if (const auto expand = request.Get("expand_wildcards")) TIERCEL_TRY(engine::ParseExpandWildcards(*expand, options));
  return options;
}

std::optional<search::SourceFilter> ReadSourceFilter(const RestRequest& request) {
  const auto source = request.Get("_source");
  const auto includes = request.Get("_source_includes");
  const auto excludes = request.Get("_source_excludes");
  if (!source && !includes && !excludes) return std::nullopt;
  search::SourceFilter filter;
  if (source) {
    filter.enabled = *source != "false";
    if (filter.enabled && *source != "true" && !source->empty()) filter.includes = SplitList(*source);
  }
  if (includes) filter.includes = SplitList(*includes);
  if (excludes) filter.excludes = SplitList(*excludes);
  return filter;
}

Result<engine::RefreshPolicy> ReadRefresh(const RestRequest& request) {
  const auto refresh = request.Get("refresh");
  if (!refresh) return engine::RefreshPolicy::kNone;
  return engine::ParseRefreshPolicy(*refresh);
}

std::vector<std::string_view> Parameters(std::initializer_list<std::string_view> own,
                                         std::initializer_list<std::span<const std::string_view>> shared) {
  std::vector<std::string_view> names(own);
  for (const auto& list : shared) names.insert(names.end(), list.begin(), list.end());
  return names;
}

std::string IndexExpression(const RestRequest& request) { return request.GetOr("index", ""); }

void WriteShards(const engine::ShardsResult& shards, json::Writer& writer) {
  writer.Object([&] {
    writer.Member("total", shards.total).Member("successful", shards.successful).Member("failed", shards.failed);
    if (shards.failures.empty()) return;
    writer.Key("failures").Array([&] {
      for (const auto& failure : shards.failures) {
        writer.Object([&] {
          writer.Member("shard", failure.shard).Member("index", failure.index);
          writer.Member("status", HttpStatus(failure.status.code())).Key("reason");
          json::WriteErrorObject(failure.status, writer);
        });
      }
    });
  });
}

RestResponse Acknowledged() { return RestResponse::Json("{\"acknowledged\":true}"); }

}  // namespace tiercel::server
