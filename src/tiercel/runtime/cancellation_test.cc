#include "tiercel/runtime/cancellation.h"

#include <gtest/gtest.h>

namespace tiercel::runtime {
namespace {

TEST(CancellationTest, IsOkUntilCancelled) {
  Cancellation cancellation;
  EXPECT_TRUE(cancellation.Check().ok());
  EXPECT_FALSE(cancellation.TimedOut());
  cancellation.Cancel();
  EXPECT_TRUE(cancellation.Cancelled());
  EXPECT_EQ(cancellation.Check().code(), Code::kCancelled);
}

TEST(CancellationTest, PassesItsDeadline) {
  FakeClock clock(1000);
  Cancellation cancellation(clock, clock.MonotonicNs() + 5'000'000);
  clock.AdvanceMs(4);
  EXPECT_TRUE(cancellation.Check().ok());
  clock.AdvanceMs(1);
  EXPECT_TRUE(cancellation.TimedOut());
  EXPECT_EQ(cancellation.Check().code(), Code::kDeadlineExceeded);
}

TEST(CancellationTest, CancelledWinsOverTheDeadline) {
  FakeClock clock(1000);
  Cancellation cancellation(clock, 0);
  cancellation.Cancel();
  EXPECT_EQ(cancellation.Check().code(), Code::kCancelled);
}

}  // namespace
}  // namespace tiercel::runtime
