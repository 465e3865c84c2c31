#include "tiercel/search/aggs/tdigest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tiercel::search::aggs {

void TDigest::Add(double value) {
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
  values_.push_back(value);
  sorted_ = false;
  if (values_.size() > (exact_ ? exact_max() : std::max<size_t>(exact_max() / 4, 64))) Compress();
}

void TDigest::Merge(const TDigest& other) {
  if (other.count_ == 0) return;
  if (other.exact_) {
    for (const double value : other.values_) Add(value);
    return;
  }
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  centroids_.insert(centroids_.end(), other.centroids_.begin(), other.centroids_.end());
  Compress();
}

void TDigest::Compress() {
  exact_ = false;
  centroids_.reserve(centroids_.size() + values_.size());
  for (const double value : values_) centroids_.push_back({value, 1});
  values_.clear();
  sorted_ = true;
  std::sort(centroids_.begin(), centroids_.end(), [](const Centroid& a, const Centroid& b) { return a.mean < b.mean; });
  double total = 0;
  for (const Centroid& centroid : centroids_) total += centroid.weight;
  // A centroid may span at most one unit of the scale k(q) = compression * (asin(2q - 1) / pi + 1/2), so that centroids
  // are small towards the ends.
  const auto limit_after = [&](double q) {
    const double k = std::asin(std::clamp(2 * q - 1, -1.0, 1.0)) / std::numbers::pi + 0.5 + 1 / compression_;
    return k >= 1 ? 1.0 : (std::sin((k - 0.5) * std::numbers::pi) + 1) / 2;
  };
  size_t kept = 0;
  double before = 0, limit = limit_after(0);
  for (size_t i = 1; i < centroids_.size(); ++i) {
    Centroid& last = centroids_[kept];
    const Centroid next = centroids_[i];
    if ((before + last.weight + next.weight) / total <= limit) {
      last.weight += next.weight;
      last.mean += (next.mean - last.mean) * next.weight / last.weight;
    } else {
      before += last.weight;
      limit = limit_after(before / total);
      centroids_[++kept] = next;
    }
  }
  centroids_.resize(std::min(kept + 1, centroids_.size()));
}

double TDigest::Quantile(double q) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  if (exact_) return ExactQuantile(q);
  if (values_.empty()) return CentroidQuantile(q);
  TDigest merged = *this;
  merged.Compress();
  return merged.CentroidQuantile(q);
}

double TDigest::ExactQuantile(double q) const {
  if (!sorted_) std::sort(values_.begin(), values_.end());
  sorted_ = true;
  const double position = q * static_cast<double>(values_.size() - 1);
  const auto lower = static_cast<size_t>(position);
  const size_t upper = std::min(lower + 1, values_.size() - 1);
  return values_[lower] + (position - std::floor(position)) * (values_[upper] - values_[lower]);
}

// A centroid's mean stands in the middle of its weight; between means the distribution is taken as uniform.
double TDigest::CentroidQuantile(double q) const {
  const double wanted = q * static_cast<double>(count_);
  double before = 0, left_at = 0, left = min_;
  for (const Centroid& centroid : centroids_) {
    const double at = before + centroid.weight / 2;
    if (wanted < at)
      return at == left_at ? centroid.mean : left + (centroid.mean - left) * (wanted - left_at) / (at - left_at);
    before += centroid.weight;
    left_at = at;
    left = centroid.mean;
  }
  const double span = static_cast<double>(count_) - left_at;
  return span <= 0 ? max_ : left + (max_ - left) * (wanted - left_at) / span;
}

}  // namespace tiercel::search::aggs
