// VerifyStore: reads everything a node keeps and says what is not as it was written.
//
// Offline: nobody writes the store meanwhile. Every checksum of every object is checked, and the invariants of
// metadata, manifests, segments, live documents and logs. Thread safety: a free function over a thread-safe store.
// Cost: one read of all objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/shard/shard.h"
#include "tiercel/store/object_store.h"

namespace tiercel::engine {

struct StoreReport {
  uint64_t indices = 0, shards = 0, objects = 0, bytes = 0, documents = 0, log_operations = 0;
  std::vector<shard::VerifyProblem> problems;  // each names its object and, inside one, the offset
};

// `known` are names outside indices/ that belong to others, who check them. Errors: only when the store cannot be
// listed.
Result<StoreReport> VerifyStore(const store::ObjectStore& store, const std::vector<std::string>& known);

}  // namespace tiercel::engine
