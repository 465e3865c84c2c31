#include "tiercel/server/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "tiercel/server/parameter_check.h"
#include "tiercel/server/rest_message.h"

namespace tiercel::server {
namespace {

constexpr std::string_view kEnvironmentPrefix = "TIERCEL_";

struct ByteUnit {
  std::string_view suffix;
  uint64_t factor;
};
constexpr std::array<ByteUnit, 8> kByteUnits = {{{"kb", 1ull << 10},
                                                 {"mb", 1ull << 20},
                                                 {"gb", 1ull << 30},
                                                 {"tb", 1ull << 40},
                                                 {"k", 1ull << 10},
                                                 {"m", 1ull << 20},
                                                 {"g", 1ull << 30},
                                                 {"b", 1}}};

Result<uint64_t> ParseCount(std::string_view text, uint64_t low, uint64_t high) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return InvalidArgument("expected a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

Result<int64_t> ParseDuration(std::string_view text) {
  const auto ms = ParseTimeMs(text);
  if (!ms || *ms < 0) return InvalidArgument("expected a time such as 500ms, 30s or 15m");
  return *ms;
}

using Setter = std::function<Status(ServerConfig&, std::string_view)>;

Setter Text(std::string ServerConfig::* member) {
  return [member](ServerConfig& config, std::string_view value) -> Status {
    if (value.empty()) return InvalidArgument("expected a text");
    config.*member = value;
    return {};
  };
}

Setter Choice(std::string ServerConfig::* member, std::vector<std::string> choices) {
  return [member, choices = std::move(choices)](ServerConfig& config, std::string_view value) -> Status {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      std::string text = "expected one of";
      for (const std::string& choice : choices) text += " " + choice;
      return InvalidArgument(std::move(text));
    }
    config.*member = value;
    return {};
  };
}

template <typename Place>
Setter Count(Place place, uint64_t low, uint64_t high) {
  return [place, low, high](ServerConfig& config, std::string_view value) -> Status {
    TIERCEL_TRY_ASSIGN(const uint64_t number, ParseCount(value, low, high));
    auto& target = place(config);
    target = static_cast<std::remove_reference_t<decltype(target)>>(number);
    return {};
  };
}

template <typename Place>
Setter Duration(Place place) {
  return [place](ServerConfig& config, std::string_view value) -> Status {
    TIERCEL_TRY_ASSIGN(place(config), ParseDuration(value));
    return {};
  };
}

template <typename Place>
Setter ByteSize(Place place) {
  return [place](ServerConfig& config, std::string_view value) -> Status {
    TIERCEL_TRY_ASSIGN(place(config), ParseByteSize(value));
    return {};
  };
}

struct Setting {
  std::string_view name;
  Setter set;
};

#define TIERCEL_PLACE(member) [](ServerConfig& c) -> auto& { return c.member; }

const std::vector<Setting>& Settings() {
  constexpr uint64_t kMany = std::numeric_limits<uint32_t>::max();
  static const std::vector<Setting> settings = {
      {"cluster.name", Text(&ServerConfig::cluster_name)},
      {"http.connections_max", Count(TIERCEL_PLACE(http.connections_max), 1, kMany)},
      {"http.compress_min_bytes", ByteSize(TIERCEL_PLACE(http.compress_min_bytes))},
      {"http.host",
       [](ServerConfig& c, std::string_view v) -> Status {
         c.http.host = v;
         return {};
       }},
      {"http.max_content_length", ByteSize(TIERCEL_PLACE(http.limits.content_length_max))},
      {"http.max_header_size", Count(TIERCEL_PLACE(http.limits.header_max), 1024, 1 << 20)},
      {"http.max_initial_line_length", Count(TIERCEL_PLACE(http.limits.request_line_max), 256, 1 << 20)},
      {"http.port", Count(TIERCEL_PLACE(http.port), 0, 65535)},
      {"http.threads", Count(TIERCEL_PLACE(http_threads), 0, 256)},
      {"http.timeout.body", Duration(TIERCEL_PLACE(http.body_timeout_ms))},
      {"http.timeout.header", Duration(TIERCEL_PLACE(http.header_timeout_ms))},
      {"http.timeout.idle", Duration(TIERCEL_PLACE(http.idle_timeout_ms))},
      {"http.timeout.write", Duration(TIERCEL_PLACE(http.write_timeout_ms))},
      {"http.transfer_rate_min", ByteSize(TIERCEL_PLACE(http.transfer_rate_min))},
      {"log.format", Choice(&ServerConfig::log_format, {"text", "json"})},
      {"log.level", Choice(&ServerConfig::log_level, {"trace", "debug", "info", "warn", "error", "off"})},
      {"memory.limit", ByteSize(TIERCEL_PLACE(memory_bytes))},
      {"node.name", Text(&ServerConfig::node_name)},
      {"path.data", Text(&ServerConfig::data_path)},
      {"shutdown.grace", Duration(TIERCEL_PLACE(shutdown_grace_ms))},
      {"worker.queue", Count(TIERCEL_PLACE(worker_queue), 1, 1'000'000)},
      {"worker.threads", Count(TIERCEL_PLACE(worker_threads), 0, 1024)},
  };
  return settings;
}

#undef TIERCEL_PLACE

std::string EnvironmentName(std::string_view setting) {
  std::string name(kEnvironmentPrefix);
  for (const char c : setting) name += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return name;
}

std::string Nearest(std::string_view name) {
  double best = 0.5;
  std::string_view found;
  for (const Setting& setting : Settings()) {
    if (const double similarity = NameSimilarity(name, setting.name); similarity > best) {
      best = similarity;
      found = setting.name;
    }
  }
  return found.empty() ? std::string() : ", did you mean [" + std::string(found) + "]?";
}

// Walks nested maps; every scalar is a setting named by the path to it.
Status SetFromYaml(const YAML::Node& node, const std::string& path, std::string_view file, ConfigBuilder& builder) {
  const std::string origin = std::string(file) + ":" + std::to_string(node.Mark().line + 1);
  if (node.IsNull() && path.empty()) return {};
  if (node.IsScalar() && !path.empty()) return builder.Set(path, node.Scalar(), origin);
  if (!node.IsMap())
    return InvalidArgument(origin + ": expected " + (path.empty() ? "settings" : "a value for [" + path + "]"));
  for (const auto& item : node) {
    const std::string key = item.first.Scalar();
    TIERCEL_TRY(SetFromYaml(item.second, path.empty() ? key : path + "." + key, file, builder));
  }
  return {};
}

}  // namespace

Result<uint64_t> ParseByteSize(std::string_view text) {
  uint64_t factor = 1;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const ByteUnit& unit : kByteUnits) {
    if (!lower.ends_with(unit.suffix)) continue;
    factor = unit.factor;
    lower.resize(lower.size() - unit.suffix.size());
    break;
  }
  const Result<uint64_t> number = ParseCount(lower, 0, std::numeric_limits<uint64_t>::max() / factor);
  if (!number.ok()) return InvalidArgument("expected a size such as 1048576, 64kb or 100mb");
  return *number * factor;
}

ConfigBuilder::ConfigBuilder() { config_.http.port = 9200; }

Status ConfigBuilder::Set(std::string_view name, std::string_view value, std::string_view origin) {
  for (const Setting& setting : Settings()) {
    if (setting.name != name) continue;
    const Status status = setting.set(config_, value);
    if (status.ok()) return {};
    return InvalidArgument(std::string(origin) + ": bad value [" + std::string(value) + "] for [" + std::string(name) +
                           "]: " + status.message());
  }
  return InvalidArgument(std::string(origin) + ": unknown setting [" + std::string(name) + "]" + Nearest(name));
}

Status ConfigBuilder::ReadYaml(std::string_view text, std::string_view file) {
  try {  // tidy: exceptions stop here, in yaml-cpp
    return SetFromYaml(YAML::Load(std::string(text)), "", file, *this);
  } catch (const YAML::Exception& error) {
    return InvalidArgument(std::string(file) + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
}

Status ConfigBuilder::ReadFile(const std::string& path) {
  std::ifstream in(path);
  if (!in) return NotFound("cannot read the configuration file [" + path + "]");
  std::ostringstream text;
  text << in.rdbuf();
  return ReadYaml(text.str(), path);
}

Status ConfigBuilder::ReadEnvironment(const char* const* variables) {
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    if (!variable.starts_with(kEnvironmentPrefix)) continue;
    const size_t equals = variable.find('=');
    const std::string_view name = variable.substr(0, equals);
    const auto& settings = Settings();
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const Setting& s) { return EnvironmentName(s.name) == name; });
    if (found == settings.end()) {
      unknown_variables_.emplace_back(name);
      continue;
    }
    TIERCEL_TRY(
        Set(found->name, equals == std::string_view::npos ? std::string_view() : variable.substr(equals + 1), name));
  }
  return {};
}

std::vector<std::string_view> ConfigBuilder::Names() {
  std::vector<std::string_view> names;
  for (const Setting& setting : Settings()) names.push_back(setting.name);
  return names;
}

}  // namespace tiercel::server
