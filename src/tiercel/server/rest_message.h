// RestRequest and RestResponse: what a route's handler sees and returns.
//
// Thread safety: a request is read by one handler. Lifetime: a RestRequest borrows the HttpRequest. Cost: parameters
// are scanned linearly; requests have a handful.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/server/http_message.h"
#include "tiercel/server/media_type.h"
#include "tiercel/server/url.h"

namespace tiercel::server {

struct RestRequest {
  const HttpRequest* http = nullptr;
  QueryParameters parameters;                                         // decoded
  std::vector<std::pair<std::string_view, std::string>> path_values;  // {index} and friends, decoded
  Negotiated media;

  HttpMethod method() const { return http->method; }
  std::string_view body() const { return http->body; }
  bool has_body() const { return !http->body.empty(); }
  // Path without query, as sent.
  std::string_view path() const { return SplitTarget(http->target).path; }

  // A path value or a query parameter of that name.
  std::optional<std::string_view> Get(std::string_view name) const;
  std::string GetOr(std::string_view name, std::string_view fallback) const {
    return std::string(Get(name).value_or(fallback));
  }
  bool Has(std::string_view name) const { return Get(name).has_value(); }
  // As ES reads them: an empty boolean is true; bad values are InvalidArgument with its messages.
  Result<bool> Bool(std::string_view name, bool fallback) const;
  Result<int64_t> Int(std::string_view name, int64_t fallback) const;
  Result<std::optional<int64_t>> OptionalInt(std::string_view name) const;
  // "30s" → 30000.
  Result<int64_t> TimeMs(std::string_view name, int64_t fallback_ms) const;
};

// Reads "10s", "100ms", "-1", "0"; nothing when it is none of these. Shared with the configuration.
std::optional<int64_t> ParseTimeMs(std::string_view text);

struct RestResponse {
  int status = 200;
  MediaFormat format = MediaFormat::kJson;  // of body: kJson or kText
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  static RestResponse Json(std::string body, int status = 200) {
    return {status, MediaFormat::kJson, std::move(body), {}};
  }
  static RestResponse Text(std::string body, int status = 200) {
    return {status, MediaFormat::kText, std::move(body), {}};
  }
  // An RFC 7234 warning, as clients expect it: `299 Elasticsearch-<version> "text"`.
  void AddWarning(std::string_view text);
};

using RestHandler = std::function<Result<RestResponse>(const RestRequest&)>;

}  // namespace tiercel::server
