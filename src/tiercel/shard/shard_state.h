// Shard::State: the parts of a shard, in order of construction. Private to shard.cc and the module's tests.
//
// Thread safety and lifetime: those of the parts. The background thread and merges are stopped before anything is
// destroyed.
#pragma once

#include <utility>

#include "tiercel/shard/background.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/flusher.h"
#include "tiercel/shard/garbage.h"
#include "tiercel/shard/manifest_owner.h"
#include "tiercel/shard/merger.h"
#include "tiercel/shard/refresher.h"
#include "tiercel/shard/segment_registry.h"
#include "tiercel/shard/shard.h"
#include "tiercel/shard/write_path.h"

namespace tiercel::shard {

struct Shard::State {
  explicit State(ShardOptions options)
      : context(std::move(options)),
        registry(context),
        writes(context, registry),
        refresher(context, registry, writes),
        merger(context, registry, refresher),
        owner(context),
        garbage(context, registry, owner),
        flusher({context, registry, writes, refresher, merger, owner, garbage}),
        background({context, registry, writes, refresher, merger, flusher}) {}

  ShardContext context;
  SegmentRegistry registry;
  WritePath writes;
  Refresher refresher;
  Merger merger;
  ManifestOwner owner;
  Garbage garbage;
  Flusher flusher;
  Background background;
};

}  // namespace tiercel::shard
