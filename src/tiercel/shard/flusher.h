// Flusher: makes everything applied durable in segments, commits a manifest that names them, and drops the log behind
// it.
//
//   cut the log and the buffer → segments of the cut to the store → live documents → manifest → old logs
//
// Invariant S8: a manifest describes one cut exactly: every operation up to persisted_seq_no and no effect of any later
// one. Under asynchronous durability a later delete could otherwise outlive the document that replaced what it deleted.
//
// Thread safety: all methods from any thread; one flush at a time. Lock order: the flush mutex first of all; held
// across store I/O by design. Lifetime: borrows its parts. Cost: writes the memory segments once, merged into one when
// there are several.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/manifest/manifest.h"
#include "tiercel/shard/garbage.h"
#include "tiercel/shard/manifest_owner.h"
#include "tiercel/shard/merger.h"
#include "tiercel/shard/refresher.h"
#include "tiercel/shard/write_path.h"

namespace tiercel::shard {

class Flusher {
 public:
  struct Parts {
    ShardContext& context;
    SegmentRegistry& registry;
    WritePath& writes;
    Refresher& refresher;
    Merger& merger;
    ManifestOwner& owner;
    Garbage& garbage;
  };
  explicit Flusher(Parts parts) : parts_(parts) {}

  Status Flush() EXCLUDES(flush_mutex_);

 private:
  // The segments of the cut, all of them durable; memory segments were written and replaced in the published list.
  Result<std::vector<ShardSegment>> MakeDurable(const SegmentSet& set, std::vector<ObjectLease>& leases)
      REQUIRES(flush_mutex_);
  Result<ShardSegment> CopyToStore(const ShardSegment& segment, const std::string& object) REQUIRES(flush_mutex_);
  Status Upload(const ShardSegment& segment, const std::string& object) REQUIRES(flush_mutex_);
  Result<manifest::SegmentEntry> Describe(const ShardSegment& segment, const manifest::Manifest& previous,
                                          std::vector<ObjectLease>& leases) REQUIRES(flush_mutex_);

  const Parts parts_;
  Mutex flush_mutex_;
};

}  // namespace tiercel::shard
