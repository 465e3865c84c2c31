// Random operations against a std::map, over refreshes, flushes, merges, crashes and reopenings, on a store that fails
// now and then.
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

using Outcome = OperationResult::Outcome;

class Model {
 public:
  Model(uint64_t seed, uint64_t fault_one_in) : random_(seed), fault_one_in_(fault_one_in) {}

  void Run(int steps) {
    Open();
    for (int i = 0; shard_ && i < steps && !::testing::Test::HasFatalFailure(); ++i) Step();
    faults_.Heal();
    Reopen();
    Check();
    EXPECT_EQ(Problems(memory_, true), "");
  }

  uint64_t faults() const { return faults_.faults(); }

 private:
  struct Doc {
    std::string source;
    int64_t version;
    int64_t seq_no;
  };

  void Open() {
    constexpr int kFaultyAttempts = 20;
    for (int attempt = 0; attempt <= kFaultyAttempts; ++attempt) {
      if (attempt == kFaultyAttempts) faults_.Heal();
      auto opened = Shard::Open(TestOptions(faults_, clock_));
      if (opened.ok()) {
        shard_ = std::move(opened).value();
        return;
      }
      ASSERT_NE(fault_one_in_, 0u) << opened.error().ToString();
      ASSERT_NE(opened.error().code(), Code::kCorruption) << opened.error().ToString();
    }
    FAIL() << "the shard cannot be opened";
  }

  void Reopen() {
    shard_.reset();
    ASSERT_TRUE(faults_.Crash(&random_).ok());
    Open();
    // The memory of deleted ids' versions may end with the process.
    versions_of_deleted_.clear();
    Settle();
  }

  // A batch that was refused because the log failed may be back, whole or its beginning: nobody was told otherwise.
  void Settle() {
    if (uncertain_.empty()) return;
    faults_.Heal();
    for (const auto& [id, sources] : uncertain_) {
      const auto stored = shard_->Get(id);
      ASSERT_TRUE(stored.ok()) << stored.error().ToString();
      const auto known = docs_.find(id);
      const std::string before = known == docs_.end() ? "-" : known->second.source;
      const std::string now = *stored ? (*stored)->source : "-";
      if (now == before && (now == "-" || (*stored)->seq_no == known->second.seq_no)) continue;
      ASSERT_TRUE(sources.contains(now)) << id << " is " << now;
      if (*stored) {
        docs_[id] = {now, (*stored)->version, (*stored)->seq_no};
      } else {
        docs_.erase(id);
      }
    }
    ASSERT_GE(shard_->Stats().max_seq_no, last_seq_no_);
    last_seq_no_ = shard_->Stats().max_seq_no;
    uncertain_.clear();
  }

  void Step() {
    if (fault_one_in_ != 0) faults_.Randomize({.seed = random_.Next(), .one_in = fault_one_in_});
    switch (random_.Below(40)) {
      case 0:
        return Reopen();
      case 1:
        return Note(shard_->Flush());
      case 2:
        return Note(shard_->ForceMerge(1 + static_cast<uint32_t>(random_.Below(3))));
      case 3:
        return Note(shard_->ForceMerge(1, true));
      case 4:
      case 5:
        return Note(shard_->Refresh().status());
      case 6:
        return Note(shard_->CollectGarbage().status());
      case 7:
        return Check();
      default:
        return Write();
    }
  }

  void Note(const Status& status) {
    if (!status.ok()) {
      ASSERT_NE(fault_one_in_, 0u) << status.ToString();
    }
  }

  void Write() {
    std::vector<Operation> operations;
    const uint64_t count = 1 + random_.Below(6);
    for (uint64_t i = 0; i < count; ++i) {
      std::string id = std::to_string(random_.Below(30));
      const auto number = static_cast<int64_t>(random_.Below(1000));
      const uint64_t kind = random_.Below(5);
      if (kind == 0) {
        operations.push_back(DeleteOp(std::move(id)));
      } else {
        operations.push_back(kind == 1 ? CreateOp(std::move(id), number) : IndexOp(std::move(id), number));
      }
    }
    const std::vector<OperationResult> results = shard_->Apply(operations);
    bool logged = false;
    for (const OperationResult& result : results) logged = logged || result.status.ok();
    if (logged) uncertain_.clear();  // the log was mended before it took these
    for (size_t i = 0; i < results.size(); ++i) Expect(operations[i], results[i], logged);
  }

  void Expect(const Operation& operation, const OperationResult& result, bool logged) {
    const auto known = docs_.find(operation.id);
    const bool live = known != docs_.end();
    if (!result.status.ok() && result.status.code() != Code::kConflict) {
      ASSERT_NE(fault_one_in_, 0u) << result.status.ToString();
      if (!logged) uncertain_[operation.id].insert(operation.document ? operation.document->source : "-");
      return;
    }
    if (operation.kind == Operation::Kind::kCreate && live) {
      ASSERT_EQ(result.status.code(), Code::kConflict);
      return;
    }
    ASSERT_TRUE(result.status.ok()) << result.status.ToString();
    ASSERT_EQ(result.seq_no, last_seq_no_ + 1);
    last_seq_no_ = result.seq_no;
    const auto deleted = versions_of_deleted_.find(operation.id);
    if (live) {
      ASSERT_EQ(result.version, known->second.version + 1);
    } else if (deleted != versions_of_deleted_.end()) {
      ASSERT_EQ(result.version, deleted->second + 1);
    }
    if (operation.kind == Operation::Kind::kDelete) {
      ASSERT_EQ(result.outcome, live ? Outcome::kDeleted : Outcome::kNotFound);
      docs_.erase(operation.id);
      versions_of_deleted_[operation.id] = result.version;
    } else {
      ASSERT_EQ(result.outcome, live ? Outcome::kUpdated : Outcome::kCreated);
      docs_[operation.id] = {operation.document->source, result.version, result.seq_no};
      versions_of_deleted_.erase(operation.id);
    }
  }

  void Check() {
    faults_.Heal();
    for (int id = 0; id < 30; ++id) {
      const auto stored = shard_->Get(std::to_string(id));
      ASSERT_TRUE(stored.ok()) << stored.error().ToString();
      const auto expected = docs_.find(std::to_string(id));
      ASSERT_EQ(stored->has_value(), expected != docs_.end()) << id;
      if (!stored->has_value()) continue;
      EXPECT_EQ((*stored)->source, expected->second.source);
      EXPECT_EQ((*stored)->version, expected->second.version);
      EXPECT_EQ((*stored)->seq_no, expected->second.seq_no);
    }
    ASSERT_TRUE(shard_->Refresh().ok());
    std::map<std::string, std::string> expected;
    for (const auto& [id, doc] : docs_) expected[id] = doc.source;
    ASSERT_EQ(SearchAll(*shard_), expected);
    ASSERT_EQ(shard_->Stats().docs, docs_.size());
    ASSERT_EQ(Problems(memory_, false), "");
  }

  Random random_;
  const uint64_t fault_one_in_;
  FakeClock clock_;
  store::MemoryStore memory_;
  store::FaultStore faults_{memory_};
  std::unique_ptr<Shard> shard_;
  std::map<std::string, Doc> docs_;
  std::map<std::string, int64_t> versions_of_deleted_;
  int64_t last_seq_no_ = -1;
  std::map<std::string, std::set<std::string>> uncertain_;
};

TEST(ShardModelTest, AgreesWithAMap) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Model(seed, 0).Run(400);
    if (HasFatalFailure()) return;
  }
}

TEST(ShardModelTest, AgreesWithAMapOnAFailingStore) {
  uint64_t faults = 0;
  for (uint64_t seed = 100; seed < 130; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed, 8);
    model.Run(150);
    faults += model.faults();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(faults, 1000u);
}

}  // namespace
}  // namespace tiercel::shard
