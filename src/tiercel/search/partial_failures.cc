#include "tiercel/search/partial_failures.h"

#include <algorithm>

#include "tiercel/json/error_object.h"
#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

std::string_view IndexOf(const Status& error) {
  for (const auto& [key, value] : error.attributes()) {
    if (key == "index") return value;
  }
  return {};
}

}  // namespace

PartialFailures::PartialFailures(std::span<const SearchTarget> targets) {
  for (const SearchTarget& target : targets) {
    for (const ShardError& error : target.unreadable)
      failures_.push_back({target.index, error.shard, 1, ShardFailure(error.reason, target.index)});
  }
}

bool PartialFailures::Exclude(const Status& error, std::vector<SearchTarget>& targets) {
  if (error.type() != "search_phase_execution_exception" || error.cause() == nullptr) return false;
  const auto failed = std::find_if(targets.begin(), targets.end(),
                                   [&](const SearchTarget& target) { return target.index == IndexOf(error); });
  if (failed == targets.end()) return false;
  failures_.push_back({failed->index, 0, failed->shards.size(), error});
  targets.erase(failed);
  return true;
}

Status PartialFailures::All(bool others_answer) const {
  if (failures_.size() == 1 && !others_answer) return failures_[0].error;
  Status all = Status(failures_[0].error.code(), others_answer ? "Partial shards failure" : "all shards failed")
                   .WithType("search_phase_execution_exception")
                   .With("phase", "query");
  for (const Failure& failure : failures_) all = std::move(all).WithCause(failure.error);
  return all;
}

void PartialFailures::WriteShards(std::span<const SearchTarget> able, json::Writer& writer) const {
  size_t successful = 0, failed = 0;
  for (const SearchTarget& target : able) successful += target.shards.size();
  for (const Failure& failure : failures_) failed += failure.shards;
  writer.Object([&] {
    writer.Member("total", successful + failed).Member("successful", successful).Member("skipped", 0);
    writer.Member("failed", failed);
    if (failures_.empty()) return;
    writer.Key("failures").Array([&] {
      for (const Failure& failure : failures_) {
        writer.Object([&] {
          writer.Member("shard", failure.shard).Member("index", std::string_view(failure.index)).Key("reason");
          json::WriteErrorObject(*failure.error.cause(), writer);
        });
      }
    });
  });
}

}  // namespace tiercel::search
