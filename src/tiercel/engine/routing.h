// Which shard of its index a document belongs to: XXH3-64 of its routing value (its id when it has none), modulo the
// number of shards. Part of the stored format: changing it would lose documents. docs/format/index_metadata.md.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "tiercel/format/checksum.h"

namespace tiercel::engine {

inline uint32_t ShardNumber(std::string_view routing_or_id, uint32_t number_of_shards) {
  return static_cast<uint32_t>(format::Checksum(AsBytes(routing_or_id)) % number_of_shards);
}

}  // namespace tiercel::engine
