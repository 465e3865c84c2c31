#include "tiercel/server/server.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "tiercel/base/clock.h"
#include "tiercel/base/random.h"
#include "tiercel/engine/engine.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/server/http_server.h"
#include "tiercel/server/metrics.h"
#include "tiercel/server/node_identity.h"
#include "tiercel/server/process_stats.h"
#include "tiercel/server/rest_dispatcher.h"
#include "tiercel/server/routes.h"
#include "tiercel/server/stats_body.h"
#include "tiercel/store/directory_store.h"

namespace tiercel::server {
namespace {

constexpr size_t kPoolQueue = 1000;

unsigned Processors() { return std::max(1u, std::thread::hardware_concurrency()); }

void DescribeBreaker(const runtime::CircuitBreaker& breaker, MetricsPage& page) {
  const MetricLabels labels = {{"breaker", breaker.name()}};
  page.Gauge("tiercel_breaker_used_bytes", "Bytes charged to a circuit breaker",
             static_cast<double>(breaker.used_bytes()), labels);
  page.Gauge("tiercel_breaker_limit_bytes", "Limit of a circuit breaker", static_cast<double>(breaker.limit_bytes()),
             labels);
  page.Counter("tiercel_breaker_tripped_total", "Charges a circuit breaker refused",
               static_cast<double>(breaker.tripped()), labels);
}

void DescribeHttp(const HttpServerStats& stats, MetricsPage& page) {
  page.Gauge("tiercel_http_connections", "Open connections", static_cast<double>(stats.connections_open));
  page.Counter("tiercel_http_connections_total", "Connections accepted", static_cast<double>(stats.connections_total));
  page.Counter("tiercel_http_connections_refused_total", "Connections over the limit",
               static_cast<double>(stats.connections_refused));
  page.Counter("tiercel_http_connections_timed_out_total", "Connections closed for slowness or idleness",
               static_cast<double>(stats.connections_timed_out));
  page.Counter("tiercel_http_refused_total", "Requests refused by the transport",
               static_cast<double>(stats.requests_refused));
  page.Counter("tiercel_http_received_bytes_total", "Bytes received", static_cast<double>(stats.bytes_in));
  page.Counter("tiercel_http_sent_bytes_total", "Bytes sent", static_cast<double>(stats.bytes_out));
}

void DescribePool(const runtime::ThreadPool& pool, MetricsPage& page) {
  const MetricLabels labels = {{"pool", pool.name()}};
  page.Gauge("tiercel_pool_queued", "Tasks waiting for a thread", static_cast<double>(pool.queued()), labels);
  page.Counter("tiercel_pool_completed_total", "Tasks done", static_cast<double>(pool.completed()), labels);
  page.Counter("tiercel_pool_rejected_total", "Tasks refused because the queue was full",
               static_cast<double>(pool.rejected()), labels);
}

void DescribeProcess(MetricsPage& page) {
  const ProcessStats process = ReadProcessStats();
  page.Gauge("tiercel_process_resident_bytes", "Resident memory", static_cast<double>(process.resident_bytes));
  page.Gauge("tiercel_process_open_files", "Open file descriptors", static_cast<double>(process.open_files));
  page.Gauge("tiercel_process_threads", "Threads", static_cast<double>(process.threads));
  page.Counter("tiercel_process_cpu_seconds_total", "Processor time used", static_cast<double>(process.cpu_ms) / 1000);
}

void DescribeEngine(const engine::Engine& engine, MetricsPage& page) {
  const auto indices = engine.Stats("", {.expand_hidden = true});
  if (!indices.ok()) return;
  for (const engine::IndexStats& index : *indices) {
    const shard::ShardStats sum = SumStats(index.shards);
    const MetricLabels labels = {{"index", index.metadata->name}};
    page.Gauge("tiercel_index_docs", "Live documents", static_cast<double>(sum.docs), labels);
    page.Gauge("tiercel_index_deleted_docs", "Deleted documents not merged away", static_cast<double>(sum.deleted_docs),
               labels);
    page.Gauge("tiercel_index_segments", "Segments", static_cast<double>(sum.segments), labels);
    page.Gauge("tiercel_index_store_bytes", "Bytes in the store", static_cast<double>(sum.store_bytes), labels);
    page.Gauge("tiercel_index_buffer_bytes", "Bytes in write buffers", static_cast<double>(sum.buffer_bytes), labels);
    page.Gauge("tiercel_index_log_bytes", "Bytes of the log not yet in segments", static_cast<double>(sum.log_bytes),
               labels);
    page.Counter("tiercel_index_operations_total", "Documents written", static_cast<double>(sum.index_total), labels);
    page.Counter("tiercel_index_merges_total", "Merges done", static_cast<double>(sum.merge_total), labels);
  }
}

}  // namespace

// Destroyed from the bottom up: the HTTP server goes before what its handlers use.
struct Server::State {
  State(const ServerConfig& server_config, Log& server_log)
      : config(server_config),
        log(server_log),
        budget(config.memory_bytes != 0 ? config.memory_bytes : runtime::MemoryBudget::PhysicalMemoryBytes()) {}

  const ServerConfig config;
  Log& log;
  runtime::MemoryBudget budget;
  std::unique_ptr<store::DirectoryStore> store;
  std::unique_ptr<NodeInfo> node;
  std::unique_ptr<runtime::ThreadPool> search_pool, write_pool, merge_pool;
  std::unique_ptr<engine::Engine> engine;
  Router router;
  std::unique_ptr<RestDispatcher> dispatcher;
  std::unique_ptr<runtime::ThreadPool> workers;
  std::unique_ptr<HttpServer> http;
  bool stopped = false;

  Status OpenStore();
  Status OpenEngine();
  void AddRoutes();
  void Describe(MetricsPage& page);
  Status Listen();
};

Status Server::State::OpenStore() {
  TIERCEL_TRY_ASSIGN(store, store::DirectoryStore::Open(config.data_path));
  Random random = Random::FromEntropy();
  TIERCEL_TRY_ASSIGN(const NodeIdentity identity, NodeIdentity::Load(*store, random));
  node = std::make_unique<NodeInfo>(config.node_name, identity.node_id, config.cluster_name, identity.cluster_uuid,
                                    Clock::System().WallMs());
  node->content_length_max = config.http.limits.content_length_max;
  return {};
}

Status Server::State::OpenEngine() {
  search_pool = std::make_unique<runtime::ThreadPool>("search", Processors(), kPoolQueue);
  write_pool = std::make_unique<runtime::ThreadPool>("write", Processors(), kPoolQueue);
  merge_pool = std::make_unique<runtime::ThreadPool>("merge", std::max(1u, Processors() / 2), kPoolQueue);
  TIERCEL_TRY_ASSIGN(engine, engine::Engine::Open({.store = store.get(),
                                                   .search_pool = search_pool.get(),
                                                   .write_pool = write_pool.get(),
                                                   .merge_pool = merge_pool.get(),
                                                   .budget = &budget,
                                                   .clock = &Clock::System()}));
  return {};
}

void Server::State::AddRoutes() {
  const Clock& clock = Clock::System();
  AddRootRoutes(router, *node);
  AddMetricsRoutes(router, {[this](MetricsPage& page) { Describe(page); }});
  AddDocumentRoutes(router, *engine);
  AddBulkRoutes(router, *engine);
  AddSearchRoutes(router, *engine);
  AddIndexRoutes(router, *engine);
  AddAliasRoutes(router, *engine);
  AddMaintenanceRoutes(router, *engine);
  AddStatsRoutes(router, *engine, *node);
  AddClusterRoutes(router, *engine, *node, clock);
  AddNodesRoutes(router, *engine, *node, clock, config.data_path, budget);
  AddCatRoutes(router, *engine, *node, clock);
  AddAnalyzeRoutes(router, *engine);
}

void Server::State::Describe(MetricsPage& page) {
  dispatcher->Describe(page);
  for (const runtime::CircuitBreaker* breaker :
       {&budget.parent(), &budget.request(), &budget.in_flight(), &budget.indexing()}) {
    DescribeBreaker(*breaker, page);
  }
  if (http) DescribeHttp(http->stats(), page);
  for (const auto* pool : {&workers, &search_pool, &write_pool, &merge_pool}) DescribePool(**pool, page);
  DescribeEngine(*engine, page);
  DescribeProcess(page);
}

Status Server::State::Listen() {
  HttpServerOptions options = config.http;
  options.io_threads = config.http_threads != 0 ? config.http_threads : std::min(4u, Processors());
  const auto execute = [this](std::function<void()> task) { return workers->Submit(std::move(task)); };
  TIERCEL_TRY_ASSIGN(http, HttpServer::Start(std::move(options), *dispatcher, execute, &budget.in_flight()));
  node->set_http_address(http->address());
  return {};
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Server>> Server::Start(const ServerConfig& config, Log& log) {
  auto state = std::make_unique<State>(config, log);
  TIERCEL_TRY(state->OpenStore());
  TIERCEL_TRY(state->OpenEngine());
  const unsigned workers = config.worker_threads != 0 ? config.worker_threads : std::max(4u, Processors() + 1);
  state->workers = std::make_unique<runtime::ThreadPool>("rest", workers, config.worker_queue);
  state->AddRoutes();
  state->dispatcher = std::make_unique<RestDispatcher>(state->router, Clock::System());
  TIERCEL_TRY(state->Listen());
  std::unique_ptr<Server> server(new Server(std::move(state)));
  log.Info("listening", {{"url", server->url()}, {"data", config.data_path}, {"node", config.node_name}});
  return server;
}

Server::~Server() { Stop(); }

std::string Server::url() const { return "http://" + state_->http->address(); }

void Server::Stop() {
  if (std::exchange(state_->stopped, true)) return;
  state_->http->Stop(state_->config.shutdown_grace_ms);
  state_->workers.reset();
  if (state_->engine) {
    const Status closed = state_->engine->Close();
    if (!closed.ok()) state_->log.Warn("not flushed: the next start replays the log", {{"error", closed.ToString()}});
  }
  state_->engine.reset();
}

}  // namespace tiercel::server
