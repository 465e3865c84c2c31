// The fault sweep: a scripted life of a shard, run once for every store call in it and every kind of fault, which
// strikes that call. Whatever happens, failures are typed, acknowledged operations survive a crash, and the shard goes
// on.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tiercel/base/random.h"
#include "tiercel/shard/shard.h"
#include "tiercel/shard/shard_testing.h"
#include "tiercel/store/fault_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::shard {
namespace {

using store::FaultKind;

class Sweep {
 public:
  Sweep(FaultKind kind, uint64_t call, uint64_t count) : kind_(kind), call_(call), count_(count) {}

  // Whether the fault struck: past the last call it does not.
  bool Run() {
    faults_.Add({.kind = kind_, .skip = call_, .count = count_, .keep_bytes = call_ % 50});
    Life();
    const bool struck = faults_.faults() > 0;
    faults_.Heal();
    if (shard_ && kind_ != FaultKind::kFlippedBit) StillUsable();
    Reopen();
    ExpectAcknowledged();
    EXPECT_TRUE(shard_->Flush().ok());
    EXPECT_TRUE(shard_->CollectGarbage().ok());
    EXPECT_EQ(Problems(memory_, true), "");
    return struck;
  }

 private:
  void Life() {
    Open();
    for (int i = 0; i < 4; ++i) Write(IndexOp("a" + std::to_string(i), i));
    Call([](Shard& s) { return s.Flush(); });
    Write(IndexOp("a1", 11));
    Write(DeleteOp("a2"));
    Call([](Shard& s) { return s.Refresh().status(); });
    Write(CreateOp("b", 5));
    Call([](Shard& s) { return s.Flush(); });
    Write(IndexOp("a3", 13));
    Call([](Shard& s) { return s.ForceMerge(1); });
    Call([](Shard& s) { return s.CollectGarbage().status(); });
    Write(DeleteOp("a0"));
    shard_.reset();
    EXPECT_TRUE(faults_.Crash().ok());
    Open();
    Write(IndexOp("a0", 20));
    Call([](Shard& s) { return s.Flush(); });
    Write(IndexOp("c", 21));
  }

  void Open() {
    auto opened = Shard::Open(TestOptions(faults_, clock_));
    if (opened.ok()) {
      shard_ = std::move(opened).value();
    } else {
      ExpectTyped(opened.error());
    }
  }

  void ExpectTyped(const Status& status) {
    const std::set<Code> expected = kind_ == FaultKind::kFlippedBit
                                        ? std::set{Code::kCorruption, Code::kUnavailable, Code::kUnimplemented}
                                    : kind_ == FaultKind::kNoSpace ? std::set{Code::kResourceExhausted}
                                                                   : std::set{Code::kUnavailable};
    EXPECT_TRUE(expected.contains(status.code())) << status.ToString();
  }

  void Call(Status (*call)(Shard&)) {
    if (!shard_) return;
    if (const Status status = call(*shard_); !status.ok()) ExpectTyped(status);
  }

  void Write(Operation operation) {
    if (!shard_) return;
    const std::string id = operation.id;
    const std::string source = operation.document ? operation.document->source : "-";
    const OperationResult result = ApplyOne(*shard_, std::move(operation));
    if (result.status.ok()) {
      possible_[id] = {source};
    } else {
      ExpectTyped(result.status);
      // Refused, but its record may be in the store.
      if (possible_[id].empty()) possible_[id].insert("-");
      possible_[id].insert(source);
    }
  }

  void StillUsable() {
    EXPECT_TRUE(shard_->Refresh().ok());
    Write(IndexOp("after", 99));
    EXPECT_EQ(GetSource(*shard_, "after"), NumberSource(99));
    EXPECT_TRUE(shard_->Flush().ok());
    EXPECT_EQ(Problems(memory_, false), "");
  }

  void Reopen() {
    shard_.reset();
    ASSERT_TRUE(faults_.Crash().ok());
    Open();
    ASSERT_TRUE(shard_);
  }

  void ExpectAcknowledged() {
    ASSERT_TRUE(shard_);
    const std::map<std::string, std::string> found = SearchAll(*shard_);
    for (const auto& [id, sources] : possible_) {
      const auto now = found.find(id);
      EXPECT_TRUE(sources.contains(now == found.end() ? "-" : now->second)) << id;
      EXPECT_EQ(GetSource(*shard_, id), now == found.end() ? "-" : now->second);
    }
    for (const auto& [id, source] : found) EXPECT_TRUE(possible_.contains(id)) << id;
  }

  const FaultKind kind_;
  const uint64_t call_;
  const uint64_t count_;
  FakeClock clock_;
  store::MemoryStore memory_;
  store::FaultStore faults_{memory_};
  std::unique_ptr<Shard> shard_;
  std::map<std::string, std::set<std::string>> possible_;  // what each id may hold
};

class ShardFaultTest : public ::testing::TestWithParam<std::pair<FaultKind, uint64_t>> {};

TEST_P(ShardFaultTest, NothingAcknowledgedIsLostWhicheverCallFails) {
  const auto [kind, count] = GetParam();
  uint64_t call = 0;
  for (bool struck = true; struck && !HasFailure(); ++call) {
    SCOPED_TRACE(call);
    struck = Sweep(kind, call, count).Run();
  }
  EXPECT_GT(call, 60u) << "the script makes at least so many calls";
}

INSTANTIATE_TEST_SUITE_P(Faults, ShardFaultTest,
                         ::testing::Values(std::pair{FaultKind::kIoError, 1}, std::pair{FaultKind::kIoError, 3},
                                           std::pair{FaultKind::kNoSpace, 1}, std::pair{FaultKind::kNoSpace, 4},
                                           std::pair{FaultKind::kTornWrite, 1}, std::pair{FaultKind::kTornWrite, 2},
                                           std::pair{FaultKind::kLateError, 1}, std::pair{FaultKind::kLateError, 3},
                                           std::pair{FaultKind::kFlippedBit, 1}));

}  // namespace
}  // namespace tiercel::shard
