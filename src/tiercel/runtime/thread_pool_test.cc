#include "tiercel/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace tiercel::runtime {
namespace {

TEST(ThreadPoolTest, RunsWhatWasQueuedBeforeItIsDestroyed) {
  std::atomic<int> ran = 0;
  {
    ThreadPool pool("work", 2, 100);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.Submit([&ran] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 100);
}

TEST(ThreadPoolTest, PushesBackWhenTheQueueIsFull) {
  std::latch started(1);
  std::latch release(1);
  ThreadPool pool("search", 1, 1);
  ASSERT_TRUE(pool.Submit([&] {
                    started.count_down();
                    release.wait();
                  })
                  .ok());
  started.wait();
  ASSERT_TRUE(pool.Submit([] {}).ok());
  EXPECT_EQ(pool.queued(), 1u);
  const Status refused = pool.Submit([] {});
  EXPECT_EQ(refused.code(), Code::kResourceExhausted);
  EXPECT_EQ(refused.type(), "es_rejected_execution_exception");
  EXPECT_NE(refused.message().find("search"), std::string::npos);
  EXPECT_EQ(pool.rejected(), 1u);
  release.count_down();
}

TEST(ThreadPoolTest, ParallelForVisitsEveryIndexOnce) {
  ThreadPool pool("work", 3, 10);
  std::vector<std::atomic<int>> visits(1000);
  pool.ParallelFor(visits.size(), [&](size_t i) { ++visits[i]; });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
  pool.ParallelFor(0, [](size_t) { FAIL(); });
}

TEST(ThreadPoolTest, ParallelForFinishesWhenEveryThreadIsBusy) {
  std::latch started(1);
  std::latch release(1);
  ThreadPool pool("work", 1, 1);
  ASSERT_TRUE(pool.Submit([&] {
                    started.count_down();
                    release.wait();
                  })
                  .ok());
  started.wait();
  std::atomic<int> ran = 0;
  pool.ParallelFor(10, [&](size_t) { ++ran; });
  EXPECT_EQ(ran, 10);
  release.count_down();
}

TEST(ThreadPoolTest, ParallelForNests) {
  ThreadPool pool("work", 2, 4);
  std::atomic<int> ran = 0;
  pool.ParallelFor(8, [&](size_t) { pool.ParallelFor(8, [&](size_t) { ++ran; }); });
  EXPECT_EQ(ran, 64);
}

}  // namespace
}  // namespace tiercel::runtime
