#include "tiercel/server/server.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "tiercel/base/clock.h"
#include "tiercel/base/random.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/server/data_directory.h"
#include "tiercel/server/http_server.h"
#include "tiercel/server/metrics.h"
#include "tiercel/server/rest_dispatcher.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

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

}  // namespace

// Destroyed from the bottom up: the HTTP server goes before what its handlers use.
struct Server::State {
  State(DataDirectory data_directory, const ServerConfig& server_config)
      : config(server_config),
        directory(std::move(data_directory)),
        budget(config.memory_bytes != 0 ? config.memory_bytes : runtime::MemoryBudget::PhysicalMemoryBytes()),
        node(config.node_name, directory.node_id(), config.cluster_name, directory.cluster_uuid(),
             Clock::System().WallMs()) {}

  const ServerConfig config;
  DataDirectory directory;
  runtime::MemoryBudget budget;
  NodeInfo node;
  Router router;
  std::unique_ptr<RestDispatcher> dispatcher;
  std::unique_ptr<runtime::ThreadPool> workers;
  std::unique_ptr<HttpServer> http;
  bool stopped = false;

  void AddRoutes();
  void Describe(MetricsPage& page) const;
  Status Listen();
};

void Server::State::AddRoutes() {
  AddRootRoutes(router, node);
  AddMetricsRoutes(router, {[this](MetricsPage& page) { Describe(page); }});
}

void Server::State::Describe(MetricsPage& page) const {
  dispatcher->Describe(page);
  auto& breakers = const_cast<runtime::MemoryBudget&>(budget);
  for (const runtime::CircuitBreaker* breaker :
       {&breakers.parent(), &breakers.request(), &breakers.in_flight(), &breakers.indexing()}) {
    DescribeBreaker(*breaker, page);
  }
  DescribeHttp(http->stats(), page);
  DescribePool(*workers, page);
}

Status Server::State::Listen() {
  HttpServerOptions options = config.http;
  options.io_threads = config.http_threads != 0 ? config.http_threads : std::min(4u, Processors());
  const auto execute = [this](std::function<void()> task) { return workers->Submit(std::move(task)); };
  TIERCEL_TRY_ASSIGN(http, HttpServer::Start(std::move(options), *dispatcher, execute, &budget.in_flight()));
  node.set_http_address(http->address());
  return {};
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Server>> Server::Start(const ServerConfig& config, Log& log) {
  Random random = Random::FromEntropy();
  TIERCEL_TRY_ASSIGN(DataDirectory directory, DataDirectory::Open(config.data_path, random));
  auto state = std::make_unique<State>(std::move(directory), config);
  state->node.content_length_max = config.http.limits.content_length_max;
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
}

}  // namespace tiercel::server
