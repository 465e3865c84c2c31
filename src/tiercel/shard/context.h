// ShardContext: what the parts of one shard share: options, live settings, counters, and whether the shard has failed.
//
// A shard fails when its memory no longer matches what was acknowledged, or when somebody else owns it now. From then
// on every call answers the reason; opening it again recovers from the store.
//
// Thread safety: all methods from any thread; its mutex is a leaf, taken while holding any other. Lifetime: owned by
// the Shard, outlives its parts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "tiercel/base/mutex.h"
#include "tiercel/shard/shard.h"

namespace tiercel::shard {

struct ShardCounters {
  std::atomic<uint64_t> index_total{0}, delete_total{0}, get_total{0}, refresh_total{0}, flush_total{0};
  std::atomic<uint64_t> merge_total{0}, merge_docs{0}, merge_bytes{0}, merges_current{0};
  std::atomic<uint64_t> index_ns{0}, refresh_ns{0}, flush_ns{0}, merge_ns{0};
};

class ShardContext {
 public:
  explicit ShardContext(ShardOptions options)
      : options_(std::move(options)), settings_(std::make_shared<const ShardSettings>(options_.settings)) {}

  const ShardOptions& options() const { return options_; }
  store::ObjectStore& store() const { return *options_.store; }
  Clock& clock() const { return *options_.clock; }
  const std::string& prefix() const { return options_.prefix; }
  ShardCounters& counters() { return counters_; }
  const ShardCounters& counters() const { return counters_; }
  // Full object name of a name relative to the shard's prefix.
  std::string Path(std::string_view relative) const { return options_.prefix + "/" + std::string(relative); }

  std::shared_ptr<const ShardSettings> settings() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return settings_;
  }
  void set_settings(const ShardSettings& settings) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    settings_ = std::make_shared<const ShardSettings>(settings);
  }

  // Remembers the first reason, and returns it.
  Status Fail(Status why) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (failure_.ok()) failure_ = std::move(why);
    return failure_;
  }
  Status failure() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return failure_;
  }

 private:
  const ShardOptions options_;
  ShardCounters counters_;
  mutable Mutex mutex_;
  std::shared_ptr<const ShardSettings> settings_ GUARDED_BY(mutex_);
  Status failure_ GUARDED_BY(mutex_);
};

// Adds the time of a scope to one of the counters above.
class ScopedTimer {
 public:
  ScopedTimer(const Clock& clock, std::atomic<uint64_t>& total_ns)
      : clock_(clock), total_ns_(total_ns), start_(clock.MonotonicNs()) {}
  ~ScopedTimer() { total_ns_ += static_cast<uint64_t>(clock_.MonotonicNs() - start_); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  const Clock& clock_;
  std::atomic<uint64_t>& total_ns_;
  const int64_t start_;
};

}  // namespace tiercel::shard
