// NodeIdentity: the id of the node and the uuid of its cluster, which outlive restarts: the object "node/identity" of
// the store, three lines of text: both, and the XXH3-64 of the two lines before in hexadecimal.
//
// Thread safety: a value.
#pragma once

#include <string>

#include "tiercel/base/random.h"
#include "tiercel/base/result.h"
#include "tiercel/store/object_store.h"

namespace tiercel::server {

struct NodeIdentity {
  std::string node_id, cluster_uuid;

  // Reads the stored one, or makes and stores a new one. Corruption for text that is not ours.
  static Result<NodeIdentity> Load(store::ObjectStore& store, Random& random);
  // The stored one; NotFound when there is none.
  static Result<NodeIdentity> Read(const store::ObjectStore& store);
  static constexpr const char* kObject = "node/identity";
};

}  // namespace tiercel::server
