// Versioning: whether an operation may happen, given what the shard knows of its id, and which version it then gets.
//
// Thread safety: pure. Cost: a few comparisons; a message when it conflicts.
#pragma once

#include <cstdint>

#include "tiercel/base/result.h"
#include "tiercel/shard/shard.h"

namespace tiercel::shard {

// What the shard knows of an id.
struct KnownVersion {
  enum class State : uint8_t { kUnknown, kLive, kDeleted } state = State::kUnknown;  // kDeleted: a tombstone
  int64_t seq_no = -2;
  int64_t primary_term = 0;
  int64_t version = -1;
};

struct VersionDecision {
  int64_t version = 1;
  OperationResult::Outcome outcome = OperationResult::Outcome::kCreated;
};

// Conflict, with Elasticsearch's wording, when the operation's conditions do not hold.
Result<VersionDecision> DecideVersion(const Operation& operation, const KnownVersion& known);

}  // namespace tiercel::shard
