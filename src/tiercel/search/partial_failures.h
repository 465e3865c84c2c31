// PartialFailures: which indices of a search cannot answer, and what the response says of them.
//
// A failing index is found by running: Execute repeats the run without it, so that no code on the way has to work with
// a list of indices that has holes.
//
// Thread safety: one thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/writer.h"
#include "tiercel/search/search.h"

namespace tiercel::search {

class PartialFailures {
 public:
  // Takes over what `targets` say is unreadable.
  explicit PartialFailures(std::span<const SearchTarget> targets);

  // Moves the target that `error`, a ShardFailure, is about out of `targets`. False for errors of the whole search.
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

}  // namespace tiercel::search
