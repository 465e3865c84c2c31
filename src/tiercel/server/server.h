// Server: a whole node: data directory, engine, REST API and HTTP, wired together from a ServerConfig.
//
// Thread safety: Stop from any thread, once. Lifetime: owns everything it starts; borrows the log. Start returns when
// requests are answered.
#pragma once

#include <memory>
#include <string>

#include "tiercel/base/result.h"
#include "tiercel/server/config.h"
#include "tiercel/server/log.h"

namespace tiercel::server {

class Server {
 public:
  static Result<std::unique_ptr<Server>> Start(const ServerConfig& config, Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const;  // "http://127.0.0.1:9200"
  // Finishes requests in progress (for up to shutdown.grace), then closes the engine.
  void Stop();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::server
