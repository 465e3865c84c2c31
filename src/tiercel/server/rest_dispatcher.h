// RestDispatcher: the HttpHandler that speaks Elasticsearch's REST: routing, media types, parameter checks, error
// bodies, filter_path, pretty and YAML. What an API does is its route's handler's business.
//
// Thread safety: all methods from any thread. Lifetime: borrows router and clock. Cost: a cheap GET adds about a
// microsecond.
#pragma once

#include <optional>
#include <string>

#include "tiercel/base/clock.h"
#include "tiercel/server/http_server.h"
#include "tiercel/server/metrics.h"
#include "tiercel/server/router.h"

namespace tiercel::server {

class RestDispatcher final : public HttpHandler {
 public:
  // All routes must have been added.
  RestDispatcher(const Router& router, const Clock& clock);

  std::optional<HttpResponse> TryInline(HttpRequest& request) override;
  HttpResponse Handle(HttpRequest& request) override;
  HttpResponse Refuse(const HttpRequest& request, const Status& why, int http_status) override;

  // For the metrics page: requests and latencies by route.
  void Describe(MetricsPage& page) const;

 private:
  HttpResponse Run(const HttpRequest& http, RouteMatch match);
  HttpResponse NoRoute(const HttpRequest& http, const RouteMatch& match) const;

  const Router& router_;
  const Clock& clock_;
  RequestMetrics metrics_;
};

}  // namespace tiercel::server
