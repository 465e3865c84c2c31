#include "tiercel/runtime/memory_budget.h"

#include <algorithm>
#include <utility>

namespace tiercel::runtime {
namespace {

// Saturating: a charge computed from absurd input must be refused, not wrapped around.
uint64_t Sum(uint64_t a, uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

Status TooLarge(const std::string& breaker, std::string_view what, uint64_t wanted, uint64_t limit) {
  std::string message = "[" + breaker + "] Data too large, data for [" + std::string(what) + "] would be [" +
                        std::to_string(wanted) + "/" + FormatByteSize(wanted) +
                        "], which is larger than the limit of [" + std::to_string(limit) + "/" + FormatByteSize(limit) +
                        "]";
  return ResourceExhausted(std::move(message))
      .WithType("circuit_breaking_exception")
      .With("bytes_wanted", std::to_string(wanted))
      .With("bytes_limit", std::to_string(limit))
      .With("durability", "TRANSIENT");
}

uint64_t Percent(uint64_t total, uint64_t percent) { return total / 100 * percent + total % 100 * percent / 100; }

}  // namespace

std::string FormatByteSize(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"b", "kb", "mb", "gb", "tb", "pb"};
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && bytes >> (10 * (unit + 1)) != 0) ++unit;
  const uint64_t whole = bytes >> (10 * unit);
  const uint64_t rest = bytes - (whole << (10 * unit));
  // One decimal, cut rather than rounded, and none when it would be zero.
  const uint64_t tenth = unit == 0 ? 0 : ((rest >> (10 * (unit - 1))) * 10) >> 10;
  std::string text = std::to_string(whole);
  if (tenth != 0) text += "." + std::to_string(tenth);
  return text + kUnits[unit];
}

Status CircuitBreaker::Add(uint64_t bytes, std::string_view what) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (const uint64_t wanted = Sum(used, bytes); wanted > limit_) {
      tripped_.fetch_add(1, std::memory_order_relaxed);
      return TooLarge(name_, what, wanted, limit_);
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  if (parent_ == nullptr) return {};
  Status status = parent_->Add(bytes, what);
  if (!status.ok()) used_.fetch_sub(bytes, std::memory_order_relaxed);
  return status;
}

void CircuitBreaker::Release(uint64_t bytes) {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  if (parent_ != nullptr) parent_->Release(bytes);
}

Result<MemoryCharge> CircuitBreaker::Charge(uint64_t bytes, std::string_view what) {
  TIERCEL_TRY(Add(bytes, what));
  return MemoryCharge(this, bytes);
}

MemoryCharge& MemoryCharge::operator=(MemoryCharge&& other) noexcept {
  if (this == &other) return *this;
  Release();
  breaker_ = std::exchange(other.breaker_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

Status MemoryCharge::Grow(uint64_t bytes, std::string_view what) {
  TIERCEL_CHECK(breaker_ != nullptr, "a charge without a breaker cannot grow");
  TIERCEL_TRY(breaker_->Add(bytes, what));
  bytes_ += bytes;
  return {};
}

void MemoryCharge::Release() {
  if (breaker_ != nullptr) breaker_->Release(bytes_);
  bytes_ = 0;
}

MemoryBudget::MemoryBudget(uint64_t total_bytes)
    : parent_("parent", Percent(total_bytes, 70), nullptr),
      request_("request", Percent(total_bytes, 60), &parent_),
      in_flight_("inflight_requests", total_bytes, &parent_),
      indexing_("indexing", Percent(total_bytes, 10), &parent_) {}

}  // namespace tiercel::runtime
