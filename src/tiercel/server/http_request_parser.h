// HttpRequestParser: bytes of a connection → HttpRequest, a piece at a time. Needs no socket, so tests and fuzzers feed
// it.
//
// Strict where leniency would let two parsers disagree about where a request ends: a Transfer-Encoding other than
// chunked, or one beside a Content-Length, is refused. Chunk extensions and trailers are read and dropped.
//
//   parser.Feed(bytes, request) → consumed; parser.state() says what comes next. It stops after the header
//   (kHeaderDone) so that the caller can look at it before any body byte is taken: Continue() goes on.
//
// Thread safety: one thread. Memory: at most the limits; the body goes straight into the request. Cost: one pass.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/server/http_message.h"

namespace tiercel::server {

struct HttpParserLimits {
  uint32_t request_line_max = 4096;
  uint32_t header_max = 16384;
  uint64_t content_length_max = 100ull << 20;
};

class HttpRequestParser {
 public:
  enum class State { kHeader, kHeaderDone, kBody, kDone };

  explicit HttpRequestParser(const HttpParserLimits& limits);
  ~HttpRequestParser();
  HttpRequestParser(const HttpRequestParser&) = delete;
  HttpRequestParser& operator=(const HttpRequestParser&) = delete;

  // How many bytes of the front were used; 0 without a change of state means that more are needed. An error is final,
  // and error_status() has its HTTP status.
  Result<size_t> Feed(std::string_view bytes, HttpRequest& request);
  // Leaves kHeaderDone, for kBody or at once for kDone.
  void Continue();
  // Ready for the next request.
  void Reset();

  State state() const { return state_; }
  // True before the first byte of a request.
  bool untouched() const { return untouched_; }
  int error_status() const { return error_status_; }
  // The announced length; nothing when chunked. From kHeaderDone on.
  std::optional<uint64_t> content_length() const;
  bool has_body() const;

 private:
  class Impl;
  Status Failure(std::string_view what) const;
  Status CheckRequestLine(std::string_view bytes);
  Status FinishHeader(HttpRequest& request);

  const HttpParserLimits limits_;
  std::unique_ptr<Impl> impl_;
  State state_ = State::kHeader;
  bool untouched_ = true;
  bool line_checked_ = false;
  int error_status_ = 400;
};

}  // namespace tiercel::server
