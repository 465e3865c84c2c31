#include "tiercel/search/aggs/distinct_counter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tiercel::search::aggs {
namespace {

TEST(DistinctCounterTest, DerivesThePrecisionFromTheThreshold) {
  EXPECT_EQ(DistinctCounter::PrecisionFor(3000), 14);
  EXPECT_EQ(DistinctCounter::PrecisionFor(100), 10);
  EXPECT_EQ(DistinctCounter::PrecisionFor(5), 5);
  EXPECT_EQ(DistinctCounter::PrecisionFor(0), 4);
  EXPECT_EQ(DistinctCounter::PrecisionFor(1'000'000), DistinctCounter::PrecisionFor(40'000));
}

TEST(DistinctCounterTest, IsExactUpToTheThreshold) {
  DistinctCounter counter(14);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < 3000; ++i) counter.Add(MixBits(i));
  }
  EXPECT_EQ(counter.Count(), 3000u);
  counter.Add(0);
  counter.Add(0);
  EXPECT_EQ(counter.Count(), 3000u) << "MixBits(0) is 0 and was counted";
}

TEST(DistinctCounterTest, EstimatesBeyond) {
  for (const int precision : {10, 14}) {
    for (const uint64_t n : {5'000u, 40'000u, 300'000u}) {
      DistinctCounter counter(precision);
      for (uint64_t i = 0; i < n; ++i) counter.Add(MixBits(i));
      const double error = 4 * 1.04 / std::sqrt(std::pow(2.0, precision));
      EXPECT_NEAR(static_cast<double>(counter.Count()), static_cast<double>(n), error * static_cast<double>(n))
          << precision;
    }
  }
}

TEST(DistinctCounterTest, MergingIsCountingTogether) {
  for (const uint64_t n : {1'000u, 50'000u}) {
    DistinctCounter whole(14), even(14), third(14), few(14);
    for (uint64_t i = 0; i < n; ++i) {
      if (i % 2 == 0 || i % 3 == 0 || i < 10) whole.Add(MixBits(i));
      if (i % 2 == 0) even.Add(MixBits(i));
      if (i % 3 == 0) third.Add(MixBits(i));
      if (i < 10) few.Add(MixBits(i));
    }
    few.Merge(even);
    few.Merge(third);
    EXPECT_EQ(few.Count(), whole.Count());
  }
}

}  // namespace
}  // namespace tiercel::search::aggs
