// Cancellation: how a search, merge or load learns that nobody wants its result any more.
//
// A token is cancelled by Cancel() or by its deadline. Long loops call Check() every few thousand steps.
// Thread safety: all methods from any thread. Lifetime: shared by whoever started the work and whoever does it.
// Cost: Cancelled() is one relaxed load; Check() reads the clock as well when there is a deadline.
#pragma once

#include <atomic>
#include <cstdint>

#include "tiercel/base/clock.h"
#include "tiercel/base/status.h"

namespace tiercel::runtime {

class Cancellation {
 public:
  static constexpr int64_t kNoDeadline = INT64_MAX;

  // `deadline_ns` is a time of clock.MonotonicNs().
  explicit Cancellation(const Clock& clock = Clock::System(), int64_t deadline_ns = kNoDeadline)
      : clock_(clock), deadline_ns_(deadline_ns) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool Cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  bool TimedOut() const { return deadline_ns_ != kNoDeadline && clock_.MonotonicNs() >= deadline_ns_; }
  // OK, Cancelled or DeadlineExceeded.
  Status Check() const;

 private:
  const Clock& clock_;
  const int64_t deadline_ns_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace tiercel::runtime
