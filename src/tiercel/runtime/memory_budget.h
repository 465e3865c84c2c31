// MemoryBudget: circuit breakers. Whatever grows with data or requests is charged here before it is allocated.
//
// One parent limit over children (request, in-flight requests, indexing buffer, ...), each with a limit of its own. A
// charge that would pass either limit is refused with ResourceExhausted, type circuit_breaking_exception, with
// attributes bytes_wanted, bytes_limit and durability, and Elasticsearch's message.
//
//   TIERCEL_TRY_ASSIGN(MemoryCharge charge, budget.request().Charge(bytes, "terms aggregation"));
//   TIERCEL_TRY(charge.Grow(more));        // released when the charge goes out of scope
//
// Thread safety: everything from any thread, but one MemoryCharge belongs to one thread at a time.
// Cost: two atomic additions a charge; charge in chunks of kilobytes, not per object.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"

namespace tiercel::runtime {

class MemoryCharge;

class CircuitBreaker {
 public:
  CircuitBreaker(std::string name, uint64_t limit_bytes, CircuitBreaker* parent)
      : name_(std::move(name)), limit_(limit_bytes), parent_(parent) {}
  CircuitBreaker(const CircuitBreaker&) = delete;
  CircuitBreaker& operator=(const CircuitBreaker&) = delete;

  Result<MemoryCharge> Charge(uint64_t bytes, std::string_view what);
  const std::string& name() const { return name_; }
  uint64_t limit_bytes() const { return limit_; }
  uint64_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
  uint64_t tripped() const { return tripped_.load(std::memory_order_relaxed); }

 private:
  friend class MemoryCharge;
  Status Add(uint64_t bytes, std::string_view what);
  void Release(uint64_t bytes);

  const std::string name_;
  const uint64_t limit_;
  CircuitBreaker* const parent_;
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> tripped_{0};
};

// Move-only; gives back what it holds when destroyed.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  MemoryCharge(MemoryCharge&& other) noexcept { *this = std::move(other); }
  MemoryCharge& operator=(MemoryCharge&& other) noexcept;
  ~MemoryCharge() { Release(); }

  Status Grow(uint64_t bytes, std::string_view what = "growth");
  void Release();
  uint64_t bytes() const { return bytes_; }

 private:
  friend class CircuitBreaker;
  MemoryCharge(CircuitBreaker* breaker, uint64_t bytes) : breaker_(breaker), bytes_(bytes) {}
  CircuitBreaker* breaker_ = nullptr;
  uint64_t bytes_ = 0;
};

// The node's breakers: parent 70 % of memory, request 60 %, in-flight 100 % (of the parent's base), indexing 10 %.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t total_bytes);
  // The machine's memory, or the container's limit when that is lower.
  static uint64_t PhysicalMemoryBytes();

  CircuitBreaker& parent() { return parent_; }
  CircuitBreaker& request() { return request_; }
  CircuitBreaker& in_flight() { return in_flight_; }
  CircuitBreaker& indexing() { return indexing_; }

 private:
  CircuitBreaker parent_;
  CircuitBreaker request_;
  CircuitBreaker in_flight_;
  CircuitBreaker indexing_;
};

// The lowest memory limit (cgroup v1 or v2) on the way from the group that `cgroup_file` (/proc/self/cgroup) names up
// to the root of the hierarchy mounted at `mount`; UINT64_MAX when there is none.
uint64_t CgroupMemoryLimit(const std::string& cgroup_file, const std::string& mount);

// "512b", "1kb", "1.9mb": at most one decimal, cut rather than rounded, as Elasticsearch prints sizes.
std::string FormatByteSize(uint64_t bytes);

}  // namespace tiercel::runtime
