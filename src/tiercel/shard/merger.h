// Merger: replaces several segments by one that holds their live documents.
//
// A merge works on the segments and live documents of one moment, without any lock. When it is done, deletes that
// happened meanwhile are carried over to the new segment, and it takes the place of its inputs in one step (invariant
// S7: the live documents before and after that step are the same).
//
// Thread safety: all methods from any thread; reservations keep two merges, or a merge and a flush, off the same
// segment. Lifetime: Stop cancels and waits for merges on the pool; it must have returned before destruction. Cost:
// linear in the bytes of the inputs; background merges write no faster than the rate limit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/runtime/cancellation.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/merge_policy.h"
#include "tiercel/shard/refresher.h"
#include "tiercel/shard/segment_registry.h"

namespace tiercel::shard {

class Merger {
 public:
  Merger(ShardContext& context, SegmentRegistry& registry, Refresher& refresher);

  // Segments nobody else merges or moves while this lives.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Merger* merger, std::vector<std::string> names) : merger_(merger), names_(std::move(names)) {}
    Reservation(Reservation&& other) noexcept
        : merger_(std::exchange(other.merger_, nullptr)), names_(std::move(other.names_)) {}
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation();
    explicit operator bool() const { return merger_ != nullptr; }

   private:
    Merger* merger_ = nullptr;
    std::vector<std::string> names_;
  };
  // Empty when one of them is taken.
  Reservation Reserve(const std::vector<ShardSegment>& segments) EXCLUDES(mutex_);

  enum class Target { kMemory, kStore };
  // The result as it was written, before deletes that happened meanwhile were carried over, and a lease on its object.
  struct Merged {
    ShardSegment segment;
    ObjectLease lease;
  };
  // Merges reserved segments and publishes the result. Nothing when no document was live.
  Result<std::optional<Merged>> Merge(const std::vector<ShardSegment>& inputs, Target target, bool throttled);

  // Runs merges the policy asks for on the pool (or here, without one), until it asks for none.
  void MergeInBackground() EXCLUDES(mutex_);
  Status ForceMerge(uint32_t max_segments, bool only_expunge_deletes) EXCLUDES(mutex_);

  void Stop() EXCLUDES(mutex_);
  // The failure of the last background merge; OK when it worked.
  Status last_error() const EXCLUDES(mutex_);

 private:
  struct Plan {
    std::vector<ShardSegment> inputs;
    Reservation reservation;
  };
  using Picker = std::function<std::vector<size_t>(std::span<const MergeCandidate>)>;
  // Picks and reserves under one lock; no inputs when nothing is to be done.
  Plan Choose(const Picker& pick) EXCLUDES(mutex_);
  Status RunPlan(const Plan& plan, bool throttled);
  void RunPolicy() EXCLUDES(mutex_);
  void Release(const std::vector<std::string>& names) EXCLUDES(mutex_);
  Result<ShardSegment> Write(std::span<const segment::SegmentView> views, const std::string& name, Target target,
                             bool throttled, std::vector<std::vector<segment::DocId>>* remap);
  Status Replace(const std::vector<ShardSegment>& inputs, const std::vector<std::vector<segment::DocId>>& remap,
                 const std::optional<Merged>& merged);

  ShardContext& context_;
  SegmentRegistry& registry_;
  Refresher& refresher_;
  runtime::Cancellation cancellation_;
  mutable Mutex mutex_;
  CondVar idle_;
  std::set<std::string> reserved_ GUARDED_BY(mutex_);
  uint32_t running_ GUARDED_BY(mutex_) = 0;  // tasks on the pool
  bool stopped_ GUARDED_BY(mutex_) = false;
  Status last_error_ GUARDED_BY(mutex_);
};

}  // namespace tiercel::shard
