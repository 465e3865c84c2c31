// HttpRequest and HttpResponse: one exchange, as the transport hands it to an HttpHandler and gets it back.
//
// Thread safety: values; the transport touches neither while a handler has them. Lifetime: a request owns its bytes and
// is reused for the next request of its connection. Cost: header fields live in one string; a lookup is a linear scan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/runtime/cancellation.h"
#include "tiercel/runtime/memory_budget.h"

namespace tiercel::server {

// In the order in which Elasticsearch lists allowed methods.
enum class HttpMethod : uint8_t { kGet, kPost, kPut, kDelete, kOptions, kHead, kPatch, kTrace, kConnect, kOther };
inline constexpr size_t kHttpMethodCount = 9;  // without kOther

std::string_view MethodName(HttpMethod method);
HttpMethod ParseMethod(std::string_view name);  // case-sensitive, as HTTP is

// Equal but for the case of ASCII letters.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

class HttpHeaders {
 public:
  void Clear();
  void Add(std::string_view name, std::string_view value);
  // The first field of that name, whatever its case.
  std::optional<std::string_view> Find(std::string_view name) const;
  bool Contains(std::string_view name) const { return Find(name).has_value(); }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint32_t name, name_length, value, value_length;  // in text_
  };
  std::string_view Text(uint32_t offset, uint32_t length) const {
    return std::string_view(text_).substr(offset, length);
  }
  std::string text_;
  std::vector<Entry> entries_;
};

struct HttpRequest {
  HttpMethod method = HttpMethod::kOther;
  std::string method_text;  // as sent; only for kOther
  std::string target;       // as sent, percent-encoded
  HttpHeaders headers;
  std::string body;  // unchunked and decompressed
  bool keep_alive = true;
  runtime::MemoryCharge charge;  // for the body
  // Cancelled when the peer has gone; null for requests that run inline.
  std::shared_ptr<runtime::Cancellation> cancellation;

  std::string_view method_name() const {
    return method == HttpMethod::kOther ? std::string_view(method_text) : MethodName(method);
  }
  void Clear();
};

struct HttpResponse {
  int status = 200;
  std::string_view content_type = "application/json";  // a literal, or owned by content_type_text
  std::string content_type_text;
  std::vector<std::pair<std::string, std::string>> headers;  // beside content-type and content-length
  std::string body;
  bool close = false;  // end the connection after this answer

  std::string_view type() const {
    return content_type_text.empty() ? content_type : std::string_view(content_type_text);
  }
};

// "HTTP/1.1 200 OK" up to and with the empty line. `body_length` is what content-length says.
std::string SerializeHead(const HttpResponse& response, uint64_t body_length, bool keep_alive);

}  // namespace tiercel::server
