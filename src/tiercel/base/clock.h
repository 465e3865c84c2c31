// Clock: where every module gets its time from, so that tests can stand still or jump.
//
// Thread safety: all methods may be called from any thread. Lifetime: outlives whatever it is handed to.
#pragma once

#include <atomic>
#include <cstdint>

namespace tiercel {

class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since the Unix epoch.
  virtual int64_t WallMs() const = 0;
  // Nanoseconds of a clock that never goes back; only differences mean anything.
  virtual int64_t MonotonicNs() const = 0;

  int64_t MonotonicMs() const { return MonotonicNs() / 1'000'000; }

  // The machine's own clock; lives for ever.
  static Clock& System();
};

// A clock that moves only when told to.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(int64_t wall_ms = 1'700'000'000'000) : wall_ms_(wall_ms) {}
  int64_t WallMs() const override { return wall_ms_.load(); }
  int64_t MonotonicNs() const override { return wall_ms_.load() * 1'000'000; }
  void AdvanceMs(int64_t ms) { wall_ms_ += ms; }

 private:
  std::atomic<int64_t> wall_ms_;
};

}  // namespace tiercel
