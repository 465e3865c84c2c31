#include "tiercel/server/http_server.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "tiercel/server/http_connection.h"

namespace tiercel::server {

using boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr int kBacklog = 1024;
constexpr std::string_view kTooManyConnections =
    "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\nretry-after: 1\r\n\r\n";

Status BindError(const tcp::endpoint& endpoint, const error_code& error) {
  return Unavailable("cannot listen on " + endpoint.address().to_string() + ":" + std::to_string(endpoint.port()) +
                     ": " + error.message());
}

Result<tcp::endpoint> Resolve(const std::string& host, uint16_t port) {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (!error) return tcp::endpoint(address, port);
  asio::io_context context;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty()) return InvalidArgument("cannot resolve host [" + host + "]: " + error.message());
  return found.begin()->endpoint();
}

}  // namespace

// ---- HttpLoop ----

HttpLoop::HttpLoop(HttpShared& shared, int number) : shared_(shared), number_(number) {}

Result<uint16_t> HttpLoop::Listen(const tcp::endpoint& endpoint, bool check_free) {
  error_code error;
  if (check_free) {
    // SO_REUSEPORT alone would let a second server of the same user share the port and take half of the connections.
    IoAcceptor probe(context_, endpoint.protocol());
    probe.set_option(tcp::acceptor::reuse_address(true), error);
    probe.bind(endpoint, error);
    if (!error) probe.listen(1, error);
    if (error) return BindError(endpoint, error);
  }
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.set_option(ReusePort(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (error) return BindError(endpoint, error);
  return acceptor_.local_endpoint().port();
}

void HttpLoop::StartThread() {
  Accept();
  Tick();
  thread_ = std::thread([this]() noexcept {
    pthread_setname_np(pthread_self(), ("http-" + std::to_string(number_)).c_str());
    context_.run();
  });
}

void HttpLoop::Accept() {
  acceptor_.async_accept(context_, [this](const error_code& error, IoSocket socket) {
    if (shutting_down_ || error == asio::error::operation_aborted) return;
    if (error) {  // no descriptor left, mostly: try again at the next tick instead of spinning
      accept_paused_ = true;
      return;
    }
    Accepted(std::move(socket));
    Accept();
  });
}

void HttpLoop::Accepted(IoSocket socket) {
  shared_.connections_total.fetch_add(1, std::memory_order_relaxed);
  if (shared_.connections_open.load(std::memory_order_relaxed) >= shared_.options.connections_max) {
    shared_.connections_refused.fetch_add(1, std::memory_order_relaxed);
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(kTooManyConnections), ignored);
    return;
  }
  auto connection = std::make_shared<HttpConnection>(*this, std::move(socket));
  Add(connection);
  connection->Start();
}

void HttpLoop::Tick() {
  timer_.expires_after(std::chrono::milliseconds(shared_.options.tick_ms));
  timer_.async_wait([this](const error_code& error) {
    if (error) return;
    const int64_t now_ms = shared_.clock->MonotonicMs();
    for (size_t i = connections_.size(); i-- > 0;) {  // from the end: closing moves the last one into the gap
      const std::shared_ptr<HttpConnection> connection = connections_[i];
      connection->CheckDeadline(now_ms);
    }
    if (std::exchange(accept_paused_, false) && !shutting_down_) Accept();
    Tick();
  });
}

void HttpLoop::Add(std::shared_ptr<HttpConnection> connection) {
  connection->slot_ = connections_.size();
  connections_.push_back(std::move(connection));
  connection_count_.fetch_add(1);
  shared_.connections_open.fetch_add(1, std::memory_order_relaxed);
}

void HttpLoop::Remove(HttpConnection& connection) {
  const size_t slot = connection.slot_;
  connections_.back()->slot_ = slot;
  std::swap(connections_[slot], connections_.back());
  connections_.pop_back();
  connection_count_.fetch_sub(1);
  shared_.connections_open.fetch_sub(1, std::memory_order_relaxed);
}

void HttpLoop::BeginShutdown() {
  asio::post(context_, [this] {
    shutting_down_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (size_t i = connections_.size(); i-- > 0;) {
      const std::shared_ptr<HttpConnection> connection = connections_[i];
      connection->BeginShutdown();
    }
  });
}

void HttpLoop::CloseAll() {
  asio::post(context_, [this] {
    for (size_t i = connections_.size(); i-- > 0;) {
      const std::shared_ptr<HttpConnection> connection = connections_[i];
      connection->Close();
    }
  });
}

void HttpLoop::Join() {
  if (!thread_.joinable()) return;
  context_.stop();
  thread_.join();
}

// ---- HttpServer ----

struct HttpServer::State {
  HttpShared shared;
  std::vector<std::unique_ptr<HttpLoop>> loops;
  tcp::endpoint endpoint;
  bool stopped = false;

  bool Drained() const {
    for (const auto& loop : loops) {
      if (!loop->drained()) return false;
    }
    return true;
  }
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options, HttpHandler& handler,
                                                      Executor executor, runtime::CircuitBreaker* in_flight,
                                                      const Clock& clock) {
  TIERCEL_TRY_ASSIGN(tcp::endpoint endpoint, Resolve(options.host, options.port));
  auto state = std::make_unique<State>();
  state->shared.options = std::move(options);
  state->shared.handler = &handler;
  state->shared.executor = std::move(executor);
  state->shared.in_flight = in_flight;
  state->shared.clock = &clock;
  const unsigned threads = std::max(1u, state->shared.options.io_threads);
  for (unsigned i = 0; i < threads; ++i) {
    auto loop = std::make_unique<HttpLoop>(state->shared, static_cast<int>(i));
    TIERCEL_TRY_ASSIGN(const uint16_t port, loop->Listen(endpoint, i == 0 && endpoint.port() != 0));
    endpoint.port(port);
    state->loops.push_back(std::move(loop));
  }
  state->endpoint = endpoint;
  for (auto& loop : state->loops) loop->StartThread();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::~HttpServer() { Stop(0); }

uint16_t HttpServer::port() const { return state_->endpoint.port(); }

std::string HttpServer::address() const {
  const std::string host = state_->endpoint.address().to_string();
  return (state_->endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port());
}

HttpServerStats HttpServer::stats() const {
  const HttpShared& s = state_->shared;
  const auto get = [](const std::atomic<uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  return {get(s.connections_open),
          get(s.connections_total),
          get(s.connections_refused),
          get(s.connections_timed_out),
          get(s.requests),
          get(s.requests_refused),
          get(s.bytes_in),
          get(s.bytes_out)};
}

void HttpServer::Stop(int64_t grace_ms) {
  if (std::exchange(state_->stopped, true)) return;
  for (auto& loop : state_->loops) loop->BeginShutdown();
  using std::chrono::milliseconds;
  const auto give_up = std::chrono::steady_clock::now() + milliseconds(grace_ms);
  while (!state_->Drained() && std::chrono::steady_clock::now() < give_up) std::this_thread::sleep_for(milliseconds(5));
  for (auto& loop : state_->loops) loop->CloseAll();
  // A handler that still runs refers to us: only its end makes it safe to go.
  while (!state_->Drained() || state_->shared.handlers_running.load() > 0) std::this_thread::sleep_for(milliseconds(5));
  for (auto& loop : state_->loops) loop->Join();
}

}  // namespace tiercel::server
