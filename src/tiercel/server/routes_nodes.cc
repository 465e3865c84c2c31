// _nodes and _nodes/stats. There is one node, and no Java virtual machine: the "jvm" sections have the shape that
// clients and Rally read unguarded, filled from the process where that means something and with zeros where it does
// not.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tiercel/engine/index_name.h"
#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/process_stats.h"
#include "tiercel/server/routes.h"
#include "tiercel/server/stats_body.h"
#include "tiercel/server/version.h"

namespace tiercel::server {
namespace {

using engine::Engine;

constexpr std::array<std::string_view, 4> kRoles = {"data", "data_content", "ingest", "master"};
constexpr std::array<std::string_view, 3> kPools = {"young", "old", "survivor"};
constexpr std::array<std::string_view, 12> kInfoMetrics = {
    "settings", "os",      "process", "jvm",          "thread_pool", "transport",
    "http",     "plugins", "ingest",  "aggregations", "indices",     "remote_cluster_server"};

struct NodesContext {
  Engine& engine;
  const NodeInfo& node;
  const Clock& clock;
  const std::string data_path;
  runtime::MemoryBudget& budget;
};

std::string Host(const std::string& address) { return address.substr(0, address.rfind(':')); }

// Names, ids, "_all", "_local", "_master", "*" and attribute filters such as "master:true".
bool SelectsUs(std::string_view selector, const NodesContext& context) {
  if (selector.empty()) return true;
  const std::string address = context.node.http_address();
  for (const std::string& item : SplitList(selector)) {
    if (item == "_all" || item == "_local" || item == "_master" || item.ends_with(":true")) return true;
    if (item == context.node.id || item == Host(address) || engine::MatchesPattern(item, context.node.name))
      return true;
  }
  return false;
}

class Sections {
 public:
  explicit Sections(const std::string& metrics) : names_(SplitList(metrics)) {}
  bool operator()(std::string_view name) const {
    return names_.empty() ||
           std::any_of(names_.begin(), names_.end(), [&](const std::string& n) { return n == name || n == "_all"; });
  }

 private:
  std::vector<std::string> names_;
};

void WriteIdentity(const NodesContext& context, bool stats, json::Writer& w) {
  const std::string address = context.node.http_address();
  if (stats) w.Member("timestamp", context.clock.WallMs());
  w.Member("name", context.node.name).Member("transport_address", address).Member("host", Host(address));
  w.Member("ip", stats ? address : Host(address));
  if (!stats) {
    w.Member("version", kReportedVersion)
        .Member("build_flavor", "default")
        .Member("build_type", "tar")
        .Member("build_hash", kBuildHash);
    w.Member("total_indexing_buffer", context.budget.indexing().limit_bytes());
  }
  w.Key("roles").Array([&] {
    for (const std::string_view role : kRoles) w.String(role);
  });
}

void WriteInfo(const NodesContext& context, const Sections& wanted, json::Writer& w) {
  const std::string address = context.node.http_address();
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  WriteIdentity(context, false, w);
  if (wanted("settings")) {
    w.Key("settings").Object([&] {
      w.Key("cluster").Object([&] { w.Member("name", context.node.cluster); });
      w.Key("node").Object([&] { w.Member("name", context.node.name); });
      w.Key("path").Object([&] { w.Member("data", context.data_path); });
    });
  }
  if (wanted("os")) {
    w.Key("os").Object([&] {
      w.Member("refresh_interval_in_millis", 1000)
          .Member("name", "Linux")
          .Member("pretty_name", "Linux")
          .Member("arch", "amd64");
      w.Member("available_processors", processors).Member("allocated_processors", processors);
    });
  }
  if (wanted("process")) {
    w.Key("process").Object(
        [&] { w.Member("refresh_interval_in_millis", 1000).Member("id", getpid()).Member("mlockall", false); });
  }
  if (wanted("jvm")) {
    w.Key("jvm").Object([&] {
      w.Member("pid", getpid())
          .Member("version", "0")
          .Member("vm_name", "none")
          .Member("vm_version", "0")
          .Member("vm_vendor", "none");
      w.Member("using_bundled_jdk", false).Member("start_time_in_millis", context.node.started_ms);
      w.Key("mem").Object([&] {
        w.Member("heap_init_in_bytes", 0).Member("heap_max_in_bytes", context.budget.parent().limit_bytes());
      });
      w.Key("gc_collectors").BeginArray().EndArray();
      w.Key("memory_pools").BeginArray().EndArray();
      w.Key("input_arguments").BeginArray().EndArray();
    });
  }
  if (wanted("http")) {
    w.Key("http").Object([&] {
      w.Key("bound_address").Array([&] { w.String(address); });
      w.Member("publish_address", address).Member("max_content_length_in_bytes", context.node.content_length_max);
    });
  }
  if (wanted("plugins")) {
    w.Key("plugins").BeginArray().EndArray();
    w.Key("modules").BeginArray().EndArray();
  }
}

void WriteJvmStats(const NodesContext& context, const ProcessStats& process, json::Writer& w) {
  const uint64_t limit = context.budget.parent().limit_bytes();
  w.Member("timestamp", context.clock.WallMs())
      .Member("uptime_in_millis", context.clock.WallMs() - context.node.started_ms);
  w.Key("mem").Object([&] {
    w.Member("heap_used_in_bytes", process.resident_bytes)
        .Member("heap_used_percent", process.resident_bytes * 100 / std::max<uint64_t>(1, limit));
    w.Member("heap_committed_in_bytes", process.resident_bytes).Member("heap_max_in_bytes", limit);
    w.Member("non_heap_used_in_bytes", 0).Member("non_heap_committed_in_bytes", 0);
    w.Key("pools").Object([&] {
      for (const std::string_view pool : kPools) {
        const bool all = pool == "old";  // one pool has to hold what the process uses
        w.Key(pool).Object([&] {
          w.Member("used_in_bytes", all ? process.resident_bytes : 0).Member("max_in_bytes", all ? limit : 0);
          w.Member("peak_used_in_bytes", all ? process.peak_resident_bytes : 0)
              .Member("peak_max_in_bytes", all ? limit : 0);
        });
      }
    });
  });
  w.Key("threads").Object([&] { w.Member("count", process.threads).Member("peak_count", process.threads); });
  w.Key("gc").Object([&] {
    w.Key("collectors").Object([&] {
      for (const char* collector : {"young", "old"}) {
        w.Key(collector).Object([&] { w.Member("collection_count", 0).Member("collection_time_in_millis", 0); });
      }
    });
  });
  w.Key("buffer_pools").BeginObject().EndObject();
}

void WriteOsStats(const NodesContext& context, json::Writer& w) {
  const MachineStats machine = ReadMachineStats();
  const uint64_t used = machine.memory_total_bytes - machine.memory_available_bytes;
  const uint64_t used_percent = machine.memory_total_bytes == 0 ? 0 : used * 100 / machine.memory_total_bytes;
  w.Member("timestamp", context.clock.WallMs()).Key("cpu").Object([&] {
    w.Member("percent", 0).Key("load_average").Object([&] {
      w.Member("1m", machine.load[0]).Member("5m", machine.load[1]).Member("15m", machine.load[2]);
    });
  });
  w.Key("mem").Object([&] {
    w.Member("total_in_bytes", machine.memory_total_bytes).Member("free_in_bytes", machine.memory_available_bytes);
    w.Member("used_in_bytes", used).Member("free_percent", 100 - used_percent).Member("used_percent", used_percent);
  });
}

void WriteBreakers(runtime::MemoryBudget& budget, json::Writer& w) {
  for (const runtime::CircuitBreaker* breaker :
       {&budget.request(), &budget.in_flight(), &budget.indexing(), &budget.parent()}) {
    w.Key(breaker->name()).Object([&] {
      w.Member("limit_size_in_bytes", breaker->limit_bytes()).Member("estimated_size_in_bytes", breaker->used_bytes());
      w.Member("overhead", 1.0).Member("tripped", breaker->tripped());
    });
  }
}

void WriteStats(const NodesContext& context, const Sections& wanted, const std::vector<std::string>& index_metrics,
                json::Writer& w) {
  const ProcessStats process = ReadProcessStats();
  WriteIdentity(context, true, w);
  if (wanted("indices")) {
    std::vector<shard::ShardStats> shards;
    const auto indices = context.engine.Stats("", {.expand_hidden = true});
    if (indices.ok()) {
      for (const engine::IndexStats& index : *indices)
        shards.insert(shards.end(), index.shards.begin(), index.shards.end());
    }
    w.Key("indices").Object([&] { WriteStatsSections(SumStats(shards), shards.size(), index_metrics, w); });
  }
  if (wanted("os")) w.Key("os").Object([&] { WriteOsStats(context, w); });
  if (wanted("process")) {
    w.Key("process").Object([&] {
      w.Member("timestamp", context.clock.WallMs()).Member("open_file_descriptors", process.open_files);
      w.Member("max_file_descriptors", process.open_files_max).Key("cpu").Object([&] {
        w.Member("percent", 0).Member("total_in_millis", process.cpu_ms);
      });
      w.Key("mem").Object([&] { w.Member("total_virtual_in_bytes", process.virtual_bytes); });
    });
  }
  if (wanted("jvm")) w.Key("jvm").Object([&] { WriteJvmStats(context, process, w); });
  if (wanted("fs")) {
    const DiskStats disk = ReadDiskStats(context.data_path);
    w.Key("fs").Object([&] {
      w.Member("timestamp", context.clock.WallMs()).Key("total").Object([&] {
        w.Member("total_in_bytes", disk.total_bytes)
            .Member("free_in_bytes", disk.available_bytes)
            .Member("available_in_bytes", disk.available_bytes);
      });
      w.Key("data").BeginArray().EndArray();
    });
  }
  if (wanted("thread_pool")) w.Key("thread_pool").BeginObject().EndObject();
  if (wanted("breaker") || wanted("breakers")) w.Key("breakers").Object([&] { WriteBreakers(context.budget, w); });
  if (wanted("ingest")) w.Key("ingest").Object([&] { w.Key("pipelines").BeginObject().EndObject(); });
}

template <typename WriteNode>
RestResponse Nodes(const NodesContext& context, std::string_view selector, WriteNode write_node) {
  std::string body;
  json::Writer w(body);
  const int nodes = SelectsUs(selector, context) ? 1 : 0;
  w.Object([&] {
    w.Key("_nodes").Object([&] { w.Member("total", nodes).Member("successful", nodes).Member("failed", 0); });
    w.Member("cluster_name", context.node.cluster).Key("nodes").Object([&] {
      if (nodes > 0) w.Key(context.node.id).Object([&] { write_node(w); });
    });
  });
  return RestResponse::Json(std::move(body));
}

// GET /_nodes/{x}: a list of metrics when all of it is, else of nodes.
Result<RestResponse> Info(const NodesContext& context, const RestRequest& request) {
  std::string selector = request.GetOr("node_id", ""), metrics = request.GetOr("metric", "");
  if (metrics.empty()) {
    const std::vector<std::string> items = SplitList(selector);
    const bool all_metrics = !items.empty() && std::all_of(items.begin(), items.end(), [](const std::string& item) {
      return std::find(kInfoMetrics.begin(), kInfoMetrics.end(), item) != kInfoMetrics.end();
    });
    if (all_metrics) std::swap(selector, metrics);
  }
  return Nodes(context, selector, [&](json::Writer& w) { WriteInfo(context, Sections(metrics), w); });
}

Result<RestResponse> Stats(const NodesContext& context, const RestRequest& request) {
  const Sections sections(request.GetOr("metric", ""));
  const std::vector<std::string> index_metrics = SplitList(request.GetOr("index_metric", ""));
  return Nodes(context, request.GetOr("node_id", ""),
               [&](json::Writer& w) { WriteStats(context, sections, index_metrics, w); });
}

}  // namespace

void AddNodesRoutes(Router& router, Engine& engine, const NodeInfo& node, const Clock& clock,
                    const std::string& data_path, runtime::MemoryBudget& budget) {
  const auto context = std::make_shared<NodesContext>(NodesContext{engine, node, clock, data_path, budget});
  const auto parameters =
      Parameters({"flat_settings", "timeout", "level", "types", "groups", "fields", "completion_fields",
                  "fielddata_fields", "include_segment_file_sizes", "include_unloaded_segments"});
  const auto add = [&](const char* pattern, auto function) {
    router.Add({.method = HttpMethod::kGet,
                .pattern = pattern,
                .parameters = parameters,
                .handler = [context, function](const RestRequest& r) { return function(*context, r); }});
  };
  for (const char* pattern : {"/_nodes", "/_nodes/{node_id}", "/_nodes/{node_id}/{metric}"}) add(pattern, Info);
  for (const char* pattern :
       {"/_nodes/stats", "/_nodes/{node_id}/stats", "/_nodes/stats/{metric}", "/_nodes/{node_id}/stats/{metric}",
        "/_nodes/stats/{metric}/{index_metric}", "/_nodes/{node_id}/stats/{metric}/{index_metric}"}) {
    add(pattern, Stats);
  }
}

}  // namespace tiercel::server
