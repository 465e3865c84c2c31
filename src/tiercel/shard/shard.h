// Shard: the write side of one shard, and the snapshots that searches read.
//
// Write path: check the version → assign a sequence number → append to the log → sync (group commit) → apply to the
// write buffer → acknowledge. An operation whose append or sync failed is not applied and not acknowledged; the log is
// cut back and the shard goes on. docs/design/write-path.md has the state machine; invariants S1… stand in shard.cc and
// the tests cite them.
//
// Thread safety: all methods from any thread. Writes are serialised inside; reads never wait for writes or merges.
// Lifetime: owns its background refresh and merge; the destructor stops them and flushes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/base/clock.h"
#include "tiercel/base/result.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/segment/builder.h"
#include "tiercel/segment/source.h"
#include "tiercel/store/object_store.h"

namespace tiercel::shard {

enum class Durability { kRequest, kAsync };

struct ShardSettings {
  Durability durability = Durability::kRequest;
  int64_t sync_interval_ms = 5000;         // async durability
  int64_t refresh_interval_ms = 1000;      // -1: never by itself
  bool refresh_interval_explicit = false;  // an explicit interval refreshes even when nobody searches
  int64_t search_idle_after_ms = 30000;
  uint64_t flush_threshold_bytes = 512ull << 20;  // log size that triggers a flush
  uint64_t buffer_bytes = 64ull << 20;            // write buffer size that triggers a refresh
  int64_t gc_deletes_ms = 60000;                  // how long versions of deleted ids are remembered
  std::string codec = "lz4";
};

struct ShardOptions {
  std::string prefix;  // "indices/<uuid>/<shard number>"
  ShardSettings settings;
  store::ObjectStore* store = nullptr;
  runtime::ThreadPool* merge_pool = nullptr;
  runtime::MemoryBudget* budget = nullptr;
  Clock* clock = nullptr;
  bool background = true;  // refresh, merge and async sync on their own; tests turn it off and call
  // Parses an operation's source during log replay, under the index's current mapping.
  std::function<Result<mapping::ParsedDocument>(std::string_view id, std::string source)> parse;
};

enum class VersionType { kInternal, kExternal, kExternalGte };

struct Operation {
  enum class Kind { kIndex, kCreate, kDelete } kind = Kind::kIndex;
  std::string id;
  std::string routing;
  // kIndex and kCreate; document.source is what the log stores.
  std::unique_ptr<mapping::ParsedDocument> document;
  std::optional<int64_t> if_seq_no;
  std::optional<int64_t> if_primary_term;
  std::optional<int64_t> version;
  VersionType version_type = VersionType::kInternal;
};

struct OperationResult {
  Status
      status;  // Conflict: version_conflict_engine_exception with ES's message; Unavailable: not durable, not applied
  int64_t seq_no = -2;
  int64_t primary_term = 0;
  int64_t version = -1;
  enum class Outcome { kCreated, kUpdated, kDeleted, kNotFound } outcome = Outcome::kCreated;
};

struct StoredDocument {
  std::string source;
  std::string routing;
  int64_t seq_no = 0;
  int64_t primary_term = 0;
  int64_t version = 0;
};

struct ShardStats {
  uint64_t docs = 0, deleted_docs = 0, segments = 0, store_bytes = 0, buffer_bytes = 0, log_bytes = 0,
           log_operations = 0;
  uint64_t index_total = 0, delete_total = 0, get_total = 0, refresh_total = 0, flush_total = 0;
  uint64_t merge_total = 0, merge_docs = 0, merge_bytes = 0;
  uint64_t index_time_ms = 0, refresh_time_ms = 0, flush_time_ms = 0, merge_time_ms = 0, merges_current = 0;
  int64_t max_seq_no = -1, local_checkpoint = -1;
  uint64_t manifest_generation = 0;
};

class Shard {
 public:
  // Reads the newest manifest (or creates the first), replays the log, removes orphans of earlier crashes.
  static Result<std::unique_ptr<Shard>> Open(ShardOptions options);
  ~Shard();

  // Applies operations in order; one log sync for all (shared with concurrent callers). results[i] belongs to
  // operations[i].
  std::vector<OperationResult> Apply(std::span<Operation> operations);

  // Realtime: sees every acknowledged write. Nothing when the id does not exist.
  Result<std::optional<StoredDocument>> Get(std::string_view id, bool realtime = true);

  // Makes every applied operation visible to snapshots. Returns whether anything changed.
  Result<bool> Refresh();
  // Blocks until a refresh made everything applied before the call visible; triggers one when none is scheduled.
  Status WaitForRefresh();
  // Refresh, write memory segments to the store, commit a manifest, drop the log behind it.
  Status Flush();
  // Merges down to at most `max_segments`; with only_expunge_deletes rewrites segments with deletes.
  Status ForceMerge(uint32_t max_segments, bool only_expunge_deletes = false);
  // Syncs the log now (async durability).
  Status Sync();
  // Deletes objects that no manifest, snapshot or merge in flight needs. Returns how many.
  Result<uint64_t> CollectGarbage();

  // What a search reads. Marks the shard as searched; after search-idle the first search refreshes.
  Result<std::shared_ptr<const segment::Snapshot>> Acquire();

  ShardStats Stats() const;
  // Segments of the current snapshot with committed (in a manifest) and memory flags, for _segments and _cat/segments.
  struct SegmentStatus {
    std::string name;
    uint32_t docs, deleted;
    uint64_t bytes;
    bool committed, search;
  };
  std::vector<SegmentStatus> Segments() const;
  int64_t primary_term() const;
  Status UpdateSettings(const ShardSettings& settings);

 private:
  struct State;
  explicit Shard(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Offline check of a shard's objects below `prefix`: manifest, segments, live docs, log. Every problem found, each
// naming object and offset; orphans are reported as such.
struct VerifyProblem {
  std::string object;
  std::string what;
};
struct VerifyReport {
  uint64_t objects = 0, bytes = 0, documents = 0, log_operations = 0;
  std::vector<VerifyProblem> problems;
};
Result<VerifyReport> VerifyShard(const store::ObjectStore& store, std::string_view prefix);

}  // namespace tiercel::shard
