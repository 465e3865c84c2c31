#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "tiercel/engine/verify.h"
#include "tiercel/server/node_identity.h"
#include "tiercel/store/directory_store.h"

namespace tiercel::app {
namespace {

// 0: everything is as it was written; 1: something is not; 2: the check could not be done.
int RunVerify(const std::string& directory, bool quiet) {
  const auto store = store::DirectoryStore::OpenReadOnly(directory);
  if (!store.ok()) {
    std::fprintf(stderr, "tiercel verify: %s\n", store.error().message().c_str());
    return 2;
  }
  Result<engine::StoreReport> report = engine::VerifyStore(**store, {server::NodeIdentity::kObject});
  if (!report.ok()) {
    std::fprintf(stderr, "tiercel verify: %s\n", report.error().message().c_str());
    return 2;
  }
  const Result<server::NodeIdentity> identity = server::NodeIdentity::Read(**store);
  if (!identity.ok() && identity.error().code() != Code::kNotFound) {
    report->problems.push_back({server::NodeIdentity::kObject, identity.error().message()});
  }
  for (const shard::VerifyProblem& problem : report->problems)
    std::printf("BAD %s: %s\n", problem.object.c_str(), problem.what.c_str());
  if (!quiet) {
    std::printf(
        "%llu indices, %llu shards, %llu objects, %llu bytes, %llu documents in segments, %llu operations in logs: ",
        static_cast<unsigned long long>(report->indices), static_cast<unsigned long long>(report->shards),
        static_cast<unsigned long long>(report->objects), static_cast<unsigned long long>(report->bytes),
        static_cast<unsigned long long>(report->documents), static_cast<unsigned long long>(report->log_operations));
    std::printf(report->problems.empty() ? "all good\n" : "%zu problems\n", report->problems.size());
  }
  return report->problems.empty() ? 0 : 1;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, int& exit_code) {
  struct Flags {
    std::string directory;
    bool quiet = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("verify", "Check every checksum and invariant of a data directory that no server is using");
  command->add_option("directory", flags->directory, "Data directory")->required()->check(CLI::ExistingDirectory);
  command->add_flag("--quiet", flags->quiet, "Print problems only");
  command->footer(
      "Exit status: 0 all good, 1 problems (one line each: object and offset), 2 the check could not be done.");
  command->callback([flags, &exit_code] { exit_code = RunVerify(flags->directory, flags->quiet); });
}

}  // namespace tiercel::app
