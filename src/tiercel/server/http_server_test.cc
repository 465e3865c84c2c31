#include "tiercel/server/http_server.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <thread>

#include "tiercel/runtime/thread_pool.h"
#include "tiercel/server/http_compression.h"
#include "tiercel/server/raw_client_test.h"

namespace tiercel::server {
namespace {

// Echoes "METHOD target body". /inline is answered on the I/O thread; /wait waits for Release; /big answers with a
// megabyte.
class EchoHandler final : public HttpHandler {
 public:
  std::optional<HttpResponse> TryInline(HttpRequest& request) override {
    if (!request.target.starts_with("/inline")) return std::nullopt;
    return Handle(request);
  }
  HttpResponse Handle(HttpRequest& request) override {
    if (request.target == "/wait") {
      started.count_down();
      release.wait();
    }
    if (request.target == "/until-cancelled") {
      started.count_down();
      while (!request.cancellation->Cancelled()) std::this_thread::yield();
      cancelled.count_down();
    }
    HttpResponse response;
    response.body = std::string(request.method_name()) + " " + request.target + " " + request.body;
    if (request.target == "/big") response.body.assign(1 << 20, 'x');
    return response;
  }
  HttpResponse Refuse(const HttpRequest&, const Status& why, int http_status) override {
    HttpResponse response;
    response.status = http_status;
    response.body = std::string(why.type()) + ": " + why.message();
    return response;
  }
  std::latch started{1}, release{1}, cancelled{1};
};

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(HttpServerOptions options = {}, size_t queue = 100) {
    options.tick_ms = 2;
    options.io_threads = 1;
    pool_ = std::make_unique<runtime::ThreadPool>("test", 2, queue);
    auto started = HttpServer::Start(
        options, handler_, [this](std::function<void()> task) { return pool_->Submit(std::move(task)); },
        &budget_.in_flight(), clock_);
    ASSERT_TRUE(started.ok()) << started.error().ToString();
    server_ = std::move(started).value();
  }
  RawClient Connect() {
    RawClient client(server_->port());
    EXPECT_TRUE(client.connected());
    return client;
  }
  // Waits for something that another thread does; the test's own time limit is its bound.
  template <typename Condition>
  void Await(Condition condition) {
    while (!condition()) std::this_thread::yield();
  }

  FakeClock clock_;
  runtime::MemoryBudget budget_{64 << 20};
  EchoHandler handler_;
  std::unique_ptr<runtime::ThreadPool> pool_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersOnBothPathsOverOneConnection) {
  Start();
  RawClient client = Connect();
  for (const char* target : {"/inline", "/pool", "/inline", "/pool"}) {
    client.Send("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto answer = client.Receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET " + std::string(target) + " ");
  }
  EXPECT_EQ(server_->stats().connections_total, 1u);
  EXPECT_EQ(server_->stats().requests, 4u);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  Start();
  RawClient client = Connect();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += "GET " + std::string(i % 3 == 0 ? "/pool/" : "/inline/") + std::to_string(i) + " HTTP/1.1\r\n\r\n";
  client.Send(all);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.Receive().body,
              "GET " + std::string(i % 3 == 0 ? "/pool/" : "/inline/") + std::to_string(i) + " ");
  }
}

TEST_F(HttpServerTest, TakesARequestByteByByte) {
  Start();
  RawClient client = Connect();
  for (const char byte : std::string("POST /inline HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"))
    client.Send({&byte, 1});
  EXPECT_EQ(client.Receive().body, "POST /inline hello");
}

TEST_F(HttpServerTest, ReadsChunkedBodies) {
  Start();
  RawClient client = Connect();
  client.Send("POST /pool HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;ext=1\r\n \r\n");
  client.Send("5\r\nworld\r\n0\r\nTrailer: x\r\n\r\nGET /inline HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "POST /pool hello world");
  EXPECT_EQ(client.Receive().body, "GET /inline ");
}

TEST_F(HttpServerTest, SendsOnlyTheHeadForHead) {
  Start();
  RawClient client = Connect();
  client.Send("HEAD /inline HTTP/1.1\r\n\r\nGET /inline HTTP/1.1\r\n\r\n");
  const auto head = client.Receive(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.Header("content-length"), "13");
  EXPECT_EQ(client.Receive().body, "GET /inline ");
}

TEST_F(HttpServerTest, ConfirmsExpectedBodies) {
  Start();
  RawClient client = Connect();
  client.Send("POST /pool HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReceiveBytes(25), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_EQ(client.Receive().body, "POST /pool ok");
  client.Send("POST /pool HTTP/1.1\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 417);
}

TEST_F(HttpServerTest, RefusesOversizeBodiesBeforeReadingThem) {
  HttpServerOptions options;
  options.limits.content_length_max = 1000;
  Start(options);
  RawClient announced = Connect();
  announced.Send("POST /pool HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_EQ(announced.Receive().status, 413);
  EXPECT_TRUE(announced.AtEnd());

  RawClient chunked = Connect();
  chunked.Send("POST /pool HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1f4\r\n" + std::string(500, 'a') +
               "\r\n1f5\r\n");
  const auto answer = chunked.Receive();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body.substr(0, 26), "content_too_long_exception");
}

TEST_F(HttpServerTest, AClientThatSendsAllTheSameStillGetsThe413) {
  HttpServerOptions options;
  options.limits.content_length_max = 1000;
  Start(options);
  RawClient client = Connect();
  client.Send("POST /pool HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n");
  client.Send(std::string(3'000'000, 'a'));
  EXPECT_EQ(client.Receive().status, 413);
}

TEST_F(HttpServerTest, ChargesBodiesToTheInFlightBreaker) {
  HttpServerOptions options;
  options.limits.content_length_max = 1ull << 30;
  Start(options);
  RawClient client = Connect();
  client.Send("POST /pool HTTP/1.1\r\nContent-Length: 500000000\r\n\r\n");
  const auto refused = client.Receive();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.body.substr(0, 26), "circuit_breaking_exception");

  RawClient waiting = Connect();
  waiting.Send("POST /wait HTTP/1.1\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'a'));
  handler_.started.wait();
  EXPECT_EQ(budget_.in_flight().used_bytes(), 1000u);
  handler_.release.count_down();
  EXPECT_EQ(waiting.Receive().status, 200);
  Await([&] { return budget_.in_flight().used_bytes() == 0; });
}

TEST_F(HttpServerTest, PushesBackWhenTheWorkersAreBusy) {
  Start({}, 1);
  RawClient first = Connect();
  first.Send("GET /wait HTTP/1.1\r\n\r\n");
  handler_.started.wait();
  std::vector<RawClient> others;
  int refused = 0;
  // Two workers and a queue of one: of four more that wait, at least one must be refused at once.
  for (int i = 0; i < 4; ++i) {
    others.push_back(Connect());
    others.back().Send("GET /pool-" + std::to_string(i) + " HTTP/1.1\r\n\r\n");
  }
  handler_.release.count_down();
  for (RawClient& client : others) refused += client.Receive().status == 429;
  EXPECT_EQ(first.Receive().status, 200);
  EXPECT_EQ(static_cast<uint64_t>(refused), server_->stats().requests_refused);
}

TEST_F(HttpServerTest, DropsClientsThatAreTooSlow) {
  Start();
  RawClient header = Connect();
  header.Send("GET /inline HTTP/1.1\r\nHos");
  RawClient body = Connect();
  body.Send("POST /inline HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc");
  Await([&] { return server_->stats().bytes_in >= 23 + 47; });
  clock_.AdvanceMs(31'000);
  EXPECT_TRUE(header.AtEnd());
  EXPECT_TRUE(body.AtEnd());
  EXPECT_EQ(server_->stats().connections_timed_out, 2u);
}

TEST_F(HttpServerTest, ATrickleDoesNotExtendTheTimeForTheHeader) {
  Start();
  RawClient client = Connect();
  client.Send("GET /inline HTTP/1.1\r\n");
  Await([&] { return server_->stats().bytes_in == 22; });
  clock_.AdvanceMs(20'000);
  client.Send("A: b\r\n");
  Await([&] { return server_->stats().bytes_in == 28; });
  clock_.AdvanceMs(11'000);
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(HttpServerTest, DropsClientsThatDoNotRead) {
  Start();
  RawClient client = Connect();
  std::string many;
  for (int i = 0; i < 100; ++i) many += "GET /big HTTP/1.1\r\n\r\n";
  client.Send(many);
  // Kernel buffers fill up after a few answers; then the write makes no progress until its time is over.
  uint64_t sent = 0;
  Await([&] {
    clock_.AdvanceMs(1000);
    std::this_thread::yield();
    sent = server_->stats().bytes_out;
    return server_->stats().connections_timed_out == 1;
  });
  EXPECT_LT(sent, 100u << 20);
}

TEST_F(HttpServerTest, KeepsIdleConnectionsForTheirTimeAndNoLonger) {
  Start();
  RawClient client = Connect();
  uint64_t answered = 0;
  const auto exchange = [&] {
    client.Send("GET /inline HTTP/1.1\r\n\r\n");
    const auto answer = client.Receive();
    EXPECT_EQ(answer.status, 200);
    answered += answer.head.size() + 2 + answer.body.size();
    Await([&] { return server_->stats().bytes_out == answered; });  // the idle time counts from here
  };
  exchange();
  clock_.AdvanceMs(10 * 60'000);
  exchange();
  clock_.AdvanceMs(15 * 60'000 + 1);
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(HttpServerTest, AnswersAClientThatClosedItsSendingSide) {
  Start();
  RawClient client = Connect();
  client.Send("GET /pool HTTP/1.1\r\n\r\n");
  client.HalfClose();
  EXPECT_EQ(client.Receive().status, 200);
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(HttpServerTest, CancelsTheRequestOfAClientThatResets) {
  Start();
  RawClient client = Connect();
  client.Send("GET /until-cancelled HTTP/1.1\r\n\r\n");
  handler_.started.wait();
  client.Abort();
  handler_.cancelled.wait();
}

TEST_F(HttpServerTest, HonoursConnectionCloseAndHttp10) {
  Start();
  RawClient client = Connect();
  client.Send("GET /inline HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.Receive().Header("connection"), "close");
  EXPECT_TRUE(client.AtEnd());
  RawClient old = Connect();
  old.Send("GET /inline HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.Receive().status, 200);
  EXPECT_TRUE(old.AtEnd());
}

TEST_F(HttpServerTest, RefusesMalformedRequests) {
  HttpServerOptions options;
  Start(options);
  const std::pair<std::string, int> cases[] = {
      {"GARBAGE\r\n\r\n", 400},
      {"GET /inline HTTP/3.0\r\n\r\n", 400},
      {"GET /inline HTTP/1.1\r\nBad Header: x\r\n\r\n", 400},
      {"GET /inline HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400},
      {"POST /inline HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
      {"POST /inline HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST /inline HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
      {"POST /inline HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"GET /" + std::string(5000, 'a') + " HTTP/1.1\r\n\r\n", 400},
      {"GET /" + std::string(5000, 'a'), 400},
      {"GET /inline HTTP/1.1\r\nX: " + std::string(20000, 'a') + "\r\n\r\n", 400},
  };
  for (const auto& [bytes, status] : cases) {
    RawClient client = Connect();
    client.Send(bytes);
    EXPECT_EQ(client.Receive().status, status) << bytes.substr(0, 100);
    EXPECT_TRUE(client.AtEnd());
  }
}

TEST_F(HttpServerTest, TakesAndGivesGzip) {
  Start();
  RawClient client = Connect();
  const std::string packed = GzipCompress("hello");
  client.Send("POST /pool HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(packed.size()) +
              "\r\n\r\n" + packed);
  EXPECT_EQ(client.Receive().body, "POST /pool hello");
  client.Send("GET /big HTTP/1.1\r\nAccept-Encoding: deflate, gzip\r\n\r\n");
  const auto big = client.Receive();
  EXPECT_EQ(big.Header("content-encoding"), "gzip");
  runtime::MemoryCharge charge;
  const auto plain = Decompress(big.body, 2 << 20, nullptr, charge);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->size(), 1u << 20);
  client.Send("GET /inline HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(client.Receive().Header("content-encoding"), "");
  client.Send("POST /pool HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(client.Receive().status, 400);
}

TEST_F(HttpServerTest, BoundsTheNumberOfConnections) {
  HttpServerOptions options;
  options.connections_max = 2;
  Start(options);
  RawClient a = Connect(), b = Connect();
  for (RawClient* client : {&a, &b}) {
    client->Send("GET /inline HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client->Receive().status, 200);
  }
  RawClient c = Connect();
  EXPECT_EQ(c.Receive().status, 503);
  a.Close();
  Await([&] { return server_->stats().connections_open == 1; });
  RawClient d = Connect();
  d.Send("GET /inline HTTP/1.1\r\n\r\n");
  EXPECT_EQ(d.Receive().status, 200);
}

TEST_F(HttpServerTest, StopFinishesRequestsInProgressAndClosesIdleConnections) {
  Start();
  RawClient idle = Connect(), busy = Connect();
  idle.Send("GET /inline HTTP/1.1\r\n\r\n");
  EXPECT_EQ(idle.Receive().status, 200);
  busy.Send("GET /wait HTTP/1.1\r\n\r\n");
  handler_.started.wait();
  std::thread stopper([&] { server_->Stop(60'000); });
  EXPECT_TRUE(idle.AtEnd());
  handler_.release.count_down();
  const auto answer = busy.Receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Header("connection"), "close");
  busy.Close();
  stopper.join();
  EXPECT_FALSE(RawClient(server_->port()).connected());
}

TEST_F(HttpServerTest, RefusesAPortInUse) {
  Start();
  HttpServerOptions options;
  options.port = server_->port();
  EXPECT_EQ(HttpServer::Start(
                options, handler_, [](auto) { return Status(); }, nullptr, clock_)
                .status()
                .code(),
            Code::kUnavailable);
}

}  // namespace
}  // namespace tiercel::server
