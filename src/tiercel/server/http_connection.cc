#include "tiercel/server/http_connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "tiercel/server/http_compression.h"

namespace tiercel::server {

using boost::system::error_code;

namespace {

constexpr size_t kIdleBuffer = 4 << 10;
constexpr size_t kBodyBuffer = 64 << 10;
constexpr uint64_t kChargeStep = 64 << 10;
constexpr int64_t kLingerMs = 2000;
constexpr uint64_t kLingerBytesMax = 256ull << 20;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

HttpConnection::HttpConnection(HttpLoop& loop, IoSocket socket)
    : loop_(loop), shared_(loop.shared_), socket_(std::move(socket)), parser_(shared_.options.limits) {}

void HttpConnection::Start() {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  buffer_.resize(kIdleBuffer);
  deadline_ms_ = NowMs() + shared_.options.idle_timeout_ms;
  Read();
}

int64_t HttpConnection::TransferMs(uint64_t bytes) const {
  return static_cast<int64_t>(bytes * 1000 / std::max<uint64_t>(1, shared_.options.transfer_rate_min));
}

void HttpConnection::CheckDeadline(int64_t now_ms) {
  if (now_ms < deadline_ms_ || phase_ == Phase::kClosed) return;
  shared_.connections_timed_out.fetch_add(1, std::memory_order_relaxed);
  Close();
}

void HttpConnection::BeginShutdown() {
  shutting_down_ = true;
  if (phase_ == Phase::kIdle) Close();
}

void HttpConnection::Close() {
  if (phase_ == Phase::kClosed) return;
  const bool handling = phase_ == Phase::kHandling;
  if (handling && request_.cancellation) request_.cancellation->Cancel();
  phase_ = Phase::kClosed;
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  if (!handling) loop_.Remove(*this);  // otherwise when the handler is done
}

void HttpConnection::Read() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    const size_t wanted = phase_ == Phase::kBody ? kBodyBuffer : kIdleBuffer;
    if (buffer_.size() != wanted) {
      buffer_.resize(wanted);
      buffer_.shrink_to_fit();
    }
  } else if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      buffer_.erase(0, begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    buffer_.resize(std::max(buffer_.size(), end_ * 2));
  }
  socket_.async_read_some(asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
                          [self = shared_from_this()](const error_code& error, size_t bytes) {
                            if (self->phase_ == Phase::kClosed) return;
                            if (error) return self->Close();
                            self->end_ += bytes;
                            self->Advance();
                            self->shared_.bytes_in.fetch_add(bytes, std::memory_order_relaxed);
                          });
}

void HttpConnection::Advance() {
  if (phase_ == Phase::kIdle && begin_ < end_) {
    phase_ = Phase::kHeader;
    deadline_ms_ = NowMs() + shared_.options.header_timeout_ms;
  }
  for (Step step = Step::kAgain; step != Step::kNeedBytes;) {
    step = AdvanceParser();
    if (step == Step::kElsewhere) return;
    if (step == Step::kComplete) return Dispatch();
  }
  if (phase_ == Phase::kBody) {
    deadline_ms_ = body_start_ms_ + shared_.options.body_timeout_ms + TransferMs(request_.body.size());
  }
  Read();
}

HttpConnection::Step HttpConnection::AdvanceParser() {
  const std::string_view unread = std::string_view(buffer_).substr(begin_, end_ - begin_);
  const Result<size_t> used = parser_.Feed(unread, request_);
  if (!used.ok()) {
    Fail(used.error(), parser_.error_status());
    return Step::kElsewhere;
  }
  begin_ += *used;
  switch (parser_.state()) {
    case HttpRequestParser::State::kHeaderDone:
      return OnHeader();
    case HttpRequestParser::State::kDone:
      return Step::kComplete;
    case HttpRequestParser::State::kBody:
      return ChargeBody(request_.body.size()) ? Step::kNeedBytes : Step::kElsewhere;
    case HttpRequestParser::State::kHeader:
      break;
  }
  return Step::kNeedBytes;
}

HttpConnection::Step HttpConnection::OnHeader() {
  const auto expect = request_.headers.Find("expect");
  if (expect && !EqualsIgnoringCase(*expect, "100-continue")) {
    Fail(InvalidArgument("unsupported Expect header [" + std::string(*expect) + "]"), 417);
    return Step::kElsewhere;
  }
  parser_.Continue();
  if (parser_.state() == HttpRequestParser::State::kDone) return Step::kComplete;
  const uint64_t announced = parser_.content_length().value_or(0);
  if (!ChargeBody(announced)) return Step::kElsewhere;
  request_.body.reserve(announced);
  phase_ = Phase::kBody;
  body_start_ms_ = NowMs();
  if (!expect || begin_ < end_) return Step::kAgain;
  SendContinue();
  return Step::kElsewhere;
}

bool HttpConnection::ChargeBody(uint64_t bytes) {
  runtime::MemoryCharge& charge = request_.charge;
  if (shared_.in_flight == nullptr || bytes <= charge.bytes()) return true;
  const uint64_t more =
      parser_.content_length() ? bytes - charge.bytes() : std::max(kChargeStep, bytes - charge.bytes());
  Status status;
  if (charge.bytes() == 0) {
    auto charged = shared_.in_flight->Charge(more, "<http_request>");
    if (charged.ok())
      charge = std::move(charged).value();
    else
      status = charged.error();
  } else {
    status = charge.Grow(more, "<http_request>");
  }
  if (!status.ok()) Fail(status, HttpStatus(status.code()));
  return status.ok();
}

void HttpConnection::SendContinue() {
  asio::async_write(socket_, asio::buffer(kContinue), [self = shared_from_this()](const error_code& error, size_t) {
    if (self->phase_ == Phase::kClosed) return;
    if (error) return self->Close();
    self->Advance();
  });
}

void HttpConnection::Dispatch() {
  phase_ = Phase::kHandling;
  deadline_ms_ = INT64_MAX;  // the handler has time-outs of its own
  shared_.requests.fetch_add(1, std::memory_order_relaxed);
  if (!request_.headers.Contains("content-encoding")) {
    if (std::optional<HttpResponse> response = shared_.handler->TryInline(request_)) {
      Finish(*response);
      return Write(std::move(*response), false);
    }
  }
  DispatchToExecutor();
}

void HttpConnection::DispatchToExecutor() {
  request_.cancellation = std::make_shared<runtime::Cancellation>(*shared_.clock);
  WatchForReset();
  shared_.handlers_running.fetch_add(1);
  const Status submitted = shared_.executor([self = shared_from_this()]() mutable { Work(std::move(self)); });
  if (submitted.ok()) return;
  shared_.handlers_running.fetch_sub(1);
  shared_.requests_refused.fetch_add(1, std::memory_order_relaxed);
  error_code ignored;
  socket_.cancel(ignored);
  HttpResponse response = shared_.handler->Refuse(request_, submitted, HttpStatus(submitted.code()));
  Finish(response);
  Write(std::move(response), false);
}

// On the executor. Takes the reference along: when the server goes, no executor thread may still hold a connection.
void HttpConnection::Work(std::shared_ptr<HttpConnection> self) {
  HttpShared& shared = self->shared_;
  asio::io_context& context = self->loop_.context_;
  const Status decoded = self->DecodeBody();
  HttpResponse response = decoded.ok() ? shared.handler->Handle(self->request_)
                                       : shared.handler->Refuse(self->request_, decoded, HttpStatus(decoded.code()));
  self->Finish(response);
  asio::post(context, [self = std::move(self), response = std::move(response)]() mutable {
    if (self->phase_ == Phase::kClosed) return self->loop_.Remove(*self);
    error_code ignored;
    self->socket_.cancel(ignored);  // the watch for a reset
    self->Write(std::move(response), false);
  });
  shared.handlers_running.fetch_sub(1);  // the last thing that touches the server
}

// A peer that resets the connection wants no answer any more. One that only closes its sending side may still read, so
// that is not a reason to cancel.
void HttpConnection::WatchForReset() {
  socket_.async_wait(IoSocket::wait_error,
                     [weak = weak_from_this(), cancellation = request_.cancellation](const error_code& error) {
                       const auto self = weak.lock();
                       if (!error && self && self->phase_ == Phase::kHandling) cancellation->Cancel();
                     });
}

Status HttpConnection::DecodeBody() {
  const auto encoding = request_.headers.Find("content-encoding");
  if (!encoding || EqualsIgnoringCase(*encoding, "identity") || request_.body.empty()) return {};
  if (!EqualsIgnoringCase(*encoding, "gzip") && !EqualsIgnoringCase(*encoding, "deflate")) {
    return InvalidArgument("content-encoding [" + std::string(*encoding) + "] is not supported");
  }
  runtime::MemoryCharge charge;
  TIERCEL_TRY_ASSIGN(std::string plain,
                     Decompress(request_.body, shared_.options.limits.content_length_max, shared_.in_flight, charge));
  request_.body = std::move(plain);
  request_.charge = std::move(charge);
  return {};
}

// A refused request leaves bytes behind that nobody parses, so its connection cannot go on.
void HttpConnection::Fail(const Status& why, int http_status) {
  shared_.requests_refused.fetch_add(1, std::memory_order_relaxed);
  HttpResponse response = shared_.handler->Refuse(request_, why, http_status);
  response.close = true;
  Write(std::move(response), true);
}

// What depends on the request alone; runs where the handler ran.
void HttpConnection::Finish(HttpResponse& response) const {
  if (request_.method == HttpMethod::kHead || response.body.size() < shared_.options.compress_min_bytes) return;
  const auto accept = request_.headers.Find("accept-encoding");
  if (!accept || !AcceptsGzip(*accept)) return;
  response.body = GzipCompress(response.body);
  response.headers.emplace_back("content-encoding", "gzip");
}

void HttpConnection::Write(HttpResponse response, bool linger) {
  phase_ = Phase::kWriting;
  const bool keep_alive = request_.keep_alive && !response.close && !shutting_down_;
  head_ = SerializeHead(response, response.body.size(), keep_alive);
  body_ = request_.method == HttpMethod::kHead ? std::string() : std::move(response.body);
  deadline_ms_ = NowMs() + shared_.options.write_timeout_ms + TransferMs(head_.size() + body_.size());
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_), asio::buffer(body_)};
  const bool close = linger || !keep_alive;
  asio::async_write(socket_, buffers, [self = shared_from_this(), close](const error_code& error, size_t bytes) {
    HttpShared& shared = self->shared_;
    if (self->phase_ != Phase::kClosed) error ? self->Close() : self->Written(close);
    shared.bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  });
}

void HttpConnection::Written(bool close) {
  if (body_.capacity() > kBodyBuffer) body_ = std::string();
  if (!close && !shutting_down_) return NextRequest();
  // Closing with unread bytes would send a reset, and the peer might lose the answer: say that we are done, then read
  // to the end.
  phase_ = Phase::kLingering;
  deadline_ms_ = NowMs() + kLingerMs;
  error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  if (error) return Close();
  begin_ = end_ = 0;
  if (buffer_.size() < kBodyBuffer) buffer_.resize(kBodyBuffer);
  Linger();
}

void HttpConnection::Linger() {
  socket_.async_read_some(asio::buffer(buffer_.data(), buffer_.size()),
                          [self = shared_from_this()](const error_code& error, size_t bytes) {
                            if (self->phase_ == Phase::kClosed) return;
                            self->lingered_ += bytes;
                            if (error || self->lingered_ > kLingerBytesMax) return self->Close();
                            self->Linger();
                          });
}

void HttpConnection::NextRequest() {
  request_.Clear();
  parser_.Reset();
  phase_ = Phase::kIdle;
  deadline_ms_ = NowMs() + shared_.options.idle_timeout_ms;
  Advance();
}

}  // namespace tiercel::server
