#include "tiercel/search/aggs/tdigest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tiercel/base/random.h"

namespace tiercel::search::aggs {
namespace {

double Interpolated(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<size_t>(at);
  const double upper = values[std::min(lower + 1, values.size() - 1)];
  return values[lower] + (at - std::floor(at)) * (upper - values[lower]);
}

TEST(TDigestTest, HasNoQuantileWithoutValues) { EXPECT_TRUE(std::isnan(TDigest().Quantile(0.5))); }

TEST(TDigestTest, IsExactUpToTwentyValuesPerUnitOfCompression) {
  Random random(1);
  std::vector<double> values;
  TDigest digest(100);
  for (int i = 0; i < 2000; ++i) {
    values.push_back(random.Unit() * 1e6 - 3e5);
    digest.Add(values.back());
  }
  for (const double q : {0.0, 0.001, 0.01, 0.25, 0.5, 0.777, 0.99, 1.0})
    EXPECT_DOUBLE_EQ(digest.Quantile(q), Interpolated(values, q)) << q;
}

TEST(TDigestTest, MergingExactDigestsStaysExact) {
  Random random(2);
  std::vector<double> values;
  TDigest all;
  for (int part = 0; part < 5; ++part) {
    TDigest digest;
    for (int i = 0; i < 300; ++i) {
      values.push_back(static_cast<double>(random.Below(1000)));
      digest.Add(values.back());
    }
    all.Merge(digest);
  }
  EXPECT_EQ(all.count(), values.size());
  for (const double q : {0.01, 0.33, 0.5, 0.95}) EXPECT_DOUBLE_EQ(all.Quantile(q), Interpolated(values, q));
}

TEST(TDigestTest, ManyValuesStayCloseInRankAndSmallInMemory) {
  Random random(3);
  std::vector<double> values;
  TDigest whole, merged;
  for (int part = 0; part < 8; ++part) {
    TDigest digest;
    for (int i = 0; i < 20000; ++i) {
      const double value = std::exp(random.Unit() * 10);
      values.push_back(value);
      whole.Add(value);
      digest.Add(value);
    }
    merged.Merge(digest);
  }
  std::sort(values.begin(), values.end());
  const auto rank = [&](double value) {
    return static_cast<double>(std::lower_bound(values.begin(), values.end(), value) - values.begin()) /
           static_cast<double>(values.size());
  };
  for (const double q : {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const double allowed = 0.02 * std::sqrt(q * (1 - q)) + 2e-4;
    EXPECT_NEAR(rank(whole.Quantile(q)), q, allowed) << q;
    EXPECT_NEAR(rank(merged.Quantile(q)), q, allowed) << q;
  }
  EXPECT_EQ(whole.Quantile(0), values.front());
  EXPECT_EQ(whole.Quantile(1), values.back());
  EXPECT_LT(whole.memory_bytes(), 64u * 1024);
}

}  // namespace
}  // namespace tiercel::search::aggs
