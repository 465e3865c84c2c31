#include "tiercel/server/rest_dispatcher.h"

#include <utility>

#include "tiercel/json/value.h"
#include "tiercel/server/error_body.h"
#include "tiercel/server/filter_path.h"
#include "tiercel/server/json_layout.h"
#include "tiercel/server/parameter_check.h"

namespace tiercel::server {
namespace {

constexpr std::string_view kProductHeader = "X-elastic-product";
constexpr std::string_view kProduct = "Elasticsearch";
constexpr uint32_t kResponseDepthMax = 1000;  // our own answers, around documents as deep as they may be
constexpr int kCompatibleWithTypes = 7;

void AddCommonHeaders(const HttpRequest& http, HttpResponse& response) {
  response.headers.emplace_back(kProductHeader, kProduct);
  if (const auto id = http.headers.Find("x-opaque-id")) response.headers.emplace_back("X-Opaque-Id", *id);
}

HttpResponse JsonResponse(const HttpRequest& http, std::string body, int status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  AddCommonHeaders(http, response);
  return response;
}

// A boolean of the query string that decides about the shape of the answer.
bool Flag(const RestRequest& request, std::string_view name) { return request.Bool(name, false).value_or(false); }

std::string Shape(const RestRequest& request, std::string body, MediaFormat format, bool filter) {
  const auto paths = filter ? request.Get("filter_path") : std::nullopt;
  const bool typed =
      request.media.compatible_with == kCompatibleWithTypes && body.find("\"_index\"") != std::string::npos;
  const auto apply = [&](std::string (*change)(json::Value)) {
    const Result<json::Document> document = json::Document::Parse(body, {.depth_max = kResponseDepthMax});
    if (document.ok()) body = change(document->root());
  };
  if (typed) apply(WithTypes);
  if (paths && !paths->empty()) {
    const Result<json::Document> document = json::Document::Parse(body, {.depth_max = kResponseDepthMax});
    if (document.ok()) body = FilterPath(*paths).Apply(document->root());
  }
  if (format == MediaFormat::kYaml) {
    apply(Yaml);
  } else if (Flag(request, "pretty")) {
    apply(PrettyJson);
  }
  return body;
}

HttpResponse Render(const RestRequest& request, RestResponse rest, bool filter) {
  HttpResponse response;
  response.status = rest.status;
  response.headers = std::move(rest.headers);
  MediaFormat format = rest.format;
  if (format == MediaFormat::kJson && request.media.format == MediaFormat::kYaml) format = MediaFormat::kYaml;
  response.body = format == MediaFormat::kText || rest.body.empty()
                      ? std::move(rest.body)
                      : Shape(request, std::move(rest.body), format, filter);
  if (format == MediaFormat::kJson && !request.media.vendored) {
    response.content_type = "application/json";
  } else {
    response.content_type_text = request.media.ResponseType(format);
  }
  AddCommonHeaders(*request.http, response);
  return response;
}

HttpResponse RenderError(const RestRequest& request, const Status& status) {
  const int http_status = HttpStatus(status.code());
  return Render(request, RestResponse::Json(ErrorBody(status, http_status, Flag(request, "error_trace")), http_status),
                false);
}

// ES reads a body only with a Content-Type that it knows; the error of this check is a string.
std::optional<std::string> RefusedContentType(const RestRequest& request) {
  if (!request.has_body()) return std::nullopt;
  if (request.media.body && request.media.body->format != MediaFormat::kText) return std::nullopt;
  return "Content-Type header [" + std::string(request.http->headers.Find("content-type").value_or("")) +
         "] is not supported";
}

Status CheckRequest(const RestRequest& request, const Route& route) {
  if (request.has_body() && route.body == BodyRule::kNone) {
    return InvalidArgument("request [" + std::string(request.http->method_name()) + " " + std::string(request.path()) +
                           "] does not support having a body");
  }
  if (request.has_body() && request.media.body->format != MediaFormat::kJson &&
      request.media.body->format != MediaFormat::kNdjson) {
    return InvalidArgument("request bodies must be JSON or newline-delimited JSON");
  }
  TIERCEL_TRY(CheckParameters(request, route.parameters));
  TIERCEL_TRY(request.Bool("pretty", false).status());
  TIERCEL_TRY(request.Bool("human", false).status());
  return request.Bool("error_trace", false).status();
}

std::string AllowedList(const std::vector<HttpMethod>& methods, std::string_view separator) {
  std::string text;
  for (const HttpMethod method : methods) {
    if (!text.empty()) text += separator;
    text += MethodName(method);
  }
  return text;
}

}  // namespace

RestDispatcher::RestDispatcher(const Router& router, const Clock& clock)
    : router_(router), clock_(clock), metrics_(router.routes().size()) {}

std::optional<HttpResponse> RestDispatcher::TryInline(HttpRequest& request) {
  Result<RouteMatch> match = router_.Match(request.method, SplitTarget(request.target).path);
  if (!match.ok()) return Refuse(request, match.error(), HttpStatus(match.error().code()));
  if (match->route == nullptr) return NoRoute(request, *match);
  const Route& route = *match->route;
  if (route.cost != RouteCost::kCheap) return std::nullopt;
  const std::string_view query = SplitTarget(request.target).query;
  if (!route.blocking_parameter.empty() && query.find(route.blocking_parameter) != std::string_view::npos)
    return std::nullopt;
  return Run(request, std::move(match).value());
}

HttpResponse RestDispatcher::Handle(HttpRequest& request) {
  Result<RouteMatch> match = router_.Match(request.method, SplitTarget(request.target).path);
  if (!match.ok()) return Refuse(request, match.error(), HttpStatus(match.error().code()));
  if (match->route == nullptr) return NoRoute(request, *match);
  return Run(request, std::move(match).value());
}

HttpResponse RestDispatcher::Run(const HttpRequest& http, RouteMatch match) {
  const int64_t start_ns = clock_.MonotonicNs();
  const Route& route = *match.route;
  RestRequest request;
  request.http = &http;
  request.path_values = std::move(match.values);
  HttpResponse response = [&] {
    Result<QueryParameters> parameters = ParseQueryString(SplitTarget(http.target).query);
    if (!parameters.ok()) return RenderError(request, parameters.error());
    request.parameters = std::move(parameters).value();
    const auto content_type = http.headers.Find("content-type");
    if (content_type && content_type->empty() && request.has_body()) {
      return RenderError(request, InvalidArgument("Invalid media-type value on headers [Content-Type]")
                                      .WithType("media_type_header_exception")
                                      .WithCause(InvalidArgument("Header [Content-Type] cannot be empty.")));
    }
    Result<Negotiated> media = Negotiate(content_type, http.headers.Find("accept"), request.Get("format"));
    if (!media.ok()) return RenderError(request, media.error());
    request.media = std::move(media).value();
    if (const auto refused = RefusedContentType(request))
      return JsonResponse(http, StringErrorBody(*refused, 406), 406);
    if (const Status checked = CheckRequest(request, route); !checked.ok()) return RenderError(request, checked);
    Result<RestResponse> result = route.handler(request);
    return result.ok() ? Render(request, std::move(result).value(), true) : RenderError(request, result.error());
  }();
  metrics_.Record(route.number, response.status, static_cast<uint64_t>(clock_.MonotonicNs() - start_ns) / 1000);
  return response;
}

HttpResponse RestDispatcher::NoRoute(const HttpRequest& http, const RouteMatch& match) const {
  const std::string target = http.target;
  if (match.allowed.empty()) {
    const std::string text =
        "no handler found for uri [" + target + "] and method [" + std::string(http.method_name()) + "]";
    return JsonResponse(http, StringErrorBody(text, 0), 400);
  }
  const bool options = http.method == HttpMethod::kOptions;
  const std::string text = "Incorrect HTTP method for uri [" + target + "] and method [" +
                           std::string(http.method_name()) + "], allowed: [" + AllowedList(match.allowed, ", ") + "]";
  HttpResponse response = JsonResponse(http, options ? std::string() : StringErrorBody(text, 405), options ? 200 : 405);
  if (options) response.content_type = "text/plain; charset=UTF-8";
  response.headers.emplace_back("Allow", AllowedList(match.allowed, ","));
  return response;
}

HttpResponse RestDispatcher::Refuse(const HttpRequest& request, const Status& why, int http_status) {
  return JsonResponse(request, ErrorBody(why, http_status), http_status);
}

void RestDispatcher::Describe(MetricsPage& page) const {
  constexpr std::array<std::string_view, 4> kClasses = {"2xx", "3xx", "4xx", "5xx"};
  for (const auto& route : router_.routes()) {
    const RequestMetrics::Row& row = metrics_.rows()[route->number];
    const std::string name(route->pattern), method(MethodName(route->method));
    uint64_t total = 0;
    for (size_t i = 0; i < kClasses.size(); ++i) {
      const uint64_t count = row.by_class[i].load(std::memory_order_relaxed);
      total += count;
      if (count == 0) continue;
      page.Counter("tiercel_http_requests_total", "Requests by route and status class", static_cast<double>(count),
                   {{"route", name}, {"method", method}, {"status", std::string(kClasses[i])}});
    }
    if (total == 0) continue;
    page.Histogram("tiercel_http_request_duration_seconds",
                   "Time from the whole request to the answer, without queueing and transfer", row.latency,
                   {{"route", name}, {"method", method}});
  }
}

}  // namespace tiercel::server
