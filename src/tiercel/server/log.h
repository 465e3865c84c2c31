// Log: structured lines on standard error, as text ("… info listening url=http://…") or JSON, one object a line.
//
// Thread safety: Write from any thread. Lifetime: outlives whoever was given it. Cost: nothing below the level.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tiercel::server {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };

class Log {
 public:
  using Field = std::pair<std::string_view, std::string>;

  // `level` and `format` as in the configuration: "info", "json".
  Log(std::string_view level, std::string_view format);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void Write(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {});
  void Info(std::string_view message, std::initializer_list<Field> fields = {}) {
    Write(LogLevel::kInfo, message, fields);
  }
  void Warn(std::string_view message, std::initializer_list<Field> fields = {}) {
    Write(LogLevel::kWarn, message, fields);
  }
  void Error(std::string_view message, std::initializer_list<Field> fields = {}) {
    Write(LogLevel::kError, message, fields);
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::server
