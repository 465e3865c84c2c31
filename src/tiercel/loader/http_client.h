// HttpClient: one keep-alive connection to an Elasticsearch-compatible endpoint, over libcurl.
//
// Thread safety: one thread each. Lifetime: owns its curl handle. Errors: Unavailable when the endpoint cannot be
// reached.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"

namespace tiercel::loader {

struct Endpoint {
  std::string url;      // "http://127.0.0.1:9200", without a trailing slash
  std::string user;     // "name:password" for basic authentication; empty for none
  std::string api_key;  // the encoded key; empty for none
  int64_t timeout_ms = 120'000;
};

struct HttpReply {
  int status = 0;
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(Endpoint endpoint);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `content_type` empty: no body is sent.
  Result<HttpReply> Send(std::string_view method, const std::string& path, std::string_view body,
                         std::string_view content_type);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::loader
