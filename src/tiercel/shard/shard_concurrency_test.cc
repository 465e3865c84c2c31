// Writers, readers, refreshes, flushes and merges at once. Run under the thread sanitizer, this is the proof of the
// locking.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "tiercel/base/random.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/shard/shard.h"
#include "tiercel/shard/shard_testing.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::shard {
namespace {

constexpr int kWriters = 3;
constexpr int kOperations = 250;
constexpr int kIds = 20;

class ShardConcurrencyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ShardOptions options = TestOptions(store_, Clock::System());
    options.background = true;
    options.merge_pool = &pool_;
    options.settings.refresh_interval_ms = 3;
    options.settings.refresh_interval_explicit = true;
    options.settings.flush_threshold_bytes = 8 << 10;
    shard_ = Shard::Open(std::move(options)).value();
  }

  // One writer's ids are its own, so that it knows what must be there.
  void Write(int writer, std::map<std::string, std::string>& expected) {
    Random random(static_cast<uint64_t>(writer));
    for (int i = 0; i < kOperations; ++i) {
      const std::string id = std::to_string(writer) + "-" + std::to_string(random.Below(kIds));
      const bool deletes = random.OneIn(4);
      OperationResult result = ApplyOne(*shard_, deletes ? DeleteOp(id) : IndexOp(id, i));
      ASSERT_TRUE(result.status.ok()) << result.status.ToString();
      if (deletes) {
        expected.erase(id);
      } else {
        expected[id] = NumberSource(i);
      }
      ASSERT_EQ(GetSource(*shard_, id), deletes ? "-" : NumberSource(i));
      if (random.OneIn(40)) {
        ASSERT_TRUE(shard_->WaitForRefresh().ok());
        const auto stored = shard_->Get(id, false);
        ASSERT_TRUE(stored.ok());
        ASSERT_EQ(stored->has_value(), !deletes);
      }
    }
  }

  store::MemoryStore store_;
  runtime::ThreadPool pool_{"merge", 2, 16};
  std::unique_ptr<Shard> shard_;
};

TEST_F(ShardConcurrencyTest, WritersReadersAndMaintenanceAgree) {
  std::vector<std::map<std::string, std::string>> expected(kWriters);
  std::atomic<int> writing{kWriters};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      Write(writer, expected[static_cast<size_t>(writer)]);
      --writing;
    });
  }
  threads.emplace_back([&] {
    while (writing > 0) SearchAll(*shard_);  // fails the test when an id is live twice
  });
  threads.emplace_back([&] {
    for (int i = 0; writing > 0; ++i) {
      const Status status = i % 3 == 0   ? shard_->ForceMerge(2)
                            : i % 3 == 1 ? shard_->Flush()
                                         : shard_->CollectGarbage().status();
      ASSERT_TRUE(status.ok()) << status.ToString();
      shard_->Stats();
      shard_->Segments();
    }
  });
  for (std::thread& thread : threads) thread.join();

  std::map<std::string, std::string> all;
  for (const auto& own : expected) all.insert(own.begin(), own.end());
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_EQ(SearchAll(*shard_), all);
  EXPECT_EQ(shard_->Stats().max_seq_no, kWriters * kOperations - 1);
  shard_.reset();
  store_.Crash();
  SetUp();
  EXPECT_EQ(SearchAll(*shard_), all);
  ASSERT_TRUE(shard_->Flush().ok());
  ASSERT_TRUE(shard_->CollectGarbage().ok());
  EXPECT_EQ(Problems(store_, true), "");
}

TEST_F(ShardConcurrencyTest, WaitForRefreshNeverHangs) {
  ShardSettings settings;
  settings.refresh_interval_ms = -1;
  ASSERT_TRUE(shard_->UpdateSettings(settings).ok());
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 3; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(ApplyOne(*shard_, IndexOp(std::to_string(writer), i)).status.ok());
        ASSERT_TRUE(shard_->WaitForRefresh().ok());
        ASSERT_EQ(shard_->Get(std::to_string(writer), false).value()->source, NumberSource(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tiercel::shard
