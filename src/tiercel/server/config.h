// ServerConfig: every setting of the server, from a YAML file, the environment and the command line; the later wins.
//
// A setting "http.port" is `http: {port: 9200}` or `http.port: 9200` in the file, TIERCEL_HTTP_PORT in the environment
// and
// `-E http.port=9200` on the command line (the commonest have flags of their own). Unknown names and bad values are
// refused, naming the file and line, the variable or the flag. docs/guide/configuration.md lists the settings.
//
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/server/http_server.h"

namespace tiercel::server {

struct ServerConfig {
  std::string cluster_name = "tiercel";
  std::string node_name = "tiercel";  // lower case: client tests look for it
  std::string data_path = "data";
  HttpServerOptions http;       // http.host, http.port, http.max_content_length, ...
  uint32_t http_threads = 0;    // 0: as many as processors, at most 4
  uint32_t worker_threads = 0;  // 0: processors + 1, at least 4
  uint32_t worker_queue = 1000;
  uint64_t memory_bytes = 0;  // 0: the machine's (or container's)
  int64_t shutdown_grace_ms = 30'000;
  std::string log_level = "info";
  std::string log_format = "text";  // or json
};

class ConfigBuilder {
 public:
  ConfigBuilder();

  // In the order of precedence: later calls override earlier ones.
  Status ReadFile(const std::string& path);
  Status ReadYaml(std::string_view text, std::string_view file);
  // "TIERCEL_HTTP_PORT=9200" strings; variables without the prefix are ignored. Other programs may use the prefix too,
  // so unknown names are not refused but kept for a warning.
  Status ReadEnvironment(const char* const* variables);
  const std::vector<std::string>& unknown_variables() const { return unknown_variables_; }
  // `origin` says in errors where the value is from: "--port".
  Status Set(std::string_view name, std::string_view value, std::string_view origin);

  const ServerConfig& config() const { return config_; }
  // All names, for help and documentation.
  static std::vector<std::string_view> Names();

 private:
  ServerConfig config_;
  std::vector<std::string> unknown_variables_;
};

// "100mb", "64k", "1048576" → bytes; nothing for anything else.
Result<uint64_t> ParseByteSize(std::string_view text);

}  // namespace tiercel::server
