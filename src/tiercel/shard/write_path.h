// WritePath: group commit. Operations queue up; one caller leads, takes all that wait, and commits them as one batch.
//
//   check version → stage in the buffer → append to the log → sync → enter into the version map → acknowledge
//
// Invariants (docs/design/write-path.md): S1 nothing is acknowledged or readable before its record is in the log, and
// under request durability synced; S2 a batch whose append or sync failed leaves no trace a reader or a replay can see;
// S3 sequence numbers of valid records are contiguous; S4 a buffer is swapped between batches only.
//
// Thread safety: all methods from any thread. Locks, outer first: commit_mutex_ (one batch at a time; held across log
// I/O by design), state_mutex_ (version map and buffer pointer; never across I/O), then the buffer's and the
// registry's. Lifetime: borrows context and registry. Cost: one log append and sync per batch, shared by all who wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/log.h"
#include "tiercel/shard/segment_registry.h"
#include "tiercel/shard/version_map.h"
#include "tiercel/shard/write_buffer.h"

namespace tiercel::shard {

struct LogCut {
  int64_t seq_no = -1;          // every operation up to here is in the buffers taken so far
  uint64_t log_generation = 0;  // the log that holds what comes after
};

class WritePath {
 public:
  WritePath(ShardContext& context, SegmentRegistry& registry);

  std::vector<OperationResult> Apply(std::span<Operation> operations) EXCLUDES(commit_mutex_, state_mutex_);
  Result<std::optional<StoredDocument>> Get(std::string_view id) EXCLUDES(state_mutex_);

  // Replay, before Start: an operation that is durable already.
  Status Replay(const LogRecord& record) EXCLUDES(commit_mutex_, state_mutex_);
  // Begins the new owner's log. Nothing can be written before.
  Status Start(uint64_t primary_term, uint64_t last_log_generation, int64_t max_seq_no) EXCLUDES(commit_mutex_);

  // Takes the buffer for freezing, or null when it is empty. The one taken before must have been published.
  std::shared_ptr<WriteBuffer> TakeBuffer() EXCLUDES(commit_mutex_, state_mutex_);
  // As TakeBuffer, at a log boundary: the log rolls when it holds operations.
  Result<LogCut> Cut(std::shared_ptr<WriteBuffer>* buffer) EXCLUDES(commit_mutex_, state_mutex_);
  // The buffer taken last has become part of `segments`: publishes them.
  void Publish(std::vector<ShardSegment> segments) EXCLUDES(state_mutex_);
  // Everything up to `seq_no` is in a manifest.
  void Persisted(int64_t seq_no) EXCLUDES(commit_mutex_);
  Status Sync() EXCLUDES(commit_mutex_);

  struct Progress {
    int64_t max_seq_no = -1;
    uint64_t buffer_bytes = 0, log_bytes = 0, log_operations = 0, log_generation = 0;
    bool unsynced = false, log_suspect = false;
  };
  Progress progress() const EXCLUDES(state_mutex_);
  bool buffer_empty() const EXCLUDES(state_mutex_);
  uint64_t buffer_bytes() const EXCLUDES(state_mutex_);
  uint64_t primary_term() const { return primary_term_.load(std::memory_order_relaxed); }

 private:
  struct Request;
  struct Staged;
  struct Batch;
  struct Located;

  void Lead() REQUIRES(commit_mutex_) EXCLUDES(state_mutex_);
  void Stage(Operation& operation, OperationResult& result, Batch& batch) REQUIRES(commit_mutex_)
      EXCLUDES(state_mutex_);
  Result<Located> Locate(std::string_view id) EXCLUDES(state_mutex_);
  Status Log(const Batch& batch) REQUIRES(commit_mutex_);
  // A log that exists already is another owner's: the shard fails.
  Status Fence(Status logged);
  void Abandon(Batch& batch, const Status& why) REQUIRES(commit_mutex_) EXCLUDES(state_mutex_);
  void Enter(Batch& batch) REQUIRES(commit_mutex_) EXCLUDES(state_mutex_);
  std::shared_ptr<WriteBuffer> SwapBuffer() REQUIRES(commit_mutex_) EXCLUDES(state_mutex_);
  void NoteProgress() REQUIRES(commit_mutex_) EXCLUDES(state_mutex_);

  ShardContext& context_;
  SegmentRegistry& registry_;

  Mutex queue_mutex_;
  std::vector<Request*> queue_ GUARDED_BY(queue_mutex_);

  Mutex commit_mutex_;
  std::unique_ptr<LogWriter> log_ GUARDED_BY(commit_mutex_);
  int64_t next_seq_no_ GUARDED_BY(commit_mutex_) = 0;
  std::atomic<uint64_t> primary_term_{1};

  mutable Mutex state_mutex_;
  VersionMap versions_ GUARDED_BY(state_mutex_);
  std::shared_ptr<WriteBuffer> buffer_ GUARDED_BY(state_mutex_);
  Progress progress_ GUARDED_BY(state_mutex_);
};

}  // namespace tiercel::shard
