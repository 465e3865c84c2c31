// Numbers per bucket in flat arrays: counts, compensated sums, minima and maxima, and the metric aggregations made of
// them.
//
// Sums are Kahan-compensated as Elasticsearch's are, except where every partial sum is an integer below 2^53 and plain
// addition is exact. Thread safety: one thread. Cost: 1-2 ns a value; 5 ns for compensated sums into few buckets (the
// chain of additions).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tiercel/search/aggs/readers.h"

namespace tiercel::search::aggs {

// Which of the numbers an aggregation needs.
struct MetricParts {
  bool count = false, sum = false, range = false;
};

class MetricArrays {
 public:
  explicit MetricArrays(MetricParts parts) : parts_(parts) {}

  void Resize(uint32_t bucket_count);
  // `exact`: sums of these values cannot round.
  void Add(const Rows<double>& rows, bool exact);
  // One occurrence a row.
  template <typename V>
  void AddCounts(const Rows<V>& rows) {
    for (const uint32_t bucket : rows.buckets) ++counts_[bucket];
  }
  // Adds bucket i of `other` to bucket map[i].
  void Merge(const MetricArrays& other, std::span<const uint32_t> map);

  uint32_t size() const { return size_; }
  uint64_t count(uint32_t bucket) const { return counts_[bucket]; }
  double sum(uint32_t bucket) const { return sums_[bucket]; }
  double min(uint32_t bucket) const { return mins_[bucket]; }
  double max(uint32_t bucket) const { return maxima_[bucket]; }
  uint64_t memory_bytes() const;

 private:
  void AddSums(const Rows<double>& rows, bool exact);
  void AddSum(uint32_t bucket, double value);

  const MetricParts parts_;
  uint32_t size_ = 0;
  std::vector<uint64_t> counts_;
  std::vector<double> sums_, errors_;  // the sum so far, and what it lost in rounding
  std::vector<double> mins_, maxima_;
};

}  // namespace tiercel::search::aggs
