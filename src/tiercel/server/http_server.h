// HttpServer: HTTP/1.1 over TCP: connections, limits and time-outs. What requests mean is the HttpHandler's business.
//
// Every I/O thread has its own event loop and its own listening socket on the same port (SO_REUSEPORT), so a connection
// lives on one thread and needs no lock. A request is answered on that thread when the handler says that it is cheap,
// and on the executor otherwise. One request of a connection is worked on at a time: pipelined ones wait in its buffer
// and are answered in order. docs/design/http.md has the reasons.
//
// Time-outs: a whole header must arrive within header_timeout_ms of its first byte; bodies and answers get a base time
// plus what transfer_rate_min allows for their size, so a trickle does not hold a connection for ever. They are looked
// at every tick_ms. Idle keep-alive connections live for idle_timeout_ms.
//
// Thread safety: all methods from any thread; Stop once. Lifetime: handler, executor's pool, breaker and clock outlive
// the server; the destructor stops it. Memory: one 4 KiB buffer per idle connection; bodies are charged to the breaker.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tiercel/base/clock.h"
#include "tiercel/base/result.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/server/http_message.h"
#include "tiercel/server/http_request_parser.h"

namespace tiercel::server {

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Answers at once if that is cheap enough for an I/O thread: no waiting, well under a millisecond. Otherwise nothing,
  // and Handle is called on the executor.
  virtual std::optional<HttpResponse> TryInline(HttpRequest& request) = 0;
  virtual HttpResponse Handle(HttpRequest& request) = 0;
  // The answer to a request that the transport itself refuses; the request may be half read.
  virtual HttpResponse Refuse(const HttpRequest& request, const Status& why, int http_status) = 0;
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // address or name to listen on
  uint16_t port = 0;               // 0: any free one
  unsigned io_threads = 2;
  HttpParserLimits limits;
  uint32_t connections_max = 10000;  // further ones are answered 503 and closed
  int64_t idle_timeout_ms = 15 * 60 * 1000;
  int64_t header_timeout_ms = 30 * 1000;
  int64_t body_timeout_ms = 30 * 1000;
  int64_t write_timeout_ms = 30 * 1000;
  uint64_t transfer_rate_min = 16 << 10;  // bytes a second
  int64_t tick_ms = 500;
  size_t compress_min_bytes = 1024;  // smaller answers are not worth compressing
};

struct HttpServerStats {
  uint64_t connections_open = 0, connections_total = 0, connections_refused = 0, connections_timed_out = 0;
  uint64_t requests = 0, requests_refused = 0, bytes_in = 0, bytes_out = 0;
};

class HttpServer {
 public:
  using Executor = std::function<Status(std::function<void()>)>;

  // Listens and serves. Unavailable when the address cannot be bound (somebody else's port, no such address).
  // `in_flight` may be null.
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, HttpHandler& handler, Executor executor,
                                                   runtime::CircuitBreaker* in_flight,
                                                   const Clock& clock = Clock::System());
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;
  std::string address() const;  // "127.0.0.1:9200"
  HttpServerStats stats() const;

  // Accepts nothing more, closes idle connections, lets requests in progress finish and be answered for up to
  // `grace_ms`, then closes what is left. Returns when no handler is running any more.
  void Stop(int64_t grace_ms);

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::server
