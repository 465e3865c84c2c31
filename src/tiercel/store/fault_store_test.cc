#include "tiercel/store/fault_store.h"

#include <gtest/gtest.h>

#include "tiercel/store/memory_store.h"

namespace tiercel::store {
namespace {

class FaultStoreTest : public testing::Test {
 protected:
  std::string Text(std::string_view name) { return std::string(AsText(base_.Get(name).value())); }

  MemoryStore base_;
  int slow_calls_ = 0;
  FaultStore store_{base_, [this] { ++slow_calls_; }};
};

TEST_F(FaultStoreTest, StrikesTheChosenCallOnly) {
  store_.Add({.on = FaultPoint::kPut, .kind = FaultKind::kNoSpace, .name_contains = "manifest", .skip = 1});
  EXPECT_TRUE(store_.Put("other", {}).ok());
  EXPECT_TRUE(store_.Put("manifest/1", {}).ok());
  const Status struck = store_.Put("manifest/2", {});
  EXPECT_EQ(struck.code(), Code::kResourceExhausted);
  EXPECT_NE(struck.message().find("manifest/2"), std::string::npos);
  EXPECT_EQ(base_.Get("manifest/2").status().code(), Code::kNotFound);
  EXPECT_TRUE(store_.Put("manifest/2", {}).ok());
  EXPECT_EQ(store_.faults(), 1u);
}

TEST_F(FaultStoreTest, ALateErrorTookEffect) {
  store_.Add({.on = FaultPoint::kPut, .kind = FaultKind::kLateError});
  EXPECT_EQ(store_.Put("a", AsBytes("x")).code(), Code::kUnavailable);
  EXPECT_EQ(Text("a"), "x");
  EXPECT_EQ(store_.Put("a", AsBytes("x")).code(), Code::kConflict);
}

TEST_F(FaultStoreTest, ATornAppendLeavesItsPrefixUntilTruncated) {
  auto log = store_.OpenAppender("log");
  ASSERT_TRUE((*log)->Append(AsBytes("good")).ok());
  store_.Add({.on = FaultPoint::kAppend, .kind = FaultKind::kTornWrite, .keep_bytes = 2});
  EXPECT_EQ((*log)->Append(AsBytes("torn")).code(), Code::kUnavailable);
  EXPECT_EQ((*log)->size(), 4u);
  EXPECT_EQ(Text("log"), "goodto");
  ASSERT_TRUE((*log)->Truncate(4).ok());
  ASSERT_TRUE((*log)->Append(AsBytes("!")).ok());
  EXPECT_EQ(Text("log"), "good!");
}

TEST_F(FaultStoreTest, ReadsCanFailOrLie) {
  ASSERT_TRUE(store_.Put("a", AsBytes("abcdef")).ok());
  store_.Add({.on = FaultPoint::kGet, .kind = FaultKind::kIoError});
  EXPECT_EQ(store_.GetRange("a", 0, 2).status().code(), Code::kUnavailable);
  store_.Add({.on = FaultPoint::kGet, .kind = FaultKind::kFlippedBit});
  const auto lie = store_.Get("a");
  ASSERT_TRUE(lie.ok());
  EXPECT_NE(AsText(*lie), "abcdef");
  EXPECT_EQ(AsText(store_.Get("a").value()), "abcdef");
  EXPECT_EQ(store_.LocalPath("a"), std::nullopt);
}

TEST_F(FaultStoreTest, SlowCallsSucceed) {
  store_.Add({.on = FaultPoint::kAny, .kind = FaultKind::kSlow, .count = 2});
  EXPECT_TRUE(store_.Put("a", {}).ok());
  EXPECT_TRUE(store_.Get("a").ok());
  EXPECT_TRUE(store_.Get("a").ok());
  EXPECT_EQ(slow_calls_, 2);
}

TEST_F(FaultStoreTest, ACrashLosesWhatWasNotSyncedThroughIt) {
  auto log = store_.OpenAppender("log");
  ASSERT_TRUE((*log)->Append(AsBytes("kept")).ok());
  ASSERT_TRUE((*log)->Sync().ok());
  store_.Add({.on = FaultPoint::kSync, .kind = FaultKind::kIoError});
  ASSERT_TRUE((*log)->Append(AsBytes("lost")).ok());
  EXPECT_FALSE((*log)->Sync().ok());
  auto upload = store_.NewUpload("u");
  ASSERT_TRUE(store_.Crash().ok());
  EXPECT_EQ(Text("log"), "kept");
  EXPECT_EQ((*log)->Append(AsBytes("x")).code(), Code::kUnavailable);
  EXPECT_EQ((*upload)->Finish().code(), Code::kUnavailable);
  auto again = store_.OpenAppender("log");
  EXPECT_TRUE((*again)->Append(AsBytes("!")).ok());
}

TEST_F(FaultStoreTest, TheSameSeedGivesTheSameFaults) {
  const auto run = [](uint64_t seed) {
    MemoryStore base;
    FaultStore store(base);
    store.Randomize({.seed = seed, .one_in = 5});
    std::string outcome;
    for (int i = 0; i < 100; ++i) outcome += store.Put("o" + std::to_string(i), {}).ok() ? '.' : 'x';
    return outcome;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_NE(run(1).find('x'), std::string::npos);
  store_.Randomize({.seed = 1, .one_in = 1});
  store_.Heal();
  EXPECT_TRUE(store_.Put("a", {}).ok());
}

}  // namespace
}  // namespace tiercel::store
