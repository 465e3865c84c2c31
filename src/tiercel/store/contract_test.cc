// What every ObjectStore promises, run over all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "tiercel/store/directory_store.h"
#include "tiercel/store/fault_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::store {
namespace {

struct Implementation {
  const char* name;
  std::function<std::unique_ptr<ObjectStore>(const std::filesystem::path&)> make;
};

// A FaultStore without rules, and the store below it.
class HealthyFaultStore final : public ObjectStore {
 public:
  Status Put(std::string_view name, ByteSpan bytes) override { return faults_.Put(name, bytes); }
  Result<std::unique_ptr<Upload>> NewUpload(std::string_view name) override { return faults_.NewUpload(name); }
  Result<std::unique_ptr<Appender>> OpenAppender(std::string_view name) override { return faults_.OpenAppender(name); }
  Result<Bytes> Get(std::string_view name) const override { return faults_.Get(name); }
  Result<Bytes> GetRange(std::string_view name, uint64_t offset, uint64_t length) const override {
    return faults_.GetRange(name, offset, length);
  }
  Result<uint64_t> Size(std::string_view name) const override { return faults_.Size(name); }
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) const override { return faults_.List(prefix); }
  Status Delete(std::string_view name) override { return faults_.Delete(name); }

 private:
  MemoryStore base_;
  FaultStore faults_{base_};
};

class ContractTest : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) / ("tiercel-store-contract-" + std::to_string(getpid()));
    std::filesystem::remove_all(root_);
    store_ = GetParam().make(root_);
    ASSERT_NE(store_, nullptr);
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }
  std::string Text(std::string_view name) {
    const auto bytes = store_->Get(name);
    return bytes.ok() ? std::string(AsText(*bytes)) : bytes.error().ToString();
  }
  std::vector<std::string> Names(std::string_view prefix) {
    std::vector<std::string> names;
    const auto found = store_->List(prefix);
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    if (found.ok())
      std::transform(found->begin(), found->end(), std::back_inserter(names),
                     [](const ObjectInfo& info) { return info.name; });
    return names;
  }

  std::filesystem::path root_;
  std::unique_ptr<ObjectStore> store_;
};

TEST_P(ContractTest, PutsAndGets) {
  ASSERT_TRUE(store_->Put("a/b/c", AsBytes("hello")).ok());
  ASSERT_TRUE(store_->Put("empty", {}).ok());
  EXPECT_EQ(Text("a/b/c"), "hello");
  EXPECT_EQ(Text("empty"), "");
  EXPECT_EQ(store_->Size("a/b/c").value_or(0u), 5u);
}

TEST_P(ContractTest, PutsOnlyWhatIsAbsent) {
  ASSERT_TRUE(store_->Put("a", AsBytes("first")).ok());
  const Status second = store_->Put("a", AsBytes("second"));
  EXPECT_EQ(second.code(), Code::kConflict);
  EXPECT_NE(second.message().find("[a]"), std::string::npos);
  EXPECT_EQ(Text("a"), "first");
  ASSERT_TRUE(store_->Delete("a").ok());
  EXPECT_TRUE(store_->Put("a", AsBytes("third")).ok());
  EXPECT_EQ(Text("a"), "third");
}

TEST_P(ContractTest, ExactlyOneOfManyWritersWins) {
  for (int round = 0; round < 10; ++round) {
    const std::string name = "race/" + std::to_string(round) + "/manifest";
    std::atomic<int> won = 0, lost = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&, i] {
        const Status status = store_->Put(name, AsBytes(std::to_string(i)));
        if (status.ok()) ++won;
        if (status.code() == Code::kConflict) ++lost;
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 3);
  }
}

TEST_P(ContractTest, PutsSurviveDeletesInTheSameDirectory) {
  std::atomic<bool> failed = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50 && !failed; ++i) {
        const std::string name = "shared/deep/" + std::to_string(thread);
        if (!store_->Put(name, AsBytes("x")).ok() || !store_->Get(name).ok() || !store_->Delete(name).ok())
          failed = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(failed);
  EXPECT_THAT(Names(""), testing::IsEmpty());
}

TEST_P(ContractTest, ReportsWhatIsMissing) {
  EXPECT_EQ(store_->Get("none").error().code(), Code::kNotFound);
  EXPECT_EQ(store_->Size("no/such").error().code(), Code::kNotFound);
  EXPECT_EQ(store_->GetRange("none", 0, 1).error().code(), Code::kNotFound);
  EXPECT_TRUE(store_->Delete("none").ok());
  EXPECT_TRUE(store_->Delete("no/such/object").ok());
  ASSERT_TRUE(store_->Put("d/e", AsBytes("x")).ok());
  EXPECT_EQ(store_->Get("d").error().code(), Code::kNotFound) << "a directory is not an object";
  EXPECT_TRUE(store_->Delete("d").ok());
  EXPECT_EQ(Text("d/e"), "x");
}

TEST_P(ContractTest, RefusesBadNamesEverywhere) {
  for (const char* name : {"", "/a", "a//b", "../x", "a/../../x", ".tmp/1", "a b"}) {
    EXPECT_EQ(store_->Put(name, {}).code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(store_->NewUpload(name).status().code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(store_->OpenAppender(name).status().code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(store_->Get(name).status().code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(store_->Delete(name).code(), Code::kInvalidArgument) << name;
  }
  EXPECT_EQ(store_->List("../").status().code(), Code::kInvalidArgument);
}

TEST_P(ContractTest, AnObjectIsNoDirectory) {
  ASSERT_TRUE(store_->Put("a", AsBytes("x")).ok());
  EXPECT_FALSE(store_->Put("a/b", AsBytes("y")).ok());
  ASSERT_TRUE(store_->Put("c/d", AsBytes("x")).ok());
  EXPECT_FALSE(store_->Put("c", AsBytes("y")).ok());
  EXPECT_THAT(Names(""), testing::ElementsAre("a", "c/d"));
}

TEST_P(ContractTest, ReadsRanges) {
  ASSERT_TRUE(store_->Put("a", AsBytes("0123456789")).ok());
  const auto middle = store_->GetRange("a", 3, 4);
  ASSERT_TRUE(middle.ok());
  EXPECT_EQ(AsText(*middle), "3456");
  EXPECT_TRUE(store_->GetRange("a", 10, 0).ok());
  EXPECT_EQ(store_->GetRange("a", 10, 1).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(store_->GetRange("a", 11, 0).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(store_->GetRange("a", 1, UINT64_MAX).status().code(), Code::kInvalidArgument);
}

TEST_P(ContractTest, ListsByPrefixSorted) {
  for (const char* name : {"b/2", "b/10", "b/1/x", "a", "bc", "c/d"})
    ASSERT_TRUE(store_->Put(name, AsBytes(name)).ok());
  EXPECT_THAT(Names(""), testing::ElementsAre("a", "b/1/x", "b/10", "b/2", "bc", "c/d"));
  EXPECT_THAT(Names("b"), testing::ElementsAre("b/1/x", "b/10", "b/2", "bc"));
  EXPECT_THAT(Names("b/"), testing::ElementsAre("b/1/x", "b/10", "b/2"));
  EXPECT_THAT(Names("b/1"), testing::ElementsAre("b/1/x", "b/10"));
  EXPECT_THAT(Names("nosuch/x"), testing::IsEmpty());
  EXPECT_THAT(Names("a/"), testing::IsEmpty());
  EXPECT_EQ(store_->List("b/10")->at(0).size, 4u);
}

TEST_P(ContractTest, AnUploadAppearsWholeOrNotAtAll) {
  {
    auto abandoned = store_->NewUpload("u/abandoned");
    ASSERT_TRUE(abandoned.ok());
    ASSERT_TRUE((*abandoned)->Append(AsBytes("x")).ok());
  }
  auto upload = store_->NewUpload("u/whole");
  ASSERT_TRUE(upload.ok());
  ASSERT_TRUE((*upload)->Append(AsBytes("one ")).ok());
  ASSERT_TRUE((*upload)->Append(AsBytes("two")).ok());
  EXPECT_EQ((*upload)->size(), 7u);
  EXPECT_EQ(store_->Get("u/whole").status().code(), Code::kNotFound);
  ASSERT_TRUE((*upload)->Finish().ok());
  EXPECT_EQ(Text("u/whole"), "one two");
  EXPECT_THAT(Names(""), testing::ElementsAre("u/whole"));
}

TEST_P(ContractTest, AnUploadLosesToAnObjectThatCameFirst) {
  auto upload = store_->NewUpload("u");
  ASSERT_TRUE(upload.ok());
  ASSERT_TRUE((*upload)->Append(AsBytes("late")).ok());
  ASSERT_TRUE(store_->Put("u", AsBytes("early")).ok());
  EXPECT_EQ((*upload)->Finish().code(), Code::kConflict);
  EXPECT_EQ(Text("u"), "early");
}

TEST_P(ContractTest, AppendersGrowAndCutObjects) {
  {
    auto log = store_->OpenAppender("log/1");
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    EXPECT_EQ((*log)->size(), 0u);
    ASSERT_TRUE((*log)->Append(AsBytes("abc")).ok());
    ASSERT_TRUE((*log)->Append(AsBytes("def")).ok());
    ASSERT_TRUE((*log)->Sync().ok());
    EXPECT_EQ((*log)->size(), 6u);
    EXPECT_EQ(Text("log/1"), "abcdef");
    ASSERT_TRUE((*log)->Truncate(4).ok());
    EXPECT_EQ((*log)->size(), 4u);
    EXPECT_EQ((*log)->Truncate(5).code(), Code::kInvalidArgument);
    ASSERT_TRUE((*log)->Append(AsBytes("X")).ok());
  }
  auto again = store_->OpenAppender("log/1");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->size(), 5u);
  ASSERT_TRUE((*again)->Append(AsBytes("Y")).ok());
  EXPECT_EQ(Text("log/1"), "abcdXY");
  EXPECT_EQ(store_->Put("log/1", {}).code(), Code::kConflict);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, ContractTest,
    testing::Values(
        Implementation{"Directory",
                       [](const std::filesystem::path& root) -> std::unique_ptr<ObjectStore> {
                         auto store = DirectoryStore::Open(root);
                         return store.ok() ? std::move(*store) : nullptr;
                       }},
        Implementation{"Memory", [](const std::filesystem::path&) { return std::make_unique<MemoryStore>(); }},
        Implementation{"Fault", [](const std::filesystem::path&) { return std::make_unique<HealthyFaultStore>(); }}),
    [](const testing::TestParamInfo<Implementation>& tested) { return tested.param.name; });

}  // namespace
}  // namespace tiercel::store
