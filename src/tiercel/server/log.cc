#include "tiercel/server/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "tiercel/json/writer.h"

namespace tiercel::server {
namespace {

spdlog::level::level_enum SpdLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

// A value with spaces, quotes or line breaks is quoted, so that a line stays one line and splits again.
void AppendTextValue(std::string_view value, std::string& out) {
  const bool plain = !value.empty() && value.find_first_of(" \"\\\r\n\t=") == std::string_view::npos;
  if (plain) {
    out += value;
  } else {
    json::AppendQuoted(value, out);
  }
}

}  // namespace

struct Log::State {
  std::shared_ptr<spdlog::logger> logger;
  bool json = false;
};

Log::Log(std::string_view level, std::string_view format) : state_(std::make_unique<State>()) {
  state_->json = format == "json";
  state_->logger = std::make_shared<spdlog::logger>("tiercel", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  state_->logger->set_level(spdlog::level::from_str(std::string(level)));
  const char* pattern =
      state_->json ? "{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",%v}" : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  state_->logger->set_pattern(pattern, spdlog::pattern_time_type::utc);
  state_->logger->flush_on(spdlog::level::info);
}

Log::~Log() = default;

void Log::Write(LogLevel level, std::string_view message, std::initializer_list<Field> fields) {
  if (!state_->logger->should_log(SpdLevel(level))) return;
  std::string line;
  if (state_->json) {
    line += "\"message\":";
    json::AppendQuoted(message, line);
    for (const auto& [key, value] : fields) {
      line += ',';
      json::AppendQuoted(key, line);
      line += ':';
      json::AppendQuoted(value, line);
    }
  } else {
    line += message;
    for (const auto& [key, value] : fields) {
      line.append(" ").append(key).append("=");
      AppendTextValue(value, line);
    }
  }
  state_->logger->log(SpdLevel(level), "{}", line);
}

}  // namespace tiercel::server
