// What most routes over the engine need of a request: the parsed body, index options, source filters.
//
// Thread safety: free functions. Errors: as Elasticsearch words them.
#pragma once

#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/engine/engine.h"
#include "tiercel/json/value.h"
#include "tiercel/server/rest_message.h"

namespace tiercel::server {

// A body that may be absent: its root is then a default Value.
class RequestBody {
 public:
  RequestBody() = default;
  explicit RequestBody(json::Document document) : document_(std::move(document)) {}
  json::Value root() const { return document_ ? document_->root() : json::Value(); }

 private:
  std::optional<json::Document> document_;
};

Result<RequestBody> ParseBody(const RestRequest& request);
// 400 parse_exception when there is none.
Result<RequestBody> ParseRequiredBody(const RestRequest& request);
Status RequireBody(const RestRequest& request);

// ignore_unavailable, allow_no_indices and expand_wildcards over the API's own defaults.
inline constexpr std::string_view kIndicesParameters[] = {"ignore_unavailable", "allow_no_indices", "expand_wildcards"};
Result<engine::IndicesOptions> ReadIndicesOptions(const RestRequest& request, engine::IndicesOptions defaults = {});

// _source, _source_includes and _source_excludes of the URL; nothing when none is given.
inline constexpr std::string_view kSourceParameters[] = {"_source", "_source_includes", "_source_excludes",
                                                         "_source_exclude_vectors"};
std::optional<search::SourceFilter> ReadSourceFilter(const RestRequest& request);

Result<engine::RefreshPolicy> ReadRefresh(const RestRequest& request);

// Lists of parameter names put together, for Route::parameters.
std::vector<std::string_view> Parameters(std::initializer_list<std::string_view> own,
                                         std::initializer_list<std::span<const std::string_view>> shared = {});

// The comma-separated index expression in the path or the `index` parameter; empty means all.
std::string IndexExpression(const RestRequest& request);

void WriteShards(const engine::ShardsResult& shards, json::Writer& writer);  // the object under "_shards"
RestResponse Acknowledged();

}  // namespace tiercel::server
