#include "tiercel/store/directory_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace tiercel::store {
namespace {

class DirectoryStoreTest : public testing::Test {
 protected:
  DirectoryStoreTest()
      : root_(std::filesystem::path(testing::TempDir()) / ("tiercel-directory-store-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(root_);
  }
  ~DirectoryStoreTest() override { std::filesystem::remove_all(root_); }
  std::unique_ptr<DirectoryStore> Open() {
    auto store = DirectoryStore::Open(root_);
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return store.ok() ? std::move(*store) : nullptr;
  }

  std::filesystem::path root_;
};

TEST_F(DirectoryStoreTest, KeepsObjectsAcrossReopening) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Put("x/y", AsBytes("kept")).ok());
  }
  const auto store = Open();
  EXPECT_EQ(AsText(store->Get("x/y").value()), "kept");
  EXPECT_EQ(store->LocalPath("x/y"), std::filesystem::canonical(root_) / "x/y");
  EXPECT_EQ(store->LocalPath("../y"), std::nullopt);
}

TEST_F(DirectoryStoreTest, SecondOpenerLearnsWhoHoldsTheDirectory) {
  const auto store = Open();
  const auto second = DirectoryStore::Open(root_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), Code::kConflict);
  EXPECT_NE(second.error().message().find("process " + std::to_string(getpid())), std::string::npos)
      << second.error().message();
}

TEST_F(DirectoryStoreTest, ReadOnlyStoreNeedsNoLockAndRefusesWrites) {
  const auto store = Open();
  ASSERT_TRUE(store->Put("a", AsBytes("x")).ok());
  auto reader = DirectoryStore::OpenReadOnly(root_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(AsText((*reader)->Get("a").value()), "x");
  EXPECT_EQ((*reader)->Put("b", {}).code(), Code::kForbidden);
  EXPECT_EQ((*reader)->Delete("a").code(), Code::kForbidden);
  EXPECT_EQ((*reader)->OpenAppender("l").status().code(), Code::kForbidden);
  EXPECT_EQ(DirectoryStore::OpenReadOnly(root_ / "none").status().code(), Code::kNotFound);
}

TEST_F(DirectoryStoreTest, RemovesLeftoversOfACrashAndNeverListsThem) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Put("a", AsBytes("x")).ok());
  }
  std::ofstream(root_ / ".tmp" / "17") << "half an upload";
  const auto store = Open();
  EXPECT_TRUE(std::filesystem::is_empty(root_ / ".tmp"));
  EXPECT_EQ(store->List("")->size(), 1u);
}

TEST_F(DirectoryStoreTest, RemovesDirectoriesThatBecameEmpty) {
  const auto store = Open();
  ASSERT_TRUE(store->Put("i/1/a", {}).ok());
  ASSERT_TRUE(store->Put("i/2/b", {}).ok());
  ASSERT_TRUE(store->Delete("i/1/a").ok());
  EXPECT_FALSE(std::filesystem::exists(root_ / "i/1"));
  EXPECT_TRUE(std::filesystem::exists(root_ / "i/2/b"));
  ASSERT_TRUE(store->Delete("i/2/b").ok());
  EXPECT_FALSE(std::filesystem::exists(root_ / "i"));
  EXPECT_TRUE(store->Put("i/1/a", {}).ok());
}

TEST_F(DirectoryStoreTest, NamesObjectAndReasonInErrors) {
  const auto store = Open();
  const auto missing = store->Get("no/such");
  EXPECT_NE(missing.error().message().find("[no/such]: No such file or directory"), std::string::npos)
      << missing.error().message();
  // A regular file in the way of a directory is the caller's doing, a broken root is not.
  std::filesystem::remove_all(root_ / ".tmp");
  EXPECT_FALSE(store->Put("a", AsBytes("x")).ok());
}

// The file size limit stands in for a full disk: the kernel answers a write in the same way, with part of the bytes.
class FullDiskTest : public DirectoryStoreTest {
 protected:
  void SetUp() override {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = 8192;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  void TearDown() override { setrlimit(RLIMIT_FSIZE, &before_); }
  rlimit before_;
};

TEST_F(FullDiskTest, PutLeavesNothingBehind) {
  const auto store = Open();
  const Status status = store->Put("a", Bytes(10000, 7));
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
  EXPECT_TRUE(store->List("")->empty());
  EXPECT_TRUE(std::filesystem::is_empty(root_ / ".tmp"));
}

TEST_F(FullDiskTest, AFailedAppendLeavesNoTornTail) {
  const auto store = Open();
  auto log = store->OpenAppender("log");
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE((*log)->Append(Bytes(8000, 1)).ok());
  EXPECT_EQ((*log)->Append(Bytes(500, 2)).code(), Code::kResourceExhausted);
  EXPECT_EQ((*log)->size(), 8000u);
  EXPECT_EQ(store->Size("log").value_or(0u), 8000u);
  EXPECT_TRUE((*log)->Append(Bytes(100, 3)).ok());
  EXPECT_TRUE((*log)->Sync().ok());
  EXPECT_EQ(store->Size("log").value_or(0u), 8100u);
}

}  // namespace
}  // namespace tiercel::store
