// The sections of _stats, shared with _nodes/stats: "docs", "store", "indexing", ...
//
// Every member that clients and Rally read is there; what this engine has no notion of (fielddata, warmers, ...) is
// zero. Thread safety: free functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/engine/engine.h"
#include "tiercel/json/writer.h"

namespace tiercel::server {

// Sums of counters over shards; maxima of sequence numbers.
shard::ShardStats SumStats(std::span<const shard::ShardStats> shards);

// Names of all sections in Elasticsearch's order.
std::span<const std::string_view> StatsSections();
// Writes the sections whose name is in `wanted` (empty: all) as members of the open object.
void WriteStatsSections(const shard::ShardStats& stats, uint64_t shard_count, const std::vector<std::string>& wanted,
                        json::Writer& writer);

}  // namespace tiercel::server
