// Refresher: turns the write buffer into a segment in memory and publishes it, with the deletes it brings for older
// segments.
//
// Every change of the published list is made with the publish mutex held, from the current list: a refresh for as long
// as its freeze takes, a merge or a flush only to swap results in. Writers and searches never take this mutex.
//
// Invariant S6: a refresh that failed half way (an id could not be looked up in an older segment) keeps its frozen
// buffer, which stays readable by id, and the next refresh finishes it first.
//
// Thread safety: all methods from any thread. Lock order: publish mutex, then those of the write path.
// Lifetime: borrows its parts. Cost: linear in the buffer; copy-on-write of the live documents of segments that lose
// some.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/segment_registry.h"
#include "tiercel/shard/write_path.h"

namespace tiercel::shard {

class Refresher {
 public:
  Refresher(ShardContext& context, SegmentRegistry& registry, WritePath& writes)
      : context_(context), registry_(registry), writes_(writes) {}

  // Whether anything changed.
  Result<bool> Refresh() EXCLUDES(publish_mutex_);
  // Refresh at a log boundary. `set` holds exactly the operations up to the cut, and no delete beyond it.
  struct CutSet {
    LogCut cut;
    std::shared_ptr<const SegmentSet> set;
  };
  Result<CutSet> Cut() EXCLUDES(publish_mutex_);
  // Lets `change` edit the published list; publishes it when OK.
  Status Edit(const std::function<Status(std::vector<ShardSegment>&)>& change) EXCLUDES(publish_mutex_);

  // The highest sequence number that snapshots see, and waiting for it with a bound.
  int64_t refreshed_seq_no() const EXCLUDES(progress_mutex_);
  bool WaitFor(int64_t seq_no, int64_t timeout_ms) EXCLUDES(progress_mutex_);

 private:
  struct Pending {
    std::shared_ptr<WriteBuffer> buffer;
    std::string name;
    int64_t max_seq_no;
  };
  Status PublishPending() REQUIRES(publish_mutex_);
  Status ApplyDeletes(const std::vector<PendingDelete>& deletes, std::vector<ShardSegment>& segments)
      REQUIRES(publish_mutex_);
  void NoteRefreshed(int64_t seq_no) EXCLUDES(progress_mutex_);

  ShardContext& context_;
  SegmentRegistry& registry_;
  WritePath& writes_;
  Mutex publish_mutex_;
  std::optional<Pending> pending_ GUARDED_BY(publish_mutex_);
  mutable Mutex progress_mutex_;
  CondVar refreshed_;
  int64_t refreshed_seq_no_ GUARDED_BY(progress_mutex_) = -1;
};

}  // namespace tiercel::shard
