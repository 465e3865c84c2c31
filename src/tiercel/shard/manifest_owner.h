// ManifestOwner: the shard's place in the sequence of manifest generations.
//
// A commit that failed may have happened all the same; Resolve asks the store before anything is built on either
// assumption. When the store has a generation that this owner did not write, somebody else owns the shard now, and the
// shard fails.
//
// Thread safety: all methods from any thread. Its mutex is held across manifest I/O by design, and is taken before any
// other but the flusher's. Lifetime: borrows the context.
#pragma once

#include <optional>

#include "tiercel/base/mutex.h"
#include "tiercel/manifest/manifest.h"
#include "tiercel/shard/context.h"

namespace tiercel::shard {

class ManifestOwner {
 public:
  explicit ManifestOwner(ShardContext& context) : context_(context) {}

  // Reads the newest generation and commits the next one with a higher term, or the first one of all.
  Status TakeOver() EXCLUDES(mutex_);
  // Commits `next` as the generation after the current one, under our term.
  Status Commit(manifest::Manifest next) EXCLUDES(mutex_);
  // Settles a commit of unknown outcome. OK: current() is what the store has.
  Status Resolve() EXCLUDES(mutex_);
  manifest::Manifest current() const EXCLUDES(mutex_);

 private:
  Status ResolveLocked() REQUIRES(mutex_);

  ShardContext& context_;
  mutable Mutex mutex_;
  manifest::Manifest current_ GUARDED_BY(mutex_);
  std::optional<manifest::Manifest> uncertain_ GUARDED_BY(mutex_);
};

}  // namespace tiercel::shard
