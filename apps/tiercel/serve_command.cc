#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "commands.h"
#include "tiercel/server/config.h"
#include "tiercel/server/log.h"
#include "tiercel/server/server.h"

namespace tiercel::app {
namespace {

struct ServeFlags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // in the order of the command line
  int ready_fd = -1;
};

Status BuildConfig(const ServeFlags& flags, server::ConfigBuilder& builder) {
  if (!flags.config_file.empty()) TIERCEL_TRY(builder.ReadFile(flags.config_file));
  TIERCEL_TRY(builder.ReadEnvironment(environ));
  for (const auto& [name, value] : flags.settings) TIERCEL_TRY(builder.Set(name, value, "command line"));
  return {};
}

// Must run before any thread starts: threads inherit the mask, and then only WaitForSignal sees these.
sigset_t BlockStopSignals() {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// 0: stopped by a signal; 1: could not start; 2: the configuration is wrong.
int RunServe(const ServeFlags& flags) {
  server::ConfigBuilder builder;
  if (const Status status = BuildConfig(flags, builder); !status.ok()) {
    std::fprintf(stderr, "tiercel serve: %s\n", status.message().c_str());
    return 2;
  }
  const sigset_t signals = BlockStopSignals();
  server::Log log(builder.config().log_level, builder.config().log_format);
  for (const std::string& name : builder.unknown_variables()) log.Warn("no such setting", {{"variable", name}});
  const Result<std::unique_ptr<server::Server>> started = server::Server::Start(builder.config(), log);
  if (!started.ok()) {
    std::fprintf(stderr, "tiercel serve: %s\n", started.error().ToString().c_str());
    return 1;
  }
  server::Server& server = **started;
  std::printf("listening on %s\n", server.url().c_str());
  std::fflush(stdout);
  if (flags.ready_fd >= 0) {
    const std::string line = server.url() + "\n";
    if (write(flags.ready_fd, line.data(), line.size()) < 0) log.Warn("cannot write to --ready-fd");
    close(flags.ready_fd);
  }
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  log.Info("stopping", {{"signal", signal_number == SIGTERM ? "SIGTERM" : "SIGINT"}});
  server.Stop();
  log.Info("stopped");
  return 0;
}

std::string AllSettings() {
  std::string text =
      "Settings for -E, the file (nested or dotted) and the environment (TIERCEL_HTTP_PORT for http.port):\n";
  for (const std::string_view name : server::ConfigBuilder::Names()) text.append("  ").append(name).append("\n");
  return text + "Exit status: 0 stopped by a signal, 1 could not start, 2 the configuration is wrong.";
}

}  // namespace

void AddServeCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command = app.add_subcommand("serve", "Run a node");
  command->add_option("--config", flags->config_file, "YAML file with settings")->check(CLI::ExistingFile);
  const auto add = [&](const char* flag, const char* setting, const char* help) {
    command->add_option_function<std::string>(
        flag, [flags, setting](const std::string& value) { flags->settings.emplace_back(setting, value); }, help);
  };
  add("--port", "http.port", "Port to listen on, 0 for any free one (http.port; 9200)");
  add("--host", "http.host", "Address to listen on (http.host; 127.0.0.1)");
  add("--data", "path.data", "Directory for everything the node keeps (path.data; data)");
  add("--name", "node.name", "Name of the node (node.name; tiercel)");
  add("--log-format", "log.format", "text or json (log.format; text)");
  add("--log-level", "log.level", "trace, debug, info, warn, error or off (log.level; info)");
  command->add_option_function<std::vector<std::string>>(
      "-E",
      [flags](const std::vector<std::string>& items) {
        for (const std::string& item : items) {
          const size_t equals = item.find('=');
          flags->settings.emplace_back(item.substr(0, equals),
                                       equals == std::string::npos ? "" : item.substr(equals + 1));
        }
      },
      "Any setting, as NAME=VALUE; may be repeated");
  command->add_option("--ready-fd", flags->ready_fd, "File descriptor that gets the URL when requests are answered");
  command->footer(AllSettings);
  command->callback([flags, &exit_code] { exit_code = RunServe(*flags); });
}

}  // namespace tiercel::app
