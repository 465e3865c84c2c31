#include "tiercel/server/http_request_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <string>

namespace tiercel::server {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

namespace {

std::string_view View(string_view text) { return {text.data(), text.size()}; }

Status TooLong(uint64_t length, uint64_t limit) {
  return InvalidArgument("entity content is too long [" + std::to_string(length) + "] for the configured limit [" +
                         std::to_string(limit) + "]")
      .WithType("content_too_long_exception");
}

}  // namespace

class HttpRequestParser::Impl final : public http::basic_parser<true> {
 public:
  explicit Impl(const HttpParserLimits& limits)
      : content_length_max_(limits.content_length_max), header_max_(limits.header_max) {
    eager(false);
    header_limit(limits.header_max);  // of what is not parsed yet; on_field_impl counts the whole
    body_limit(boost::none);          // the limit is ours: Beast's own error could not tell it from others
  }

  HttpRequest* request = nullptr;
  bool transfer_encoding = false;
  bool too_long = false;

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int, error_code& ec) override {
    ec = {};
    request->method = ParseMethod(View(method));
    if (request->method == HttpMethod::kOther) request->method_text = View(method);
    request->target = View(target);
  }
  void on_response_impl(int, string_view, int, error_code& ec) override { ec = {}; }
  void on_field_impl(http::field name, string_view name_text, string_view value, error_code& ec) override {
    ec = {};
    if (name == http::field::transfer_encoding) transfer_encoding = true;
    header_bytes_ += name_text.size() + value.size() + 4;  // ": " and the line break
    if (header_bytes_ > header_max_) {
      ec = http::make_error_code(http::error::header_limit);
      return;
    }
    request->headers.Add(View(name_text), View(value));
  }
  void on_header_impl(error_code& ec) override { ec = {}; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code& ec) override { ec = {}; }
  std::size_t on_body_impl(string_view body, error_code& ec) override { return Append(body, ec); }
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code& ec) override {
    ec = {};
    if (size > content_length_max_ - std::min<uint64_t>(content_length_max_, request->body.size())) Refuse(ec);
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& ec) override { return Append(body, ec); }
  void on_finish_impl(error_code& ec) override { ec = {}; }

  std::size_t Append(string_view body, error_code& ec) {
    ec = {};
    if (request->body.size() + body.size() > content_length_max_) {
      Refuse(ec);
      return 0;
    }
    request->body.append(body.data(), body.size());
    return body.size();
  }
  void Refuse(error_code& ec) {
    too_long = true;
    ec = http::make_error_code(http::error::body_limit);
  }

  const uint64_t content_length_max_;
  const uint64_t header_max_;
  uint64_t header_bytes_ = 0;
};

HttpRequestParser::HttpRequestParser(const HttpParserLimits& limits)
    : limits_(limits), impl_(std::make_unique<Impl>(limits)) {}
HttpRequestParser::~HttpRequestParser() = default;

void HttpRequestParser::Reset() {
  impl_ = std::make_unique<Impl>(limits_);
  state_ = State::kHeader;
  untouched_ = true;
  line_checked_ = false;
}

std::optional<uint64_t> HttpRequestParser::content_length() const {
  const auto length = impl_->content_length();
  return length ? std::optional<uint64_t>(*length) : std::nullopt;
}

bool HttpRequestParser::has_body() const { return impl_->chunked() || content_length().value_or(0) > 0; }

Status HttpRequestParser::CheckRequestLine(std::string_view bytes) {
  if (line_checked_) return {};
  const size_t end = bytes.find('\n');
  if (std::min(end, bytes.size()) > limits_.request_line_max) {
    return InvalidArgument("An HTTP line is larger than " + std::to_string(limits_.request_line_max) + " bytes.")
        .WithType("too_long_http_line_exception");
  }
  line_checked_ = end != std::string_view::npos;
  return {};
}

Status HttpRequestParser::Failure(std::string_view what) const {
  return InvalidArgument("malformed HTTP request: " + std::string(what)).WithType("illegal_argument_exception");
}

Status HttpRequestParser::FinishHeader(HttpRequest& request) {
  request.keep_alive = impl_->keep_alive();
  // Without this the bytes of such a body would be read as the next request.
  if (impl_->transfer_encoding && !impl_->chunked()) {
    error_status_ = 501;
    return Failure("unsupported Transfer-Encoding");
  }
  if (const auto length = content_length(); length && *length > limits_.content_length_max) {
    error_status_ = 413;
    return TooLong(*length, limits_.content_length_max);
  }
  state_ = State::kHeaderDone;
  return {};
}

Result<size_t> HttpRequestParser::Feed(std::string_view bytes, HttpRequest& request) {
  if (bytes.empty() || state_ == State::kHeaderDone || state_ == State::kDone) return size_t{0};
  untouched_ = false;
  error_status_ = 400;
  impl_->request = &request;
  if (state_ == State::kHeader) TIERCEL_TRY(CheckRequestLine(bytes));
  size_t used = 0;
  while (used < bytes.size()) {
    error_code ec;
    used += impl_->put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), ec);
    if (ec == http::error::need_more) break;
    if (impl_->too_long) {
      error_status_ = 413;
      return TooLong(request.body.size(), limits_.content_length_max);
    }
    if (ec == http::error::header_limit) {
      return InvalidArgument("HTTP header is larger than " + std::to_string(limits_.header_max) + " bytes.")
          .WithType("too_long_http_header_exception");
    }
    if (ec) return Failure(ec.message());
    if (state_ == State::kHeader && impl_->is_header_done()) {
      TIERCEL_TRY(FinishHeader(request));
      return used;
    }
    if (impl_->is_done()) {
      state_ = State::kDone;
      return used;
    }
  }
  if (state_ == State::kBody && bytes.size() - used > limits_.header_max) return Failure("a chunk header is too long");
  return used;
}

void HttpRequestParser::Continue() {
  if (state_ != State::kHeaderDone) return;
  state_ = impl_->is_done() || !has_body() ? State::kDone : State::kBody;
}

}  // namespace tiercel::server
