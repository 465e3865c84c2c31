#include "tiercel/json/writer.h"
#include "tiercel/server/routes.h"
#include "tiercel/server/version.h"

namespace tiercel::server {
namespace {

std::string RootBody(const NodeInfo& node) {
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("name", node.name).Member("cluster_name", node.cluster).Member("cluster_uuid", node.cluster_id);
    writer.Key("version").Object([&] {
      writer.Member("number", kReportedVersion).Member("build_flavor", "default").Member("build_type", "tar");
      writer.Member("build_hash", kBuildHash).Member("build_date", kBuildDate).Member("build_snapshot", false);
      writer.Member("lucene_version", kLuceneVersion);
      writer.Member("minimum_wire_compatibility_version", kMinimumWireVersion);
      writer.Member("minimum_index_compatibility_version", kMinimumIndexVersion);
    });
    writer.Member("tagline", kTagline);
  });
  return body;
}

}  // namespace

void AddRootRoutes(Router& router, const NodeInfo& node) {
  for (const HttpMethod method : {HttpMethod::kGet, HttpMethod::kHead}) {
    router.Add({.method = method,
                .pattern = "/",
                .cost = RouteCost::kCheap,
                .handler = [&node](const RestRequest& request) -> Result<RestResponse> {
                  RestResponse response = RestResponse::Json(RootBody(node));
                  if (request.method() == HttpMethod::kHead) response.format = MediaFormat::kText;
                  return response;
                }});
  }
}

void AddMetricsRoutes(Router& router, std::vector<MetricsSource> sources) {
  router.Add({.method = HttpMethod::kGet,
              .pattern = "/_prometheus/metrics",
              .handler = [sources = std::move(sources)](const RestRequest&) -> Result<RestResponse> {
                MetricsPage page;
                for (const MetricsSource& source : sources) source(page);
                RestResponse response = RestResponse::Text(page.Serialize());
                return response;
              }});
}

}  // namespace tiercel::server
