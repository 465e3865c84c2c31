// The REST API, one function per group of routes. Each adds its routes, with the parameters they know, to a router.
//
// Thread safety: handlers run on any thread. Lifetime: what the functions are given outlives the router.
#pragma once

#include "tiercel/server/metrics.h"
#include "tiercel/server/node_info.h"
#include "tiercel/server/router.h"

namespace tiercel::server {

// GET and HEAD /
void AddRootRoutes(Router& router, const NodeInfo& node);
// /_prometheus/metrics
void AddMetricsRoutes(Router& router, std::vector<MetricsSource> sources);

}  // namespace tiercel::server
