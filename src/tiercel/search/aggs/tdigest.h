// TDigest: quantiles of a stream in bounded memory (merging t-digest, arcsine scale).
//
// Up to 20 values per unit of compression are kept as they are and quantiles interpolate linearly between neighbours,
// which is exact; beyond, values are merged into centroids. Elasticsearch does the same with the same limit. Thread
// safety: one thread. Cost: amortised 20-40 ns a value once merging; memory at most some 16 KiB at compression 100.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tiercel::search::aggs {

class TDigest {
 public:
  explicit TDigest(double compression = 100) : compression_(compression) {}

  void Add(double value);
  void Merge(const TDigest& other);
  uint64_t count() const { return count_; }
  // q in [0, 1]; NaN when empty.
  double Quantile(double q) const;
  uint64_t memory_bytes() const {
    return sizeof *this + values_.capacity() * sizeof(double) + centroids_.capacity() * sizeof(Centroid);
  }

 private:
  struct Centroid {
    double mean, weight;
  };
  size_t exact_max() const { return static_cast<size_t>(compression_ * 20); }
  void Compress();
  double ExactQuantile(double q) const;
  double CentroidQuantile(double q) const;

  double compression_;
  uint64_t count_ = 0;
  double min_ = 0, max_ = 0;
  bool exact_ = true;
  mutable bool sorted_ = true;
  mutable std::vector<double> values_;  // all of them while exact, later those not merged yet
  std::vector<Centroid> centroids_;     // by ascending mean
};

}  // namespace tiercel::search::aggs
