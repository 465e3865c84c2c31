// The REST API, one function per group of routes. Each adds its routes, with the parameters they know, to a router.
//
// Thread safety: handlers run on any thread. Lifetime: what the functions are given outlives the router.
#pragma once

#include <string>
#include <vector>

#include "tiercel/base/clock.h"
#include "tiercel/engine/engine.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/server/metrics.h"
#include "tiercel/server/node_info.h"
#include "tiercel/server/router.h"

namespace tiercel::server {

// GET and HEAD /
void AddRootRoutes(Router& router, const NodeInfo& node);
// /_prometheus/metrics
void AddMetricsRoutes(Router& router, std::vector<MetricsSource> sources);
// _doc, _create, _source, _update
void AddDocumentRoutes(Router& router, engine::Engine& engine);
// _bulk, _mget
void AddBulkRoutes(Router& router, engine::Engine& engine);
// _search, _count
void AddSearchRoutes(Router& router, engine::Engine& engine);
// /{index}, _mapping, _settings, _open, _close
void AddIndexRoutes(Router& router, engine::Engine& engine);
// _aliases, _alias
void AddAliasRoutes(Router& router, engine::Engine& engine);
// _refresh, _flush, _forcemerge, _cache/clear
void AddMaintenanceRoutes(Router& router, engine::Engine& engine);
// _stats, _segments
void AddStatsRoutes(Router& router, engine::Engine& engine, const NodeInfo& node);
// _cluster/…
void AddClusterRoutes(Router& router, engine::Engine& engine, const NodeInfo& node, const Clock& clock);
// _nodes, _nodes/stats
void AddNodesRoutes(Router& router, engine::Engine& engine, const NodeInfo& node, const Clock& clock,
                    const std::string& data_path, runtime::MemoryBudget& budget);
// _cat/…
void AddCatRoutes(Router& router, engine::Engine& engine, const NodeInfo& node, const Clock& clock);
// _analyze
void AddAnalyzeRoutes(Router& router, engine::Engine& engine);

}  // namespace tiercel::server
