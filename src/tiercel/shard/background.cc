#include "tiercel/shard/background.h"

#include <algorithm>
#include <chrono>

namespace tiercel::shard {
namespace {

constexpr int64_t kLongestSleepMs = 1000;
// Without a write for this long, what is only in the log is flushed, so that the next open has nothing to replay.
constexpr int64_t kQuietFlushMs = 300'000;
// After a flush that failed.
constexpr int64_t kFlushRetryMs = 5000;
// Memory that segments of the write buffer may hold before a flush moves them to the store, in write buffers.
constexpr uint64_t kMemorySegmentBuffers = 4;

uint64_t MemorySegmentBytes(const SegmentSet& set) {
  uint64_t bytes = 0;
  for (const ShardSegment& segment : set.segments) {
    if (segment.in_memory()) bytes += segment.view.segment->size_bytes();
  }
  return bytes;
}

}  // namespace

Background::Background(Parts parts)
    : parts_(parts),
      last_search_ms_(parts.context.clock().MonotonicMs()),
      last_refresh_ms_(last_search_ms_),
      last_sync_ms_(last_search_ms_),
      last_flush_attempt_ms_(last_search_ms_ - kFlushRetryMs),
      quiet_since_ms_(last_search_ms_) {}

void Background::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void Background::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    wake_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Background::Wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  wake_.NotifyAll();
}

void Background::Loop() {
  while (true) {
    const int64_t interval_ms = parts_.context.settings()->refresh_interval_ms;
    const int64_t sleep_ms = interval_ms > 0 ? std::min(interval_ms, kLongestSleepMs) : kLongestSleepMs;
    {
      MutexLock lock(mutex_);
      if (!woken_ && !stopped_) wake_.WaitFor(mutex_, std::chrono::milliseconds(sleep_ms));
      if (stopped_) return;
      woken_ = false;
    }
    if (parts_.context.failure().ok()) RunDue();
  }
}

bool Background::NoteSearch() {
  const std::shared_ptr<const ShardSettings> settings = parts_.context.settings();
  const bool idle = SearchIdle(*settings);
  last_search_ms_ = parts_.context.clock().MonotonicMs();
  return idle;
}

bool Background::SearchIdle(const ShardSettings& settings) const {
  if (settings.refresh_interval_explicit || settings.refresh_interval_ms < 0) return false;
  return parts_.context.clock().MonotonicMs() - last_search_ms_ >= settings.search_idle_after_ms;
}

bool Background::RefreshesItself() const {
  const std::shared_ptr<const ShardSettings> settings = parts_.context.settings();
  return parts_.context.options().background && settings->refresh_interval_ms >= 0 && !SearchIdle(*settings);
}

bool Background::RefreshDue(const ShardSettings& settings, const WritePath::Progress& progress) const {
  if (progress.buffer_bytes >= settings.buffer_bytes) return true;
  if (settings.refresh_interval_ms < 0 || SearchIdle(settings)) return false;
  return parts_.context.clock().MonotonicMs() - last_refresh_ms_ >= settings.refresh_interval_ms &&
         parts_.refresher.refreshed_seq_no() < progress.max_seq_no;
}

bool Background::FlushDue(const ShardSettings& settings, const WritePath::Progress& progress) {
  const int64_t now_ms = parts_.context.clock().MonotonicMs();
  if (progress.max_seq_no != quiet_seq_no_) {
    quiet_seq_no_ = progress.max_seq_no;
    quiet_since_ms_ = now_ms;
  }
  if (now_ms - last_flush_attempt_ms_ < kFlushRetryMs) return false;
  if (progress.log_suspect || progress.log_bytes >= settings.flush_threshold_bytes) return true;
  const uint64_t memory_bytes = MemorySegmentBytes(*parts_.registry.Current());
  if (memory_bytes >= kMemorySegmentBuffers * settings.buffer_bytes) return true;
  // Objects that merges replaced stay until a manifest no longer names them.
  const bool merged = parts_.context.counters().merge_total != merges_flushed_;
  return now_ms - quiet_since_ms_ >= kQuietFlushMs && (progress.log_operations > 0 || memory_bytes > 0 || merged);
}

void Background::RunDue() {
  const std::shared_ptr<const ShardSettings> settings = parts_.context.settings();
  const int64_t now_ms = parts_.context.clock().MonotonicMs();
  const WritePath::Progress progress = parts_.writes.progress();
  // Failures leave everything as it was and are tried again on the next waking; what they mean for callers, callers
  // meet themselves: a write whose log fails, a refresh or flush that was asked for.
  bool changed = false;
  if (progress.unsynced && !progress.log_suspect &&
      (settings->durability == Durability::kRequest || now_ms - last_sync_ms_ >= settings->sync_interval_ms)) {
    last_sync_ms_ = now_ms;
    static_cast<void>(parts_.writes.Sync());
  }
  if (RefreshDue(*settings, progress)) {
    last_refresh_ms_ = now_ms;
    const Result<bool> refreshed = parts_.refresher.Refresh();
    changed = refreshed.ok() && *refreshed;
  }
  if (FlushDue(*settings, parts_.writes.progress())) {
    last_flush_attempt_ms_ = now_ms;
    const uint64_t merges = parts_.context.counters().merge_total;
    if (parts_.flusher.Flush().ok()) {
      merges_flushed_ = merges;
      changed = true;
    }
  }
  if (changed) parts_.merger.MergeInBackground();
}

}  // namespace tiercel::shard
