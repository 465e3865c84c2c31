// Which indices of a search cannot answer, and a driver that searches the others.
//
// A failing index is found by running: the run is repeated without it, so that no code on the way has to work with a
// list of indices that has holes. Errors are rare; a search without any costs nothing extra.
//
// Thread safety: one thread.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/writer.h"
#include "tiercel/search/search.h"

namespace tiercel::search {

class PartialFailures {
 public:
  // Takes over what `targets` say is unreadable.
  explicit PartialFailures(std::span<const SearchTarget> targets);

  // Moves the target that `error` (a ShardFailure) is about out of `targets`. False for errors of the whole search.
  bool Exclude(const Status& error, std::vector<SearchTarget>& targets);
  bool empty() const { return failures_.empty(); }
  // All of them as one search_phase_execution_exception, one cause each.
  Status All(bool others_answer) const;
  // The _shards object: `able` answered.
  void WriteShards(std::span<const SearchTarget> able, json::Writer& writer) const;

 private:
  struct Failure {
    std::string index;
    uint32_t shard = 0;
    size_t shards = 1;  // how many failed for this reason
    Status error;       // a search_phase_execution_exception
  };
  std::vector<Failure> failures_;
};

// run(able targets, failures so far) -> Result<T>, again and again until it succeeds without the targets that fail,
// none is left, or it fails as a whole.
template <typename T, typename Run>
Result<T> RunOnAbleTargets(std::span<const SearchTarget> targets, bool allow_partial, const Run& run) {
  PartialFailures failures(targets);
  std::vector<SearchTarget> able;  // a copy, from the first failure on
  std::span<const SearchTarget> current = targets;
  const auto copy = [&] {
    if (!able.empty()) return;
    able.assign(targets.begin(), targets.end());
    std::erase_if(able, [](const SearchTarget& target) { return target.shards.empty() && !target.unreadable.empty(); });
    current = able;
  };
  if (!failures.empty()) copy();
  for (;;) {
    if (!failures.empty() && current.empty()) return failures.All(false);
    Result<T> outcome = run(current, failures);
    if (outcome.ok() && !failures.empty() && !allow_partial) return failures.All(true);
    if (outcome.ok() || targets.size() == 1) return outcome;
    copy();
    if (!failures.Exclude(outcome.status(), able)) return outcome;
    current = able;
  }
}

}  // namespace tiercel::search
