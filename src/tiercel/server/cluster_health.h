// The health of the cluster, counted from the indices: one node holds every primary and no replica.
//
// Thread safety: free functions and values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tiercel/engine/engine.h"

namespace tiercel::server {

struct ShardCounts {
  uint64_t primaries = 0, replicas = 0;  // replicas have no node to be on: all of them are unassigned

  std::string_view status() const { return replicas > 0 ? "yellow" : "green"; }
  double active_percent() const {
    const uint64_t all = primaries + replicas;
    return all == 0 ? 100.0 : 100.0 * static_cast<double>(primaries) / static_cast<double>(all);
  }
};

ShardCounts CountShards(const engine::IndexMetadata& metadata);
ShardCounts CountShards(std::span<const engine::IndexMetadataPtr> indices);

}  // namespace tiercel::server
