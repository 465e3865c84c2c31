#include <gtest/gtest.h>

#include "tiercel/base/clock.h"
#include "tiercel/base/random.h"
#include "tiercel/base/result.h"

namespace tiercel {
namespace {

Status FailIf(bool fail) {
  TIERCEL_TRY(fail ? NotFound("no such thing [x]").WithType("index_not_found_exception").With("index", "x") : Status());
  return {};
}

Result<int> Half(int n) {
  if (n % 2 != 0) return InvalidArgument("odd");
  return n / 2;
}

Result<int> Quarter(int n) {
  TIERCEL_TRY_ASSIGN(const int half, Half(n));
  TIERCEL_TRY_ASSIGN(const int quarter, Half(half));
  return quarter;
}

TEST(StatusTest, CarriesTypeAttributesAndCause) {
  EXPECT_TRUE(FailIf(false).ok());
  const Status status = FailIf(true).WithCause(Corruption("bad byte"));
  const Status copy = status;
  EXPECT_EQ(copy.code(), Code::kNotFound);
  EXPECT_EQ(copy.type(), "index_not_found_exception");
  EXPECT_EQ(copy.attributes()[0].second, "x");
  ASSERT_NE(copy.cause(), nullptr);
  EXPECT_EQ(copy.cause()->code(), Code::kCorruption);
  EXPECT_EQ(copy.ToString(), "not found: no such thing [x] [caused by corruption: bad byte]");
  EXPECT_EQ(HttpStatus(copy.code()), 404);
}

TEST(StatusTest, HasADefaultTypeForEveryCode) {
  for (int code = 1; code <= static_cast<int>(Code::kInternal); ++code) {
    const Status status(static_cast<Code>(code), "m");
    EXPECT_FALSE(status.type().empty());
    EXPECT_GE(HttpStatus(status.code()), 400);
  }
}

TEST(ResultTest, PropagatesTheFirstError) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).error().message(), "odd");
  EXPECT_EQ(Quarter(6).value_or(-1), -1);
  EXPECT_DEATH(static_cast<void>(Quarter(6).value()), "odd");
}

TEST(RandomTest, RepeatsFromASeedAndStaysInBounds) {
  Random a(7), b(7);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = a.Below(10);
    EXPECT_LT(value, 10u);
    EXPECT_EQ(value, b.Below(10));
  }
  EXPECT_EQ(a.Uuid().size(), 22u);
}

TEST(FakeClockTest, MovesOnlyWhenTold) {
  FakeClock clock(5);
  EXPECT_EQ(clock.WallMs(), 5);
  clock.AdvanceMs(10);
  EXPECT_EQ(clock.WallMs(), 15);
  EXPECT_EQ(clock.MonotonicMs(), 15);
}

}  // namespace
}  // namespace tiercel
