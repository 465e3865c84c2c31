// HttpConnection and HttpLoop: the insides of HttpServer. Private to http_*.cc: it pulls in Asio.
//
// A connection's state machine (all on its loop's thread; only the handler call may run elsewhere):
//
//   kIdle ──first byte──▶ kHeader ──header──▶ kBody ──last byte──▶ kHandling ──answer──▶ kWriting ──▶ kIdle
//                            └──── refused ────┴────────────────────────────────────────▶ kWriting ──▶ kLingering ──▶
//                            closed
//
//   C1  At most one asynchronous read or write of the stream is outstanding.
//   C2  The request belongs to the handler in kHandling and to the loop otherwise.
//   C3  A connection is in its loop's list from Start until Close, and closed once.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tiercel/server/http_request_parser.h"
#include "tiercel/server/http_server.h"

namespace tiercel::server {

namespace asio = boost::asio;
// The concrete executor saves a virtual call and an allocation per operation over the type-erased default.
using IoExecutor = asio::io_context::executor_type;
using IoSocket = asio::basic_stream_socket<asio::ip::tcp, IoExecutor>;
using IoAcceptor = asio::basic_socket_acceptor<asio::ip::tcp, IoExecutor>;

// What all loops of a server share.
struct HttpShared {
  HttpServerOptions options;
  HttpHandler* handler;
  HttpServer::Executor executor;
  runtime::CircuitBreaker* in_flight;
  const Clock* clock;
  std::atomic<uint64_t> connections_open{0}, connections_total{0}, connections_refused{0}, connections_timed_out{0};
  std::atomic<int64_t> handlers_running{0};
  std::atomic<uint64_t> requests{0}, requests_refused{0}, bytes_in{0}, bytes_out{0};
};

class HttpConnection;

class HttpLoop {
 public:
  HttpLoop(HttpShared& shared, int number);
  // Opens this loop's listening socket; returns the port.
  Result<uint16_t> Listen(const asio::ip::tcp::endpoint& endpoint, bool check_free);
  void StartThread();
  void BeginShutdown();
  void CloseAll();
  void Join();
  bool drained() const { return connection_count_.load() == 0; }

 private:
  friend class HttpConnection;
  void Accept();
  void Accepted(IoSocket socket);
  void Tick();
  void Add(std::shared_ptr<HttpConnection> connection);
  void Remove(HttpConnection& connection);

  HttpShared& shared_;
  const int number_;
  asio::io_context context_{1};
  IoAcceptor acceptor_{context_};
  asio::steady_timer timer_{context_};
  std::vector<std::shared_ptr<HttpConnection>> connections_;
  std::atomic<size_t> connection_count_{0};
  bool shutting_down_ = false;
  bool accept_paused_ = false;
  std::thread thread_;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpLoop& loop, IoSocket socket);

  void Start();
  void CheckDeadline(int64_t now_ms);
  // Closes now when idle, after the current answer otherwise.
  void BeginShutdown();
  void Close();

 private:
  friend class HttpLoop;
  enum class Phase { kIdle, kHeader, kBody, kHandling, kWriting, kLingering, kClosed };

  void Read();
  void Advance();
  // What to do after one step of the parser: feed it again, read, dispatch, or nothing (an answer or a 100 is being
  // written).
  enum class Step { kAgain, kNeedBytes, kComplete, kElsewhere };
  Step AdvanceParser();
  Step OnHeader();
  bool ChargeBody(uint64_t bytes);
  void SendContinue();
  void Dispatch();
  void DispatchToExecutor();
  static void Work(std::shared_ptr<HttpConnection> self);
  void WatchForReset();
  void Fail(const Status& why, int http_status);
  Status DecodeBody();
  void Finish(HttpResponse& response) const;
  void Write(HttpResponse response, bool linger);
  void Written(bool linger);
  void Linger();
  void NextRequest();
  int64_t NowMs() const { return shared_.clock->MonotonicMs(); }
  int64_t TransferMs(uint64_t bytes) const;

  HttpLoop& loop_;
  HttpShared& shared_;
  IoSocket socket_;
  size_t slot_ = 0;  // in the loop's list
  Phase phase_ = Phase::kIdle;
  bool shutting_down_ = false;
  int64_t deadline_ms_ = INT64_MAX;
  int64_t body_start_ms_ = 0;
  HttpRequestParser parser_;
  HttpRequest request_;
  std::string buffer_;  // bytes [begin_, end_) are unread
  size_t begin_ = 0, end_ = 0;
  std::string head_, body_;  // of the answer being written
  uint64_t lingered_ = 0;
};

}  // namespace tiercel::server
