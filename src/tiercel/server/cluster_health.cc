#include "tiercel/server/cluster_health.h"

namespace tiercel::server {

ShardCounts CountShards(const engine::IndexMetadata& metadata) {
  const uint64_t shards = metadata.settings.number_of_shards();
  return {shards, shards * metadata.settings.number_of_replicas()};
}

ShardCounts CountShards(std::span<const engine::IndexMetadataPtr> indices) {
  ShardCounts sum;
  for (const engine::IndexMetadataPtr& metadata : indices) {
    const ShardCounts counts = CountShards(*metadata);
    sum.primaries += counts.primaries;
    sum.replicas += counts.replicas;
  }
  return sum;
}

}  // namespace tiercel::server
