// _cat: the same facts as tables for people.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "tiercel/json/writer.h"
#include "tiercel/server/cat_table.h"
#include "tiercel/server/cluster_health.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/process_stats.h"
#include "tiercel/server/routes.h"
#include "tiercel/server/stats_body.h"
#include "tiercel/server/version.h"

namespace tiercel::server {
namespace {

using engine::Engine;

struct CatContext {
  Engine& engine;
  const NodeInfo& node;
  const Clock& clock;
};

constexpr std::string_view kNodeRoles = "dim";

CatCell Text(std::string_view text) { return CatCell::Text(std::string(text)); }
template <typename T>
CatCell Number(T value) {
  return CatCell::Number(static_cast<int64_t>(value));
}

std::string FormatTime(int64_t ms, const char* format) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return std::string(text.data(), std::strftime(text.data(), text.size(), format, &parts));
}

std::string IsoTime(int64_t ms) {
  std::array<char, 8> millis{};
  std::snprintf(millis.data(), millis.size(), ".%03dZ", static_cast<int>(ms % 1000));
  return FormatTime(ms, "%Y-%m-%dT%H:%M:%S") + millis.data();
}

std::string Percent(double value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f%%", value);
  return text.data();
}

std::string Ip(const CatContext& context) {
  const std::string address = context.node.http_address();
  return address.substr(0, address.rfind(':'));
}

// Each function makes the table with its columns and, unless only help is wanted, its rows.
using CatFunction = Result<CatTable> (*)(const CatContext&, const RestRequest&, bool rows);

Result<engine::IndicesOptions> Options(const RestRequest& request) {
  return ReadIndicesOptions(request, {.expand_closed = true, .expand_hidden = true});
}

Result<CatTable> Indices(const CatContext& context, const RestRequest& request, bool rows) {
  CatTable table({{"health", "h", "current health status"},
                  {"status", "s", "open/close status"},
                  {"index", "i,idx", "index name"},
                  {"uuid", "id,uuid", "index uuid"},
                  {"pri", "p,shards.primary,shardsPrimary", "number of primary shards", true, true},
                  {"rep", "r,shards.replica,shardsReplica", "number of replica shards", true, true},
                  {"docs.count", "dc,docsCount", "available docs", true, true},
                  {"docs.deleted", "dd,docsDeleted", "deleted docs", true, true},
                  {"creation.date", "cd", "index creation date (millisecond value)", false},
                  {"creation.date.string", "cds", "index creation date (as string)", false},
                  {"store.size", "ss,storeSize", "store size of primaries & replicas", true, true},
                  {"pri.store.size", "", "store size of primaries", true, true},
                  {"dataset.size", "", "total size of dataset", true, true},
                  {"segments.count", "sc,segmentsCount", "number of segments", false, true},
                  {"flush.total", "ft,flushTotal", "number of flushes", false, true},
                  {"refresh.total", "rto,refreshTotal", "total refreshes", false, true},
                  {"merges.total", "mt,mergesTotal", "number of completed merge ops", false, true},
                  {"indexing.index_total", "iito,indexingIndexTotal", "number of indexing ops", false, true},
                  {"get.total", "gto,getTotal", "number of get ops", false, true}});
  if (!rows) return table;
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, Options(request));
  TIERCEL_TRY_ASSIGN(const auto indices, context.engine.Stats(IndexExpression(request), options));
  for (const engine::IndexStats& index : indices) {
    const engine::IndexMetadata& metadata = *index.metadata;
    const ShardCounts counts = CountShards(metadata);
    const shard::ShardStats sum = SumStats(index.shards);
    const auto when_open = [&](CatCell cell) { return metadata.open ? std::move(cell) : Text(""); };
    table.AddRow(
        {Text(counts.status()), Text(metadata.open ? "open" : "close"), Text(metadata.name), Text(metadata.uuid),
         Number(metadata.settings.number_of_shards()), Number(metadata.settings.number_of_replicas()),
         when_open(Number(sum.docs)), when_open(Number(sum.deleted_docs)), Number(metadata.creation_date_ms),
         Text(IsoTime(metadata.creation_date_ms)), CatCell::Bytes(sum.store_bytes), CatCell::Bytes(sum.store_bytes),
         CatCell::Bytes(sum.store_bytes), Number(sum.segments), Number(sum.flush_total), Number(sum.refresh_total),
         Number(sum.merge_total), Number(sum.index_total), Number(sum.get_total)});
  }
  return table;
}

Result<CatTable> Count(const CatContext& context, const RestRequest& request, bool rows) {
  CatTable table({{"epoch", "t,time", "seconds since 1970-01-01 00:00:00"},
                  {"timestamp", "ts,hms,hhmmss", "time in HH:MM:SS"},
                  {"count", "dc,docs.count,docsCount", "the document count"}});
  if (!rows) return table;
  engine::SearchCall call;
  call.indices = IndexExpression(request);
  TIERCEL_TRY_ASSIGN(const engine::CountResult count, context.engine.Count(call));
  const int64_t now = context.clock.WallMs();
  table.AddRow({Number(now / 1000), Text(FormatTime(now, "%H:%M:%S")), Number(count.count)});
  return table;
}

Result<CatTable> Health(const CatContext& context, const RestRequest&, bool rows) {
  CatTable table(
      {{"epoch", "t,time", "seconds since 1970-01-01 00:00:00"},
       {"timestamp", "ts,hms,hhmmss", "time in HH:MM:SS"},
       {"cluster", "cl", "cluster name"},
       {"status", "st", "health status"},
       {"node.total", "nt,nodeTotal", "total number of nodes", true, true},
       {"node.data", "nd,nodeData", "number of nodes that can store data", true, true},
       {"shards", "t,sh,shards.total,shardsTotal", "total number of shards", true, true},
       {"pri", "p,shards.primary,shardsPrimary", "number of primary shards", true, true},
       {"relo", "r,shards.relocating,shardsRelocating", "number of relocating nodes", true, true},
       {"init", "i,shards.initializing,shardsInitializing", "number of initializing nodes", true, true},
       {"unassign", "u,shards.unassigned,shardsUnassigned", "number of unassigned shards", true, true},
       {"unassign.pri", "up,shards.unassigned.primary,shardsUnassignedPrimary", "number of unassigned primary shards",
        true, true},
       {"pending_tasks", "pt,pendingTasks", "number of pending tasks", true, true},
       {"max_task_wait_time", "mtwt,maxTaskWaitTime", "wait time of longest task pending", true, true},
       {"active_shards_percent", "asp,activeShardsPercent", "active number of shards in percent", true, true}});
  if (!rows) return table;
  TIERCEL_TRY_ASSIGN(const auto indices, context.engine.Resolve("", {.expand_closed = true, .expand_hidden = true}));
  const ShardCounts counts = CountShards(indices);
  const int64_t now = context.clock.WallMs();
  table.AddRow({Number(now / 1000), Text(FormatTime(now, "%H:%M:%S")), Text(context.node.cluster),
                Text(counts.status()), Number(1), Number(1), Number(counts.primaries), Number(counts.primaries),
                Number(0), Number(0), Number(counts.replicas), Number(0), Number(0), Text("-"),
                Text(Percent(counts.active_percent()))});
  return table;
}

Result<CatTable> Nodes(const CatContext& context, const RestRequest&, bool rows) {
  CatTable table(
      {{"id", "id,nodeId", "unique node id", false},
       {"pid", "p", "process id", false},
       {"ip", "i", "ip address"},
       {"http_address", "http", "bound http address", false},
       {"version", "v", "es version", false},
       {"heap.percent", "hp,heapPercent", "used heap ratio", true, true},
       {"ram.percent", "rp,ramPercent", "used machine memory ratio", true, true},
       {"cpu", "cpu", "recent cpu usage", true, true},
       {"load_1m", "l", "1m load avg", true, true},
       {"load_5m", "l", "5m load avg", true, true},
       {"load_15m", "l", "15m load avg", true, true},
       {"uptime", "u", "node uptime", false, true},
       {"node.role", "r,role,nodeRole", "m:master eligible node, d:data node, i:ingest node, -:coordinating node only"},
       {"master", "m", "*:current master"},
       {"name", "n", "node name"}});
  if (!rows) return table;
  const ProcessStats process = ReadProcessStats();
  const MachineStats machine = ReadMachineStats();
  const uint64_t total = std::max<uint64_t>(1, machine.memory_total_bytes);
  const auto load = [&](size_t i) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.2f", machine.load[i]);
    return Text(text.data());
  };
  table.AddRow({Text(context.node.id), Number(getpid()), Text(Ip(context)), Text(context.node.http_address()),
                Text(kReportedVersion), Number(process.resident_bytes * 100 / total),
                Number((total - machine.memory_available_bytes) * 100 / total), Number(0), load(0), load(1), load(2),
                CatCell::TimeMs(context.clock.WallMs() - context.node.started_ms), Text(kNodeRoles), Text("*"),
                Text(context.node.name)});
  return table;
}

Result<CatTable> Master(const CatContext& context, const RestRequest&, bool rows) {
  CatTable table(
      {{"id", "", "node id"}, {"host", "h", "host name"}, {"ip", "", "ip address"}, {"node", "n", "node name"}});
  if (rows) table.AddRow({Text(context.node.id), Text(Ip(context)), Text(Ip(context)), Text(context.node.name)});
  return table;
}

Result<CatTable> Shards(const CatContext& context, const RestRequest& request, bool rows) {
  CatTable table({{"index", "i,idx", "index name"},
                  {"shard", "s,sh", "shard name"},
                  {"prirep", "p,pr,primaryOrReplica", "primary or replica"},
                  {"state", "st", "shard state"},
                  {"docs", "d,dc", "number of docs in shard", true, true},
                  {"store", "sto", "store size of shard (how much disk it uses)", true, true},
                  {"dataset", "", "total size of dataset", true, true},
                  {"ip", "", "ip of node where it lives"},
                  {"id", "", "unique id of node where it lives", false},
                  {"node", "n", "name of node where it lives"}});
  if (!rows) return table;
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, Options(request));
  TIERCEL_TRY_ASSIGN(const auto indices, context.engine.Stats(IndexExpression(request), options));
  const std::string ip = Ip(context);
  for (const engine::IndexStats& index : indices) {
    for (size_t i = 0; i < index.shards.size(); ++i) {
      const shard::ShardStats& stats = index.shards[i];
      table.AddRow({Text(index.metadata->name), Text(std::to_string(i)), Text("p"), Text("STARTED"), Number(stats.docs),
                    CatCell::Bytes(stats.store_bytes), CatCell::Bytes(stats.store_bytes), Text(ip),
                    Text(context.node.id), Text(context.node.name)});
      for (uint32_t replica = 0; replica < index.metadata->settings.number_of_replicas(); ++replica) {
        table.AddRow({Text(index.metadata->name), Text(std::to_string(i)), Text("r"), Text("UNASSIGNED"), Text(""),
                      Text(""), Text(""), Text(""), Text(""), Text("")});
      }
    }
  }
  return table;
}

Result<CatTable> Segments(const CatContext& context, const RestRequest& request, bool rows) {
  CatTable table({{"index", "i,idx", "index name"},
                  {"shard", "s,sh", "shard name"},
                  {"prirep", "p,pr,primaryOrReplica", "primary or replica"},
                  {"ip", "", "ip of node where it lives"},
                  {"id", "", "unique id of node where it lives", false},
                  {"segment", "seg", "segment name"},
                  {"generation", "g,gen", "segment generation", true, true},
                  {"docs.count", "dc,docsCount", "number of docs in segment", true, true},
                  {"docs.deleted", "dd,docsDeleted", "number of deleted docs in segment", true, true},
                  {"size", "si", "segment size in bytes", true, true},
                  {"size.memory", "sm,sizeMemory", "segment memory in bytes", true, true},
                  {"committed", "ic,isCommitted", "is segment committed"},
                  {"searchable", "is,isSearchable", "is segment searched"},
                  {"version", "v,ver", "version"},
                  {"compound", "ico,isCompound", "is segment compound"}});
  if (!rows) return table;
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, Options(request));
  TIERCEL_TRY_ASSIGN(const auto indices, context.engine.Segments(IndexExpression(request), options));
  const auto flag = [](bool value) { return Text(value ? "true" : "false"); };
  for (const engine::IndexSegments& index : indices) {
    for (size_t i = 0; i < index.shards.size(); ++i) {
      for (size_t number = 0; number < index.shards[i].size(); ++number) {
        const shard::Shard::SegmentStatus& segment = index.shards[i][number];
        table.AddRow({Text(index.metadata->name), Text(std::to_string(i)), Text("p"), Text(Ip(context)),
                      Text(context.node.id), Text(segment.name), Number(number), Number(segment.docs),
                      Number(segment.deleted), CatCell::Bytes(segment.bytes), Number(0), flag(segment.committed),
                      flag(segment.search), Text(kLuceneVersion), flag(true)});
      }
    }
  }
  return table;
}

Result<CatTable> Aliases(const CatContext& context, const RestRequest& request, bool rows) {
  CatTable table({{"alias", "a", "alias name"},
                  {"index", "i,idx", "index alias points to"},
                  {"filter", "f,fi", "filter"},
                  {"routing.index", "ri,routingIndex", "index routing"},
                  {"routing.search", "rs,routingSearch", "search routing"},
                  {"is_write_index", "w,isWriteIndex", "write index"}});
  if (!rows) return table;
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, Options(request));
  std::vector<std::string> missing;
  TIERCEL_TRY_ASSIGN(const auto found, context.engine.GetAliases("", request.GetOr("name", ""), options, &missing));
  for (const engine::AliasesOf& of : found) {
    for (const auto& [name, alias] : of.aliases) {
      const std::string write = alias.is_write_index ? (*alias.is_write_index ? "true" : "false") : "-";
      table.AddRow({Text(name), Text(of.metadata->name), Text(alias.filter_json ? "*" : "-"),
                    Text(alias.index_routing.value_or("-")), Text(alias.search_routing.value_or("-")), Text(write)});
    }
  }
  return table;
}

Result<CatTable> Templates(const CatContext&, const RestRequest&, bool) {
  return CatTable({{"name", "n", "template name"},
                   {"index_patterns", "t", "template index patterns"},
                   {"order", "o,p", "template application order/priority number"},
                   {"version", "v", "version"},
                   {"composed_of", "c", "component templates comprising index template"}});
}

Result<CatTable> Plugins(const CatContext&, const RestRequest&, bool) {
  return CatTable({{"name", "n", "node name"}, {"component", "c", "component"}, {"version", "v", "component version"}});
}

Result<CatTable> PendingTasks(const CatContext&, const RestRequest&, bool) {
  return CatTable({{"insertOrder", "o", "task insertion order", true, true},
                   {"timeInQueue", "t", "how long task has been in queue", true, true},
                   {"priority", "p", "task priority"},
                   {"source", "s", "task source"}});
}

struct CatRoute {
  const char* pattern;
  CatFunction function;
};
constexpr CatRoute kRoutes[] = {{"/_cat/aliases", Aliases},
                                {"/_cat/aliases/{name}", Aliases},
                                {"/_cat/count", Count},
                                {"/_cat/count/{index}", Count},
                                {"/_cat/health", Health},
                                {"/_cat/indices", Indices},
                                {"/_cat/indices/{index}", Indices},
                                {"/_cat/master", Master},
                                {"/_cat/nodes", Nodes},
                                {"/_cat/pending_tasks", PendingTasks},
                                {"/_cat/plugins", Plugins},
                                {"/_cat/segments", Segments},
                                {"/_cat/segments/{index}", Segments},
                                {"/_cat/shards", Shards},
                                {"/_cat/shards/{index}", Shards},
                                {"/_cat/templates", Templates}};

Result<RestResponse> Help(const RestRequest&) {
  std::string body = "=^.^=\n";
  for (const CatRoute& route : kRoutes) body.append(route.pattern).append("\n");
  return RestResponse::Text(std::move(body));
}

}  // namespace

void AddCatRoutes(Router& router, Engine& engine, const NodeInfo& node, const Clock& clock) {
  const auto context = std::make_shared<CatContext>(CatContext{engine, node, clock});
  const auto parameters =
      Parameters({"index", "health", "pri", "full_id", "include_unloaded_segments", "include_bootstrap"},
                 {kCatParameters, kIndicesParameters});
  router.Add({.method = HttpMethod::kGet, .pattern = "/_cat", .parameters = Parameters({"help"}), .handler = Help});
  for (const CatRoute& route : kRoutes) {
    router.Add({.method = HttpMethod::kGet,
                .pattern = route.pattern,
                .parameters = parameters,
                .handler = [context, function = route.function](const RestRequest& request) -> Result<RestResponse> {
                  TIERCEL_TRY_ASSIGN(const bool help, request.Bool("help", false));
                  TIERCEL_TRY_ASSIGN(CatTable table, function(*context, request, !help));
                  return help ? Result<RestResponse>(table.Help()) : table.Render(request);
                }});
  }
}

}  // namespace tiercel::server
