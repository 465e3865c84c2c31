#include "tiercel/store/memory_store.h"

#include <gtest/gtest.h>

namespace tiercel::store {
namespace {

TEST(MemoryStoreTest, ACrashDropsWhatWasNotSynced) {
  MemoryStore store;
  ASSERT_TRUE(store.Put("object", AsBytes("whole")).ok());
  auto log = store.OpenAppender("log");
  ASSERT_TRUE((*log)->Append(AsBytes("kept")).ok());
  ASSERT_TRUE((*log)->Sync().ok());
  ASSERT_TRUE((*log)->Append(AsBytes("lost")).ok());
  auto upload = store.NewUpload("upload");
  store.Crash();
  EXPECT_EQ(AsText(store.Get("log").value()), "kept");
  EXPECT_EQ(AsText(store.Get("object").value()), "whole");
  EXPECT_EQ((*log)->Append(AsBytes("x")).code(), Code::kUnavailable);
  EXPECT_EQ((*log)->Sync().code(), Code::kUnavailable);
  EXPECT_EQ((*upload)->Finish().code(), Code::kUnavailable);
  EXPECT_EQ(store.OpenAppender("log").value()->size(), 4u);
}

TEST(MemoryStoreTest, ARandomCrashKeepsSomePrefix) {
  bool some_lost = false, some_kept = false;
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    MemoryStore store;
    auto log = store.OpenAppender("log");
    ASSERT_TRUE((*log)->Append(AsBytes("ab")).ok());
    ASSERT_TRUE((*log)->Sync().ok());
    ASSERT_TRUE((*log)->Append(AsBytes("cdef")).ok());
    store.Crash(&random);
    const std::string text(AsText(store.Get("log").value()));
    EXPECT_TRUE(std::string("abcdef").starts_with(text) && text.size() >= 2) << text;
    some_lost |= text.size() < 6;
    some_kept |= text.size() > 2;
  }
  EXPECT_TRUE(some_lost && some_kept);
}

TEST(MemoryStoreTest, FlipsBits) {
  MemoryStore store;
  ASSERT_TRUE(store.Put("a", AsBytes("A")).ok());
  EXPECT_TRUE(store.FlipBit("a", 0, 1));
  EXPECT_EQ(AsText(store.Get("a").value()), "C");
  EXPECT_FALSE(store.FlipBit("a", 1, 0));
  EXPECT_FALSE(store.FlipBit("b", 0, 0));
}

}  // namespace
}  // namespace tiercel::store
