// Recovery: brings a shard back from its objects: newest manifest, its segments, and the log behind it.
//
// Thread safety: one thread, before the shard is handed out. Lifetime: borrows its parts during the call.
#pragma once

#include "tiercel/base/status.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/garbage.h"
#include "tiercel/shard/manifest_owner.h"
#include "tiercel/shard/refresher.h"
#include "tiercel/shard/segment_registry.h"
#include "tiercel/shard/write_path.h"

namespace tiercel::shard {

struct RecoveryParts {
  ShardContext& context;
  SegmentRegistry& registry;
  WritePath& writes;
  Refresher& refresher;
  ManifestOwner& owner;
  Garbage& garbage;
};
Status Recover(RecoveryParts parts);

}  // namespace tiercel::shard
