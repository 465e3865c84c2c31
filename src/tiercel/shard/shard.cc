#include "tiercel/shard/shard.h"

#include <algorithm>
#include <utility>

#include "tiercel/shard/recovery.h"
#include "tiercel/shard/shard_state.h"

namespace tiercel::shard {
namespace {

// Writers refresh themselves when the background thread lets the buffer grow to so many times its limit.
constexpr uint64_t kBufferBacklog = 2;
// How much longer than the refresh interval a waiter trusts the background thread.
constexpr int64_t kRefreshGraceMs = 500;

uint64_t Ms(const std::atomic<uint64_t>& ns) { return ns.load(std::memory_order_relaxed) / 1'000'000; }

bool AnyExhausted(const std::vector<OperationResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [](const auto& r) { return r.status.code() == Code::kResourceExhausted; });
}

}  // namespace

Shard::Shard(std::unique_ptr<State> state) : state_(std::move(state)) {}

Shard::~Shard() {
  state_->background.Stop();
  state_->merger.Stop();
}

Result<std::unique_ptr<Shard>> Shard::Open(ShardOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  const Status recovered =
      Recover({state->context, state->registry, state->writes, state->refresher, state->owner, state->garbage});
  if (!recovered.ok()) return Status(recovered).WithContext("opening shard " + state->context.prefix());
  if (state->context.options().background) state->background.Start();
  return std::unique_ptr<Shard>(new Shard(std::move(state)));
}

std::vector<OperationResult> Shard::Apply(std::span<Operation> operations) {
  std::vector<OperationResult> results = state_->writes.Apply(operations);
  const uint64_t limit = state_->context.settings()->buffer_bytes;
  const uint64_t bytes = state_->writes.buffer_bytes();
  const bool background = state_->context.options().background;
  if (bytes >= limit && background) state_->background.Wake();
  // The operations have their answers; a refresh that fails here is met again by the next one.
  if (bytes >= (background ? kBufferBacklog * limit : limit) || AnyExhausted(results))
    static_cast<void>(state_->refresher.Refresh());
  return results;
}

Result<std::optional<StoredDocument>> Shard::Get(std::string_view id, bool realtime) {
  TIERCEL_TRY(state_->context.failure());
  ++state_->context.counters().get_total;
  if (realtime) return state_->writes.Get(id);
  return ReadLive(*state_->registry.Current(), id);
}

Result<bool> Shard::Refresh() {
  TIERCEL_TRY_ASSIGN(const bool changed, state_->refresher.Refresh());
  if (changed) state_->merger.MergeInBackground();
  return changed;
}

Status Shard::WaitForRefresh() {
  TIERCEL_TRY(state_->context.failure());
  const int64_t seq_no = state_->writes.progress().max_seq_no;
  if (state_->refresher.refreshed_seq_no() >= seq_no) return {};
  if (state_->background.RefreshesItself()) {
    const int64_t interval_ms = state_->context.settings()->refresh_interval_ms;
    if (state_->refresher.WaitFor(seq_no, interval_ms + kRefreshGraceMs)) return {};
  }
  return Refresh().status();
}

Status Shard::Flush() { return state_->flusher.Flush(); }

Status Shard::ForceMerge(uint32_t max_segments, bool only_expunge_deletes) {
  TIERCEL_TRY(state_->refresher.Refresh().status());
  TIERCEL_TRY(state_->merger.ForceMerge(max_segments, only_expunge_deletes));
  return state_->flusher.Flush();
}

Status Shard::Sync() {
  TIERCEL_TRY(state_->context.failure());
  return state_->writes.Sync();
}

Result<uint64_t> Shard::CollectGarbage() { return state_->garbage.Collect(); }

Result<std::shared_ptr<const segment::Snapshot>> Shard::Acquire() {
  TIERCEL_TRY(state_->context.failure());
  if (state_->background.NoteSearch() && !state_->writes.buffer_empty()) TIERCEL_TRY(Refresh().status());
  return state_->registry.Current()->snapshot;
}

ShardStats Shard::Stats() const {
  ShardStats stats;
  const std::shared_ptr<const SegmentSet> set = state_->registry.Current();
  for (const ShardSegment& segment : set->segments) {
    stats.docs += segment.view.live_count();
    stats.deleted_docs += segment.view.segment->doc_count() - segment.view.live_count();
    stats.store_bytes += segment.view.segment->size_bytes();
  }
  stats.segments = set->segments.size();
  const WritePath::Progress progress = state_->writes.progress();
  stats.buffer_bytes = progress.buffer_bytes;
  stats.log_bytes = progress.log_bytes;
  stats.log_operations = progress.log_operations;
  stats.max_seq_no = progress.max_seq_no;
  stats.local_checkpoint = progress.max_seq_no;  // operations complete in order
  stats.manifest_generation = state_->owner.current().generation;
  const ShardCounters& counters = state_->context.counters();
  stats.index_total = counters.index_total;
  stats.delete_total = counters.delete_total;
  stats.get_total = counters.get_total;
  stats.refresh_total = counters.refresh_total;
  stats.flush_total = counters.flush_total;
  stats.merge_total = counters.merge_total;
  stats.merge_docs = counters.merge_docs;
  stats.merge_bytes = counters.merge_bytes;
  stats.merges_current = counters.merges_current;
  stats.index_time_ms = Ms(counters.index_ns);
  stats.refresh_time_ms = Ms(counters.refresh_ns);
  stats.flush_time_ms = Ms(counters.flush_ns);
  stats.merge_time_ms = Ms(counters.merge_ns);
  return stats;
}

std::vector<Shard::SegmentStatus> Shard::Segments() const {
  const manifest::Manifest manifest = state_->owner.current();
  const std::shared_ptr<const SegmentSet> set = state_->registry.Current();  // keeps what the loop walks
  std::vector<SegmentStatus> statuses;
  for (const ShardSegment& segment : set->segments) {
    const bool committed =
        !segment.in_memory() && std::any_of(manifest.segments.begin(), manifest.segments.end(),
                                            [&](const auto& entry) { return entry.object == segment.object; });
    const uint32_t docs = segment.view.segment->doc_count();
    const uint32_t live = segment.view.live_count();
    statuses.push_back({.name = segment.name(),
                        .docs = live,
                        .deleted = docs - live,
                        .bytes = segment.view.segment->size_bytes(),
                        .committed = committed,
                        .search = true});
  }
  return statuses;
}

int64_t Shard::primary_term() const { return static_cast<int64_t>(state_->writes.primary_term()); }

Status Shard::UpdateSettings(const ShardSettings& settings) {
  state_->context.set_settings(settings);
  state_->background.Wake();
  // What was acknowledged before a sync must not stay that way once every request is promised one.
  if (settings.durability == Durability::kRequest) return Sync();
  return {};
}

}  // namespace tiercel::shard
