#include "tiercel/search/aggs/distinct_counter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tiercel::search::aggs {
namespace {

constexpr int kPrecisionMin = 4, kPrecisionMax = 18;
constexpr uint64_t kThresholdMax = 40000;

// Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), sections 2.3 and 2.4.
double Sigma(double x) {
  if (x == 1) return INFINITY;
  double y = 1, z = x, previous = 0;
  do {
    x *= x;
    previous = z;
    z += x * y;
    y += y;
  } while (z != previous);
  return z;
}

double Tau(double x) {
  if (x == 0 || x == 1) return 0;
  double y = 1, z = 1 - x, previous = 0;
  do {
    x = std::sqrt(x);
    previous = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  } while (z != previous);
  return z / 3;
}

}  // namespace

int DistinctCounter::PrecisionFor(uint64_t threshold) {
  const auto entries = static_cast<uint64_t>(std::ceil(static_cast<double>(std::min(threshold, kThresholdMax)) / 0.75));
  return std::clamp(static_cast<int>(std::bit_width(4 * entries)), kPrecisionMin, kPrecisionMax);
}

void DistinctCounter::Add(uint64_t hash) {
  if (registers_.empty()) {
    AddExact(hash);
  } else {
    AddToRegisters(hash);
  }
}

void DistinctCounter::AddExact(uint64_t hash) {
  if (hash == 0) {
    has_zero_ = true;
    return;
  }
  if (slots_.empty()) slots_.assign(16, 0);
  size_t mask = slots_.size() - 1, at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if (slots_[at] == hash) return;
  }
  slots_[at] = hash;
  if (++size_ > exact_max()) return Upgrade();
  if (size_ * 2 > slots_.size()) Rehash(slots_.size() * 2);
}

void DistinctCounter::Rehash(size_t capacity) {
  std::vector<uint64_t> old = std::move(slots_);
  slots_.assign(capacity, 0);
  const size_t mask = capacity - 1;
  for (const uint64_t hash : old) {
    if (hash == 0) continue;
    size_t at = hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = hash;
  }
}

void DistinctCounter::Upgrade() {
  registers_.assign(size_t{1} << precision_, 0);
  for (const uint64_t hash : slots_) {
    if (hash != 0) AddToRegisters(hash);
  }
  if (has_zero_) AddToRegisters(0);
  slots_ = {};
}

void DistinctCounter::AddToRegisters(uint64_t hash) {
  const size_t index = hash >> (64 - precision_);
  const uint64_t rest = hash << precision_ | uint64_t{1} << (precision_ - 1);
  registers_[index] = std::max(registers_[index], static_cast<uint8_t>(std::countl_zero(rest) + 1));
}

void DistinctCounter::Merge(const DistinctCounter& other) {
  if (other.registers_.empty()) {
    for (const uint64_t hash : other.slots_) {
      if (hash != 0) Add(hash);
    }
    if (other.has_zero_) Add(0);
    return;
  }
  if (registers_.empty()) Upgrade();
  for (size_t i = 0; i < registers_.size(); ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
}

uint64_t DistinctCounter::Count() const {
  if (registers_.empty()) return size_ + (has_zero_ ? 1 : 0);
  return static_cast<uint64_t>(std::llround(Estimate()));
}

double DistinctCounter::Estimate() const {
  const int q = 64 - precision_;
  const double m = static_cast<double>(registers_.size());
  std::vector<double> multiplicity(static_cast<size_t>(q) + 2, 0);
  for (const uint8_t value : registers_) ++multiplicity[value];
  double z = m * Tau(1 - multiplicity[static_cast<size_t>(q) + 1] / m);
  for (int k = q; k >= 1; --k) z = 0.5 * (z + multiplicity[static_cast<size_t>(k)]);
  z += m * Sigma(multiplicity[0] / m);
  return m * m / (2 * std::log(2.0)) / z;
}

}  // namespace tiercel::search::aggs
