#include "tiercel/shard/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tiercel/shard/shard_testing.h"
#include "tiercel/store/fault_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::shard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Outcome = OperationResult::Outcome;

class ShardTest : public ::testing::Test {
 protected:
  void Open(ShardSettings settings = {}) {
    shard_.reset();
    ShardOptions options = TestOptions(faults_, clock_);
    options.settings = settings;
    auto opened = Shard::Open(std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    shard_ = std::move(opened).value();
  }
  void Index(const std::string& id, int64_t number) {
    const OperationResult result = ApplyOne(*shard_, IndexOp(id, number));
    ASSERT_TRUE(result.status.ok()) << result.status.ToString();
  }
  void SetUp() override { Open(); }

  FakeClock clock_;
  store::MemoryStore memory_;
  std::function<void()> while_slow_;
  store::FaultStore faults_{memory_, [this] { while_slow_(); }};
  std::unique_ptr<Shard> shard_;
};

TEST_F(ShardTest, FirstTermIsOneAndEveryOwnerGetsAHigherOne) {
  EXPECT_EQ(shard_->primary_term(), 1);
  Open();
  EXPECT_EQ(shard_->primary_term(), 2);
}

TEST_F(ShardTest, WritesAreSeenByGetAtOnceAndBySearchAfterARefresh) {
  Index("a", 1);
  EXPECT_EQ(GetSource(*shard_, "a"), NumberSource(1));
  EXPECT_THAT(SearchAll(*shard_), IsEmpty());
  EXPECT_FALSE(shard_->Get("a", false).value().has_value());
  EXPECT_TRUE(shard_->Refresh().value());
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(1))));
  EXPECT_FALSE(shard_->Refresh().value());
}

TEST_F(ShardTest, UpdatesReplaceInTheBufferAndInSegments) {
  Index("a", 1);
  Index("a", 2);
  Index("b", 1);
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(2)), Pair("b", NumberSource(1))));
  Index("a", 3);
  EXPECT_EQ(ApplyOne(*shard_, DeleteOp("b")).outcome, Outcome::kDeleted);
  EXPECT_EQ(GetSource(*shard_, "a"), NumberSource(3));
  EXPECT_EQ(GetSource(*shard_, "b"), "-");
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(3))));
}

TEST_F(ShardTest, OperationsOfOneBatchSeeEachOther) {
  std::vector<Operation> operations;
  operations.push_back(CreateOp("a", 1));
  operations.push_back(CreateOp("a", 2));
  operations.push_back(IndexOp("a", 3));
  operations.push_back(DeleteOp("a"));
  operations.push_back(DeleteOp("a"));
  operations.push_back(CreateOp("a", 4));
  const std::vector<OperationResult> results = shard_->Apply(operations);
  EXPECT_EQ(results[0].outcome, Outcome::kCreated);
  EXPECT_EQ(results[1].status.message(), "[a]: version conflict, document already exists (current version [1])");
  EXPECT_EQ(results[2].outcome, Outcome::kUpdated);
  EXPECT_EQ(results[3].outcome, Outcome::kDeleted);
  EXPECT_EQ(results[4].outcome, Outcome::kNotFound);
  EXPECT_EQ(results[5].version, 5);
  EXPECT_EQ(results[5].seq_no, 4) << "the refused operation takes no number";
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(4))));
}

TEST_F(ShardTest, ConditionsHoldAgainstSegmentsToo) {
  Index("a", 1);
  ASSERT_TRUE(shard_->Flush().ok());
  Open();
  Operation update = IndexOp("a", 2);
  update.if_seq_no = 0;
  update.if_primary_term = 1;
  const OperationResult updated = ApplyOne(*shard_, std::move(update));
  ASSERT_TRUE(updated.status.ok()) << updated.status.ToString();
  EXPECT_EQ(updated.version, 2);
  EXPECT_EQ(updated.seq_no, 1);
  EXPECT_EQ(updated.primary_term, 2);
  Operation stale = IndexOp("a", 3);
  stale.if_seq_no = 0;
  stale.if_primary_term = 1;
  EXPECT_EQ(ApplyOne(*shard_, std::move(stale)).status.message(),
            "[a]: version conflict, required seqNo [0], primary term [1]. current document has seqNo [1] and primary "
            "term [2]");
}

TEST_F(ShardTest, TombstonesAreForgottenAfterGcDeletes) {
  Index("a", 1);
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_EQ(ApplyOne(*shard_, DeleteOp("a")).version, 2);
  ASSERT_TRUE(shard_->Refresh().ok());
  clock_.AdvanceMs(59'000);
  EXPECT_EQ(ApplyOne(*shard_, DeleteOp("a")).version, 3);
  clock_.AdvanceMs(61'000);
  EXPECT_EQ(GetSource(*shard_, "a"), "-");
  EXPECT_EQ(ApplyOne(*shard_, CreateOp("a", 1)).version, 1);
}

TEST_F(ShardTest, AnExpiredTombstoneStillHidesTheSegmentsCopy) {
  Index("a", 1);
  ASSERT_TRUE(shard_->Refresh().ok());
  ApplyOne(*shard_, DeleteOp("a"));
  clock_.AdvanceMs(61'000);
  EXPECT_EQ(GetSource(*shard_, "a"), "-");
  EXPECT_EQ(ApplyOne(*shard_, CreateOp("a", 2)).version, 1);
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(2))));
}

TEST_F(ShardTest, RoutingIsKept) {
  Operation operation = IndexOp("a", 1);
  operation.routing = "r";
  operation.document->routing = "r";
  ASSERT_TRUE(ApplyOne(*shard_, std::move(operation)).status.ok());
  EXPECT_EQ(shard_->Get("a").value()->routing, "r");
  Open();
  EXPECT_EQ(shard_->Get("a").value()->routing, "r");
}

TEST_F(ShardTest, ReopeningReplaysTheLog) {
  for (int i = 0; i < 10; ++i) Index(std::to_string(i), i);
  ApplyOne(*shard_, DeleteOp("3"));
  ASSERT_TRUE(shard_->Flush().ok());
  Index("4", 44);
  ApplyOne(*shard_, DeleteOp("5"));
  shard_.reset();
  memory_.Crash();
  Open();
  const auto found = SearchAll(*shard_);
  EXPECT_EQ(found.size(), 8u);
  EXPECT_EQ(found.at("4"), NumberSource(44));
  EXPECT_EQ(shard_->Stats().max_seq_no, 12);
  EXPECT_EQ(Problems(memory_, true), "");
}

TEST_F(ShardTest, FailedLogLeavesNoTrace) {
  Index("a", 1);
  for (int i = 1; i < 20; ++i) Index(std::to_string(i), i);  // so few deletes that no merge rewrites the segment
  faults_.Add({.on = store::FaultPoint::kSync, .kind = store::FaultKind::kIoError});
  std::vector<Operation> operations;
  operations.push_back(IndexOp("a", 2));
  operations.push_back(CreateOp("b", 1));
  operations.push_back(CreateOp("b", 2));
  for (const OperationResult& result : shard_->Apply(operations)) EXPECT_EQ(result.status.code(), Code::kUnavailable);
  EXPECT_EQ(GetSource(*shard_, "a"), NumberSource(1));
  EXPECT_EQ(GetSource(*shard_, "b"), "-");
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_EQ(SearchAll(*shard_).at("a"), NumberSource(1));
  EXPECT_EQ(GetSource(*shard_, "a"), NumberSource(1)) << "though a later, abandoned copy stood in the same buffer";
  const OperationResult next = ApplyOne(*shard_, IndexOp("a", 3));
  EXPECT_EQ(next.seq_no, 20);
  EXPECT_EQ(next.version, 2);
  ASSERT_TRUE(shard_->Refresh().ok());
  EXPECT_EQ(SearchAll(*shard_).size(), 20u);
  EXPECT_EQ(SearchAll(*shard_).at("a"), NumberSource(3));
}

// Invariant S7.
TEST_F(ShardTest, DeletesDuringAMergeAreCarriedOver) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) Index(std::to_string(4 * round + i), i);
    ASSERT_TRUE(shard_->Flush().ok());
  }
  while_slow_ = [&] {
    ApplyOne(*shard_, DeleteOp("1"));
    Index("6", 66);
    ASSERT_TRUE(shard_->Refresh().ok());
    ApplyOne(*shard_, DeleteOp("7"));  // not refreshed when the merge ends: found by id afterwards
  };
  faults_.Add({.on = store::FaultPoint::kUploadAppend, .kind = store::FaultKind::kSlow});
  ASSERT_TRUE(shard_->ForceMerge(1).ok());
  EXPECT_EQ(faults_.faults(), 1u);
  std::map<std::string, std::string> expected;
  for (const int i : {0, 2, 3, 4, 5}) expected[std::to_string(i)] = NumberSource(i % 4);
  expected["6"] = NumberSource(66);
  EXPECT_EQ(SearchAll(*shard_), expected);
  Open();
  EXPECT_EQ(SearchAll(*shard_), expected);
  EXPECT_EQ(Problems(memory_, true), "");
}

TEST_F(ShardTest, ReplayedOperationsAreMadeDurableBeforeTheShardGoesOn) {
  Open({.durability = Durability::kAsync});
  Index("a", 1);
  Open();  // the process ended; the machine did not, and its cache still has the record
  Index("b", 2);
  shard_.reset();
  memory_.Crash();
  Open();
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(1)), Pair("b", NumberSource(2))));
}

TEST_F(ShardTest, MergesKeepDeletesAndDropWhatIsDead) {
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 10; ++i) Index(std::to_string(round * 5 + i), round);
    ASSERT_TRUE(shard_->Flush().ok());
  }
  const auto before = SearchAll(*shard_);
  ASSERT_TRUE(shard_->ForceMerge(1).ok());
  EXPECT_EQ(SearchAll(*shard_), before);
  EXPECT_THAT(shard_->Segments(), ::testing::SizeIs(1));
  EXPECT_EQ(shard_->Segments()[0].deleted, 0u);
  EXPECT_TRUE(shard_->Segments()[0].committed);
  EXPECT_EQ(Problems(memory_, true), "");
}

TEST_F(ShardTest, SnapshotsPinTheirObjects) {
  Index("a", 1);
  ASSERT_TRUE(shard_->Flush().ok());
  auto snapshot = shard_->Acquire().value();
  const std::string object = std::string(kTestPrefix) + "/segments/" + snapshot->segments[0].segment->name();
  Index("a", 2);
  ASSERT_TRUE(shard_->Flush().ok());
  ASSERT_TRUE(shard_->CollectGarbage().ok());
  EXPECT_TRUE(memory_.Size(object).ok());
  snapshot.reset();
  EXPECT_EQ(shard_->CollectGarbage().value(), 1u);
  EXPECT_EQ(memory_.Size(object).status().code(), Code::kNotFound);
  EXPECT_EQ(Problems(memory_, true), "");
}

TEST_F(ShardTest, OrphansOfACrashAreRemovedAtOpen) {
  Index("a", 1);
  ASSERT_TRUE(shard_->Flush().ok());
  for (const char* name : {"segments/_z9", "live/_0.zz"}) {
    ASSERT_TRUE(memory_.Put(std::string(kTestPrefix) + "/" + name, AsBytes("x")).ok());
  }
  EXPECT_THAT(Problems(memory_, true), HasSubstr("orphan"));
  Open();
  EXPECT_EQ(Problems(memory_, true), "");
  Index("b", 1);
  ASSERT_TRUE(shard_->Flush().ok());
  EXPECT_THAT(shard_->Segments().back().name, ::testing::Not("_1")) << "numbers go on after the orphans'";
}

TEST_F(ShardTest, AnotherOwnerFencesTheFirst) {
  Index("a", 1);
  auto second = Shard::Open(TestOptions(memory_, clock_));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(shard_->Flush().code(), Code::kConflict);
  EXPECT_EQ(ApplyOne(*shard_, IndexOp("b", 1)).status.code(), Code::kConflict);
  EXPECT_EQ(shard_->CollectGarbage().status().code(), Code::kConflict);
  EXPECT_EQ(GetSource(**second, "a"), NumberSource(1));
  EXPECT_EQ(Problems(memory_, true), "");
}

TEST_F(ShardTest, CommitOfUnknownOutcomeIsSettled) {
  for (int64_t i = 0; i < 3; ++i) {
    Index("a", i);
    faults_.Add({.on = store::FaultPoint::kPut, .kind = store::FaultKind::kLateError, .name_contains = "/manifest/"});
    EXPECT_EQ(shard_->Flush().code(), Code::kUnavailable);
    ASSERT_TRUE(shard_->CollectGarbage().ok());
    EXPECT_EQ(Problems(memory_, false), "");
    ASSERT_TRUE(shard_->Flush().ok());
    EXPECT_EQ(Problems(memory_, true), "");
  }
}

TEST_F(ShardTest, AsynchronousWritesAreDurableAfterSync) {
  Open({.durability = Durability::kAsync});
  Index("a", 1);
  ASSERT_TRUE(shard_->Sync().ok());
  Index("b", 1);
  shard_.reset();
  memory_.Crash();
  Open();
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(1))));
}

// Invariant S8: the update's new copy is lost in the crash, so the delete of the old one must be too.
TEST_F(ShardTest, AsynchronousUpdateIsLostWholeOrNotAtAll) {
  Open({.durability = Durability::kAsync});
  Index("a", 1);
  ASSERT_TRUE(shard_->Flush().ok());
  Index("a", 2);
  ASSERT_TRUE(shard_->Refresh().ok());
  shard_.reset();
  memory_.Crash();
  Open();
  EXPECT_THAT(SearchAll(*shard_), ElementsAre(Pair("a", NumberSource(1))));
}

TEST_F(ShardTest, SearchIdleShardsRefreshOnTheFirstSearch) {
  Index("a", 1);
  EXPECT_THAT(SearchAll(*shard_), IsEmpty());
  clock_.AdvanceMs(30'000);
  EXPECT_EQ(SearchAll(*shard_).size(), 1u);
  Open({.refresh_interval_explicit = true});
  Index("b", 1);
  clock_.AdvanceMs(30'000);
  EXPECT_EQ(SearchAll(*shard_).size(), 1u) << "an explicit interval is kept to";
}

TEST_F(ShardTest, WaitForRefreshForcesOneWhenNoneWillCome) {
  Open({.refresh_interval_ms = -1});
  Index("a", 1);
  ASSERT_TRUE(shard_->WaitForRefresh().ok());
  EXPECT_EQ(SearchAll(*shard_).size(), 1u);
}

TEST_F(ShardTest, FullBufferRefreshesItself) {
  Open({.buffer_bytes = 1});
  Index("a", 1);
  EXPECT_EQ(SearchAll(*shard_).size(), 1u);
}

TEST_F(ShardTest, FullBudgetRefusesOperationsAndRecovers) {
  runtime::MemoryBudget budget(100'000);
  ShardOptions options = TestOptions(memory_, clock_);
  options.budget = &budget;
  shard_.reset();
  auto shard = Shard::Open(std::move(options)).value();
  int refused = 0, accepted = 0;
  for (int i = 0; i < 200; ++i) {
    const OperationResult result = ApplyOne(*shard, IndexOp(std::to_string(i), i));
    if (result.status.ok()) {
      ++accepted;
    } else {
      EXPECT_EQ(result.status.code(), Code::kResourceExhausted);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(accepted, 2 * refused) << "a refusal empties the buffer";
  ASSERT_TRUE(shard->Refresh().ok());
  EXPECT_EQ(SearchAll(*shard).size(), static_cast<size_t>(accepted));
  EXPECT_EQ(budget.indexing().used_bytes(), 0u);
}

TEST_F(ShardTest, VerifyNamesDamage) {
  for (int i = 0; i < 5; ++i) Index(std::to_string(i), i);
  ASSERT_TRUE(shard_->Flush().ok());
  ApplyOne(*shard_, DeleteOp("1"));
  ASSERT_TRUE(shard_->Flush().ok());
  Index("x", 1);
  Index("y", 1);
  shard_.reset();
  const auto report = VerifyShard(memory_, kTestPrefix).value();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.documents, 4u);
  EXPECT_EQ(report.log_operations, 2u);
  const std::vector<store::ObjectInfo> objects = memory_.List("").value();
  for (const store::ObjectInfo& object : objects) {
    ASSERT_TRUE(memory_.FlipBit(object.name, object.size / 2, 3));
    const std::string problems = Problems(memory_, false);
    // The middle of the log is its first frame, whose loss the second betrays.
    EXPECT_THAT(problems, HasSubstr(object.name.substr(0, object.name.rfind('/')))) << object.name;
    ASSERT_TRUE(memory_.FlipBit(object.name, object.size / 2, 3));
  }
  EXPECT_EQ(Problems(memory_, true), "");
}

TEST_F(ShardTest, StatsCount) {
  Index("a", 1);
  Index("b", 1);
  ApplyOne(*shard_, DeleteOp("b"));
  GetSource(*shard_, "a");
  ASSERT_TRUE(shard_->Flush().ok());
  const ShardStats stats = shard_->Stats();
  EXPECT_EQ(stats.docs, 1u);
  EXPECT_EQ(stats.deleted_docs, 1u);
  EXPECT_EQ(stats.segments, 1u);
  EXPECT_EQ(stats.index_total, 2u);
  EXPECT_EQ(stats.delete_total, 1u);
  EXPECT_EQ(stats.get_total, 1u);
  EXPECT_EQ(stats.flush_total, 1u);
  EXPECT_EQ(stats.max_seq_no, 2);
  EXPECT_EQ(stats.manifest_generation, 2u);
  EXPECT_EQ(stats.log_operations, 0u);
  EXPECT_GT(stats.store_bytes, 0u);
}

}  // namespace
}  // namespace tiercel::shard
