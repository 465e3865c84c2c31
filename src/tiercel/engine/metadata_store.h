// Where index metadata lives: `indices/<uuid>/meta/<generation, 16 hex digits>`, one immutable object after another.
//
// The object of generation 1 is what makes an index exist; `indices/<uuid>/tombstone` is what ends it. Invariants:
//   E1  An index exists exactly when it has a metadata object and no tombstone.
//   E2  The newest generation is the truth; one that cannot be decoded is an error of that index, never skipped.
//   E3  A tombstone is the last object of its index to be deleted, so an interrupted deletion is finished at the next
//   start.
//
// Thread safety: free functions over a thread-safe store; callers serialise the changes of one index.
// Cost: a change is one put and one delete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/engine/index_metadata.h"
#include "tiercel/store/object_store.h"

namespace tiercel::engine {

// "indices/<uuid>".
std::string IndexPrefix(std::string_view uuid);

// Writes `metadata` durably as its next generation, which is set, and deletes the generation before. When the store
// left the outcome of an earlier attempt open, generations that exist are stepped over.
Status CommitMetadata(store::ObjectStore& store, IndexMetadata& metadata);

// The index is gone once this returns OK. Its objects are removed by RemoveIndex.
Status PutTombstone(store::ObjectStore& store, std::string_view uuid);
// Deletes every object of a tombstoned index, the tombstone last.
Status RemoveIndex(store::ObjectStore& store, std::string_view uuid);

struct StoredIndices {
  std::vector<IndexMetadata> indices;   // sorted by uuid
  std::vector<std::string> tombstoned;  // uuids whose removal is not finished
  std::vector<Status> problems;         // indices that cannot be read, each naming its object
};
Result<StoredIndices> LoadIndices(const store::ObjectStore& store);

}  // namespace tiercel::engine
