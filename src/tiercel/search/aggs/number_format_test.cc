#include "tiercel/search/aggs/number_format.h"

#include <gtest/gtest.h>

namespace tiercel::search::aggs {
namespace {

std::string Format(std::string_view pattern, double value) {
  return NumberFormat::Parse(pattern).value().Format(value);
}

TEST(NumberFormatTest, FollowsThePattern) {
  EXPECT_EQ(Format("0.0", 4.714), "4.7");
  EXPECT_EQ(Format("000.0", -3), "-003.0");
  EXPECT_EQ(Format("0.0#", 5), "5.0");
  EXPECT_EQ(Format("0.0#", 5.126), "5.13");
  EXPECT_EQ(Format("#,##0.00", 1234567.891), "1,234,567.89");
  EXPECT_EQ(Format("#.#", 0.25), ".2") << "half to even";
  EXPECT_EQ(Format("#", 0), "0");
  EXPECT_EQ(Format("0%", 0.256), "26%");
  EXPECT_EQ(Format("$0.00 'per #'", 2), "$2.00 per #");
  EXPECT_EQ(Format("0", 1e20), "100000000000000000000");
}

TEST(NumberFormatTest, RefusesWhatItCannotDo) {
  EXPECT_FALSE(NumberFormat::Parse("0.0.0").ok());
  EXPECT_FALSE(NumberFormat::Parse("0;(0)").ok());
  EXPECT_FALSE(NumberFormat::Parse("0." + std::string(60, '0')).ok());
}

}  // namespace
}  // namespace tiercel::search::aggs
