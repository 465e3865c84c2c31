// Garbage: deletes objects below the shard's prefix that nothing needs: what no longer stands in the newest manifest,
// what crashes and failed uploads left, old manifests, logs behind the manifest.
//
// Needed (invariant M5): named by the newest manifest, by the published list, by a snapshot or a lease somebody still
// holds.
//
// Thread safety: all methods from any thread. Lifetime: borrows its parts. Cost: one listing; one delete per object.
#pragma once

#include <cstdint>

#include "tiercel/base/result.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/manifest_owner.h"
#include "tiercel/shard/segment_registry.h"

namespace tiercel::shard {

class Garbage {
 public:
  Garbage(ShardContext& context, SegmentRegistry& registry, ManifestOwner& owner)
      : context_(context), registry_(registry), owner_(owner) {}

  // How many objects were deleted. An error when one could not be; the others were still tried.
  Result<uint64_t> Collect();

 private:
  ShardContext& context_;
  SegmentRegistry& registry_;
  ManifestOwner& owner_;
};

}  // namespace tiercel::shard
