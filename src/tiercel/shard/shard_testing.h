// For the tests of the shard and the fault tests: documents with one number, operations, and a shard over any store.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/clock.h"
#include "tiercel/mapping/document.h"
#include "tiercel/shard/shard.h"

namespace tiercel::shard {

inline constexpr std::string_view kTestPrefix = "indices/u/0";

// {"n":7}
std::string NumberSource(int64_t number);
// The document with that source; what a shard under test replays with.
Result<mapping::ParsedDocument> ParseNumber(std::string_view id, std::string source);

Operation IndexOp(std::string id, int64_t number);
Operation CreateOp(std::string id, int64_t number);
Operation DeleteOp(std::string id);
OperationResult ApplyOne(Shard& shard, Operation operation);

ShardOptions TestOptions(store::ObjectStore& store, Clock& clock);

// Every live document a search would find, id to source; fails the test when an id is live twice or cannot be read.
std::map<std::string, std::string> SearchAll(Shard& shard);
// What Get answers, or "-".
std::string GetSource(Shard& shard, std::string_view id);
// VerifyShard's problems, one a line; those about orphans only when asked for.
std::string Problems(const store::ObjectStore& store, bool orphans);

}  // namespace tiercel::shard
