// _cluster: health, settings, state, pending tasks.

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <thread>

#include "tiercel/base/clock.h"
#include "tiercel/engine/index_name.h"
#include "tiercel/json/writer.h"
#include "tiercel/server/cluster_health.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;

constexpr int kNodes = 1;
constexpr int64_t kPollMs = 20;
// Waiting requests hold a worker each; more than this answer at once instead of starving the rest.
constexpr int kWaitersMax = 2;

constexpr std::array<std::string_view, 3> kStatuses = {"green", "yellow", "red"};

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return upper;
}

bool ConsumePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

Result<int64_t> ParseCount(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
}

// "3", ">=2", "ge(2)", "<5", ...
Result<bool> NodesSatisfy(std::string_view wanted) {
  struct Form {
    std::string_view symbol, word;
    bool (*holds)(int64_t nodes, int64_t wanted);
  };
  static constexpr std::array<Form, 4> kForms = {{{">=", "ge(", [](int64_t n, int64_t w) { return n >= w; }},
                                                  {"<=", "le(", [](int64_t n, int64_t w) { return n <= w; }},
                                                  {">", "gt(", [](int64_t n, int64_t w) { return n > w; }},
                                                  {"<", "lt(", [](int64_t n, int64_t w) { return n < w; }}}};
  for (const Form& form : kForms) {
    std::string_view rest = wanted;
    if (ConsumePrefix(rest, form.word)) {
      if (rest.ends_with(')')) rest.remove_suffix(1);
    } else if (!ConsumePrefix(rest, form.symbol)) {
      continue;
    }
    TIERCEL_TRY_ASSIGN(const int64_t count, ParseCount(rest));
    return form.holds(kNodes, count);
  }
  TIERCEL_TRY_ASSIGN(const int64_t count, ParseCount(wanted));
  return count == kNodes;
}

struct HealthRequest {
  std::string expression, level, wait_for_nodes;
  std::optional<size_t> worst_status;  // position in kStatuses
  std::optional<int64_t> active_shards;
  bool all_shards = false;
  int64_t timeout_ms = 30'000;
};

Result<HealthRequest> ReadHealthRequest(const RestRequest& request) {
  HealthRequest health;
  health.expression = IndexExpression(request);
  health.level = request.GetOr("level", "cluster");
  if (health.level != "cluster" && health.level != "indices" && health.level != "shards") {
    return InvalidArgument("level parameter must be one of [cluster] or [indices] or [shards] but was [" +
                           health.level + "]");
  }
  if (const auto status = request.Get("wait_for_status")) {
    const auto at = std::find(kStatuses.begin(), kStatuses.end(), *status);
    if (at == kStatuses.end()) {
      return InvalidArgument("No enum constant org.elasticsearch.cluster.health.ClusterHealthStatus." + Upper(*status));
    }
    health.worst_status = at - kStatuses.begin();
  }
  health.wait_for_nodes = request.GetOr("wait_for_nodes", "");
  if (!health.wait_for_nodes.empty()) TIERCEL_TRY(NodesSatisfy(health.wait_for_nodes).status());
  if (const auto active = request.Get("wait_for_active_shards")) {
    health.all_shards = *active == "all";
    if (!health.all_shards) {
      TIERCEL_TRY_ASSIGN(health.active_shards, ParseCount(*active));
    }
  }
  TIERCEL_TRY_ASSIGN(health.timeout_ms, request.TimeMs("timeout", 30'000));
  return health;
}

struct Health {
  std::vector<engine::IndexMetadataPtr> indices;
  ShardCounts counts;
  bool missing = false;  // an index that was asked for does not exist: red, and waited for
  bool satisfied = false;

  std::string_view status() const { return missing ? kStatuses[2] : counts.status(); }
};

Result<Health> LookAtHealth(const Engine& engine, const HealthRequest& request) {
  Health health;
  Result<std::vector<engine::IndexMetadataPtr>> found =
      engine.Resolve(request.expression, {.ignore_unavailable = false, .expand_closed = true, .expand_hidden = true});
  if (found.ok()) {
    health.indices = std::move(found).value();
  } else if (found.error().code() == Code::kNotFound) {
    health.missing = true;
  } else {
    return found.error();
  }
  health.counts = CountShards(health.indices);
  const size_t status = std::find(kStatuses.begin(), kStatuses.end(), health.status()) - kStatuses.begin();
  health.satisfied = !health.missing && status <= request.worst_status.value_or(2);
  if (!request.wait_for_nodes.empty()) {
    TIERCEL_TRY_ASSIGN(const bool nodes, NodesSatisfy(request.wait_for_nodes));
    health.satisfied = health.satisfied && nodes;
  }
  if (request.active_shards)
    health.satisfied = health.satisfied && static_cast<int64_t>(health.counts.primaries) >= *request.active_shards;
  if (request.all_shards) health.satisfied = health.satisfied && health.counts.replicas == 0;
  return health;
}

void WriteCounts(const ShardCounts& counts, json::Writer& writer) {
  writer.Member("active_primary_shards", counts.primaries).Member("active_shards", counts.primaries);
  writer.Member("relocating_shards", 0).Member("initializing_shards", 0).Member("unassigned_shards", counts.replicas);
  writer.Member("unassigned_primary_shards", 0);
}

void WriteIndexHealth(const engine::IndexMetadata& metadata, bool shards, json::Writer& writer) {
  const ShardCounts counts = CountShards(metadata);
  writer.Member("status", counts.status()).Member("number_of_shards", metadata.settings.number_of_shards());
  writer.Member("number_of_replicas", metadata.settings.number_of_replicas());
  WriteCounts(counts, writer);
  if (!shards) return;
  const uint32_t replicas = metadata.settings.number_of_replicas();
  writer.Key("shards").Object([&] {
    for (uint32_t i = 0; i < metadata.settings.number_of_shards(); ++i) {
      writer.Key(std::to_string(i)).Object([&] {
        writer.Member("status", counts.status())
            .Member("primary_active", true)
            .Member("active_shards", 1)
            .Member("relocating_shards", 0);
        writer.Member("initializing_shards", 0)
            .Member("unassigned_shards", replicas)
            .Member("unassigned_primary_shards", 0);
      });
    }
  });
}

std::string HealthBody(const Health& health, const NodeInfo& node, std::string_view level) {
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("cluster_name", node.cluster)
        .Member("status", health.status())
        .Member("timed_out", !health.satisfied);
    writer.Member("number_of_nodes", kNodes).Member("number_of_data_nodes", kNodes);
    WriteCounts(health.counts, writer);
    writer.Member("delayed_unassigned_shards", 0)
        .Member("number_of_pending_tasks", 0)
        .Member("number_of_in_flight_fetch", 0);
    writer.Member("task_max_waiting_in_queue_millis", 0)
        .Member("active_shards_percent_as_number", health.counts.active_percent());
    if (level == "cluster") return;
    writer.Key("indices").Object([&] {
      for (const auto& metadata : health.indices) {
        writer.Key(metadata->name).Object([&] { WriteIndexHealth(*metadata, level == "shards", writer); });
      }
    });
  });
  return body;
}

class HealthApi {
 public:
  HealthApi(const Engine& engine, const NodeInfo& node, const Clock& clock)
      : engine_(engine), node_(node), clock_(clock) {}

  Result<RestResponse> Handle(const RestRequest& request) {
    TIERCEL_TRY_ASSIGN(const HealthRequest wanted, ReadHealthRequest(request));
    TIERCEL_TRY_ASSIGN(Health health, LookAtHealth(engine_, wanted));
    if (!health.satisfied) {
      const bool may_wait = waiters_.fetch_add(1) < kWaitersMax;
      const int64_t give_up = clock_.MonotonicMs() + wanted.timeout_ms;
      const runtime::Cancellation* cancellation = request.http->cancellation.get();
      while (may_wait && !health.satisfied && clock_.MonotonicMs() < give_up &&
             !(cancellation != nullptr && cancellation->Cancelled())) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
        Result<Health> again = LookAtHealth(engine_, wanted);
        if (again.ok()) health = std::move(again).value();
      }
      waiters_.fetch_sub(1);
    }
    return RestResponse::Json(HealthBody(health, node_, wanted.level), health.satisfied ? 200 : 408);
  }

 private:
  const Engine& engine_;
  const NodeInfo& node_;
  const Clock& clock_;
  std::atomic<int> waiters_{0};
};

Result<RestResponse> State(const Engine& engine, const NodeInfo& node, const RestRequest& request) {
  const std::vector<std::string> metrics = SplitList(request.GetOr("metric", "_all"));
  const auto wanted = [&](std::string_view metric) {
    return std::any_of(metrics.begin(), metrics.end(),
                       [&](const std::string& m) { return m == metric || m == "_all"; });
  };
  TIERCEL_TRY_ASSIGN(const auto indices,
                     engine.Resolve(IndexExpression(request), {.expand_closed = true, .expand_hidden = true}));
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("cluster_name", node.cluster).Member("cluster_uuid", node.cluster_id);
    if (wanted("master_node")) writer.Member("master_node", node.id);
    if (wanted("nodes")) {
      writer.Key("nodes").Object([&] {
        writer.Key(node.id).Object(
            [&] { writer.Member("name", node.name).Member("transport_address", node.http_address()); });
      });
    }
    if (!wanted("metadata")) return;
    writer.Key("metadata").Object([&] {
      writer.Member("cluster_uuid", node.cluster_id).Key("indices").Object([&] {
        for (const engine::IndexMetadataPtr& metadata : indices) {
          writer.Key(metadata->name).Object([&] {
            writer.Member("state", metadata->open ? "open" : "close").Key("settings");
            engine::WriteSettings(metadata->ShownSettings(), false, writer);
            writer.Key("mappings").Object([&] {
              writer.Key("_doc");
              metadata->mapping->Write(writer);
            });
          });
        }
      });
    });
  });
  return RestResponse::Json(std::move(body));
}

}  // namespace

void AddClusterRoutes(Router& router, Engine& engine, const NodeInfo& node, const Clock& clock) {
  const auto health = std::make_shared<HealthApi>(engine, node, clock);
  for (const char* pattern : {"/_cluster/health", "/_cluster/health/{index}"}) {
    router.Add({.method = HttpMethod::kGet,
                .pattern = pattern,
                .parameters = Parameters({"level", "local", "master_timeout", "timeout", "wait_for_active_shards",
                                          "wait_for_events", "wait_for_no_initializing_shards",
                                          "wait_for_no_relocating_shards", "wait_for_nodes", "wait_for_status",
                                          "return_200_for_cluster_health_timeout", "expand_wildcards"}),
                .handler = [health](const RestRequest& r) { return health->Handle(r); }});
  }
  for (const char* pattern : {"/_cluster/state", "/_cluster/state/{metric}", "/_cluster/state/{metric}/{index}"}) {
    router.Add({.method = HttpMethod::kGet,
                .pattern = pattern,
                .parameters = Parameters(
                    {"local", "master_timeout", "flat_settings", "wait_for_metadata_version", "wait_for_timeout"},
                    {kIndicesParameters}),
                .handler = [&engine, &node](const RestRequest& r) { return State(engine, node, r); }});
  }
  router.Add({.method = HttpMethod::kGet,
              .pattern = "/_cluster/settings",
              .parameters = {"flat_settings", "include_defaults", "master_timeout", "timeout"},
              .handler = [](const RestRequest&) -> Result<RestResponse> {
                return RestResponse::Json("{\"persistent\":{},\"transient\":{}}");
              }});
  router.Add(
      {.method = HttpMethod::kGet,
       .pattern = "/_cluster/pending_tasks",
       .parameters = {"local", "master_timeout"},
       .handler = [](const RestRequest&) -> Result<RestResponse> { return RestResponse::Json("{\"tasks\":[]}"); }});
}

}  // namespace tiercel::server
