// Background: the shard's own thread. Refreshes on time, syncs an asynchronous log, flushes when the log or memory has
// grown or the shard has gone quiet, and asks for merges after each.
//
// Thread safety: Wake, NoteSearch and the questions from any thread. Lifetime: Stop joins the thread; borrows its
// parts. Cost: wakes up every refresh interval, or every second.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "tiercel/base/mutex.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/flusher.h"
#include "tiercel/shard/merger.h"
#include "tiercel/shard/refresher.h"
#include "tiercel/shard/write_path.h"

namespace tiercel::shard {

class Background {
 public:
  struct Parts {
    ShardContext& context;
    SegmentRegistry& registry;
    WritePath& writes;
    Refresher& refresher;
    Merger& merger;
    Flusher& flusher;
  };
  explicit Background(Parts parts);

  void Start();
  void Stop() EXCLUDES(mutex_);
  void Wake() EXCLUDES(mutex_);

  // Somebody searches. True when the shard was search-idle: what was written meanwhile is not visible yet.
  bool NoteSearch();
  // Whether a refresh will come by itself.
  bool RefreshesItself() const;

  // What one waking of the thread does. Public for tests, which have no thread.
  void RunDue();

 private:
  void Loop() EXCLUDES(mutex_);
  bool SearchIdle(const ShardSettings& settings) const;
  bool RefreshDue(const ShardSettings& settings, const WritePath::Progress& progress) const;
  bool FlushDue(const ShardSettings& settings, const WritePath::Progress& progress);

  const Parts parts_;
  std::atomic<int64_t> last_search_ms_;
  int64_t last_refresh_ms_;
  int64_t last_sync_ms_;
  int64_t last_flush_attempt_ms_;
  int64_t quiet_since_ms_;
  int64_t quiet_seq_no_ = -1;
  uint64_t merges_flushed_ = 0;

  std::thread thread_;
  Mutex mutex_;
  CondVar wake_;
  bool woken_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace tiercel::shard
