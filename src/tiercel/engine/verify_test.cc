#include "tiercel/engine/verify.h"

#include <gtest/gtest.h>

#include "tiercel/base/random.h"
#include "tiercel/engine/engine.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::engine {
namespace {

// A store with two indices: stored segments, deletes, operations still in the log.
void Fill(store::MemoryStore& store) {
  runtime::ThreadPool pool("test", 1, 10);
  runtime::MemoryBudget budget(1u << 30);
  FakeClock clock;
  auto engine = Engine::Open({.store = &store,
                              .search_pool = &pool,
                              .write_pool = &pool,
                              .merge_pool = &pool,
                              .budget = &budget,
                              .clock = &clock,
                              .background = false,
                              .uuid_seed = 7});
  ASSERT_TRUE(engine.ok());
  const auto put = [&](std::string index, int id) {
    WriteRequest request;
    request.index = std::move(index);
    request.id = std::to_string(id);
    request.source = R"({"text":"some words )" + std::to_string(id) + R"(","n":)" + std::to_string(id) + "}";
    ASSERT_TRUE((*engine)->Write(std::move(request), RefreshPolicy::kNone).ok());
  };
  for (const char* index : {"a", "b"}) {
    for (int id = 0; id < 20; ++id) put(index, id);
    ASSERT_TRUE((*engine)->Flush(index, {}).ok());
    for (int id = 10; id < 25; ++id) put(index, id);
    ASSERT_TRUE((*engine)->Flush(index, {}).ok());
    for (int id = 30; id < 33; ++id) put(index, id);
  }
}

TEST(VerifyStoreTest, FindsNothingWrongWithAGoodStoreAndCountsIt) {
  store::MemoryStore store;
  Fill(store);
  const auto report = VerifyStore(store, {});
  ASSERT_TRUE(report.ok());
  for (const auto& problem : report->problems) ADD_FAILURE() << problem.object << ": " << problem.what;
  EXPECT_EQ(report->indices, 2u);
  EXPECT_EQ(report->documents, 50u);
  EXPECT_EQ(report->log_operations, 6u);
}

TEST(VerifyStoreTest, FindsOneFlippedBitInAnyObject) {
  store::MemoryStore store;
  Fill(store);
  Random random(11);
  const std::vector<store::ObjectInfo> objects = *store.List("");
  for (const store::ObjectInfo& object : objects) {
    for (int probe = 0; probe < 40 && object.size > 0; ++probe) {
      const uint64_t offset = random.Below(object.size);
      const unsigned bit = static_cast<unsigned>(random.Below(8));
      ASSERT_TRUE(store.FlipBit(object.name, offset, bit));
      const auto report = VerifyStore(store, {});
      ASSERT_TRUE(report.ok());
      ASSERT_FALSE(report->problems.empty()) << object.name << " offset " << offset << " bit " << bit;
      bool named = false;
      for (const auto& problem : report->problems)
        named = named || problem.object == object.name || problem.what.find(object.name) != std::string::npos;
      EXPECT_TRUE(named) << object.name << " offset " << offset << " bit " << bit << " but the report says "
                         << report->problems[0].object << ": " << report->problems[0].what;
      ASSERT_TRUE(store.FlipBit(object.name, offset, bit));
    }
  }
}

TEST(VerifyStoreTest, ReportsObjectsThatBelongToNoIndex) {
  store::MemoryStore store;
  Fill(store);
  ASSERT_TRUE(store.Put("indices/stray/0/segments/x", AsBytes("x")).ok());
  ASSERT_TRUE(store.Put("node/identity", AsBytes("x")).ok());
  const auto report = VerifyStore(store, {"node/identity"});
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->problems.empty());
  for (const auto& problem : report->problems)
    EXPECT_NE(problem.object.find("stray"), std::string::npos) << problem.object;
}

}  // namespace
}  // namespace tiercel::engine
