#include "tiercel/shard/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tiercel/store/fault_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::shard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kPrefix = "indices/u/0";

struct Replayed {
  std::vector<std::string> ids;
  ReplaySummary summary;
};

LogRecord Record(int64_t seq_no, std::string_view id, std::string_view source = "{}") {
  LogRecord record;
  record.seq_no = seq_no;
  record.version = 1;
  record.id = id;
  record.source = source;
  return record;
}

Status AppendOne(LogWriter& log, int64_t seq_no, std::string_view id, bool sync = true) {
  const LogRecord record = Record(seq_no, id);
  return log.Append({&record, 1}, sync);
}

Result<Replayed> ReplayAll(const store::ObjectStore& store, uint64_t generation = 1, int64_t persisted = -1) {
  Replayed replayed;
  TIERCEL_TRY_ASSIGN(replayed.summary,
                     ReplayLogs(store, kPrefix, generation, persisted, [&](const LogRecord& record) -> Status {
                       replayed.ids.emplace_back(record.id);
                       return {};
                     }));
  return replayed;
}

class LogTest : public ::testing::Test {
 protected:
  store::MemoryStore memory_;
  store::FaultStore faults_{memory_};
  LogWriter log_{&faults_, std::string(kPrefix), 3, 0, -1};
  const std::string first_ = LogObjectName(kPrefix, 1);
};

TEST_F(LogTest, NamesAreSixteenHexDigits) { EXPECT_EQ(LogObjectName("p", 255), "p/log/00000000000000ff"); }

TEST_F(LogTest, RecordsComeBackWhole) {
  LogRecord index = Record(0, "a", R"({"x":1})");
  index.routing = "r";
  index.version = 7;
  LogRecord deletion = Record(1, "b");
  deletion.kind = LogRecord::Kind::kDelete;
  deletion.version = -1;
  const LogRecord records[] = {index, deletion};
  ASSERT_TRUE(log_.Append(records, true).ok());
  int seen = 0;
  const auto summary = ReplayLogs(memory_, kPrefix, 1, -1, [&](const LogRecord& record) -> Status {
    const LogRecord& expected = records[seen++];
    EXPECT_EQ(record.kind, expected.kind);
    EXPECT_EQ(record.seq_no, expected.seq_no);
    EXPECT_EQ(record.version, expected.version);
    EXPECT_EQ(record.id, expected.id);
    EXPECT_EQ(record.routing, expected.routing);
    EXPECT_EQ(record.primary_term, 3);
    EXPECT_EQ(record.source, record.kind == LogRecord::Kind::kIndex ? expected.source : "");
    return {};
  });
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(summary->max_seq_no, 1);
  EXPECT_FALSE(summary->last_torn);
}

TEST_F(LogTest, LongBatchesAreCutIntoFrames) {
  const std::string source(1 << 20, 'x');
  std::vector<LogRecord> records;
  for (int64_t i = 0; i < 20; ++i) records.push_back(Record(i, "id", source));
  Bytes frames;
  ASSERT_TRUE(EncodeFrames(records, 0, frames).ok());
  ASSERT_TRUE(log_.Append(records, true).ok());
  EXPECT_GE(frames.size(), 20 * source.size() + 4 * kFrameHeaderBytes);
  const auto replayed = ReplayAll(memory_);
  ASSERT_TRUE(replayed.ok()) << replayed.error().ToString();
  EXPECT_EQ(replayed->ids.size(), 20u);
}

TEST_F(LogTest, UnsyncedRecordsMayBeTornAndAreCut) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  const uint64_t synced = log_.bytes();
  ASSERT_TRUE(AppendOne(log_, 1, "b", false).ok());
  const uint64_t whole = log_.bytes();
  const Bytes bytes = memory_.Get(first_).value();
  for (uint64_t size = synced; size < whole; ++size) {
    store::MemoryStore torn;
    ASSERT_TRUE(torn.Put(first_, ByteSpan(bytes).first(size)).ok());
    const auto replayed = ReplayAll(torn);
    ASSERT_TRUE(replayed.ok()) << size << ": " << replayed.error().ToString();
    EXPECT_THAT(replayed->ids, ElementsAre("a"));
    EXPECT_EQ(replayed->summary.last_valid_size, synced);
    EXPECT_EQ(replayed->summary.last_torn, size != synced);
  }
}

TEST_F(LogTest, EveryFlippedBitBeforeSyncedFramesIsACorruptionWithItsPlace) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  const uint64_t first_end = log_.bytes();
  ASSERT_TRUE(AppendOne(log_, 1, "b").ok());
  for (uint64_t offset = LogHeader::kBytes; offset < first_end; ++offset) {
    ASSERT_TRUE(memory_.FlipBit(first_, offset, offset % 8));
    const auto replayed = ReplayAll(memory_);
    ASSERT_FALSE(replayed.ok()) << offset;
    EXPECT_EQ(replayed.error().code(), Code::kCorruption);
    EXPECT_THAT(replayed.error().message(), HasSubstr(first_));
    EXPECT_THAT(replayed.error().message(), HasSubstr("offset 64"));
    ASSERT_TRUE(memory_.FlipBit(first_, offset, offset % 8));
  }
  EXPECT_TRUE(ReplayAll(memory_).ok());
}

TEST_F(LogTest, DamageWithinOneUnsyncedBatchIsATornEnd) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  const uint64_t synced = log_.bytes();
  ASSERT_TRUE(AppendOne(log_, 1, "b", false).ok());
  ASSERT_TRUE(AppendOne(log_, 2, "c", false).ok());
  ASSERT_TRUE(memory_.FlipBit(first_, synced + 44, 0));
  const auto replayed = ReplayAll(memory_);
  ASSERT_TRUE(replayed.ok()) << replayed.error().ToString();
  EXPECT_THAT(replayed->ids, ElementsAre("a"));
}

TEST_F(LogTest, FailedAppendIsTakenBackAndItsNumbersAreUsedAgain) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  faults_.Add({.on = store::FaultPoint::kAppend, .kind = store::FaultKind::kTornWrite, .keep_bytes = 9});
  EXPECT_EQ(AppendOne(log_, 1, "lost").code(), Code::kUnavailable);
  ASSERT_TRUE(AppendOne(log_, 1, "b").ok());
  EXPECT_THAT(ReplayAll(memory_).value().ids, ElementsAre("a", "b"));
  EXPECT_EQ(log_.generation(), 1u);
}

TEST_F(LogTest, FailedSyncAndTruncateMakeTheBatchVoidInTheNextLog) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  faults_.Add({.on = store::FaultPoint::kSync, .kind = store::FaultKind::kLateError});
  faults_.Add({.on = store::FaultPoint::kTruncate, .kind = store::FaultKind::kIoError});
  EXPECT_EQ(AppendOne(log_, 1, "void").code(), Code::kUnavailable);
  ASSERT_TRUE(AppendOne(log_, 1, "b").ok());
  EXPECT_EQ(log_.generation(), 2u);
  EXPECT_THAT(ReplayAll(memory_).value().ids, ElementsAre("a", "b"));  // rule L1
}

TEST_F(LogTest, FailedRollTakesNoMoreRecordsIntoTheOldLog) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  faults_.Add({.on = store::FaultPoint::kSync, .kind = store::FaultKind::kLateError});
  EXPECT_FALSE(log_.Roll(1).ok());
  // The failed log's header is whole: records from 1 on would be void in the first log.
  ASSERT_TRUE(AppendOne(log_, 1, "b").ok());
  EXPECT_THAT(ReplayAll(memory_).value().ids, ElementsAre("a", "b"));
  EXPECT_EQ(log_.generation(), 3u);
}

TEST_F(LogTest, MissingRecordsBetweenLogsAreACorruption) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  ASSERT_TRUE(AppendOne(log_, 1, "b").ok());
  const Bytes before = memory_.Get(first_).value();
  ASSERT_TRUE(log_.Roll(2).ok());
  ASSERT_TRUE(AppendOne(log_, 2, "c").ok());
  EXPECT_THAT(ReplayAll(memory_).value().ids, ElementsAre("a", "b", "c"));
  ASSERT_TRUE(memory_.Delete(first_).ok());
  ASSERT_TRUE(memory_.Put(first_, ByteSpan(before).first(before.size() - 1)).ok());
  const auto replayed = ReplayAll(memory_);  // rule L3
  ASSERT_FALSE(replayed.ok());
  EXPECT_EQ(replayed.error().code(), Code::kCorruption);
  EXPECT_THAT(replayed.error().message(), HasSubstr("operations 1 to 1 are missing"));
}

TEST_F(LogTest, LostAsynchronousRecordsAreNoCorruption) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  const uint64_t synced = log_.bytes();
  ASSERT_TRUE(AppendOne(log_, 1, "b", false).ok());
  faults_.Add({.on = store::FaultPoint::kSync, .kind = store::FaultKind::kIoError});
  EXPECT_FALSE(log_.Sync().ok());
  EXPECT_TRUE(log_.suspect());
  EXPECT_FALSE(log_.Sync().ok()) << "a later sync proves nothing about what the first one lost";
  ASSERT_TRUE(AppendOne(log_, 2, "c").ok());
  EXPECT_EQ(log_.generation(), 2u);
  const Bytes bytes = memory_.Get(first_).value();
  ASSERT_TRUE(memory_.Delete(first_).ok());
  ASSERT_TRUE(memory_.Put(first_, ByteSpan(bytes).first(synced)).ok());
  EXPECT_THAT(ReplayAll(memory_).value().ids, ElementsAre("a", "c"));
  log_.Persisted(2);
  EXPECT_FALSE(log_.suspect());
  EXPECT_TRUE(log_.Sync().ok());
}

TEST_F(LogTest, ReplaySkipsWhatAManifestHas) {
  for (int64_t i = 0; i < 4; ++i) ASSERT_TRUE(AppendOne(log_, i, std::to_string(i)).ok());
  EXPECT_THAT(ReplayAll(memory_, 1, 1).value().ids, ElementsAre("2", "3"));
  ASSERT_TRUE(log_.Roll(4).ok());
  const auto replayed = ReplayAll(memory_, 2, 3);
  EXPECT_THAT(replayed.value().ids, ElementsAre());
  EXPECT_EQ(replayed->summary.max_seq_no, 3);
}

TEST_F(LogTest, ABitFlippedOnTheWayIsReadAgain) {
  ASSERT_TRUE(AppendOne(log_, 0, "a").ok());
  for (uint64_t skip = 0; skip < 2; ++skip) {
    faults_.Heal();
    faults_.Add({.on = store::FaultPoint::kGet, .kind = store::FaultKind::kFlippedBit, .skip = skip});
    const auto replayed = ReplayAll(faults_);
    ASSERT_TRUE(replayed.ok()) << replayed.error().ToString();
    EXPECT_THAT(replayed->ids, ElementsAre("a"));
  }
}

TEST_F(LogTest, UnknownVersionIsRefused) {
  LogHeader header{.version = 2, .generation = 1, .primary_term = 1, .first_seq_no = 0, .synced_seq_no = -1};
  ASSERT_TRUE(memory_.Put(first_, EncodeLogHeader(header)).ok());
  EXPECT_EQ(ReplayAll(memory_).error().code(), Code::kUnimplemented);
}

TEST_F(LogTest, HeaderBytesAreAsDocumented) {
  const LogHeader header{.generation = 2, .primary_term = 3, .first_seq_no = 4, .synced_seq_no = -1};
  const Bytes bytes = EncodeLogHeader(header);
  ASSERT_EQ(bytes.size(), LogHeader::kBytes);
  EXPECT_EQ(AsText(ByteSpan(bytes).first(8)), "TIERLOG1");
  EXPECT_EQ(bytes[8], 1);
  EXPECT_EQ(bytes[16], 2);
  EXPECT_EQ(bytes[24], 3);
  EXPECT_EQ(bytes[32], 4);
  EXPECT_EQ(bytes[40], 0xff);
  for (size_t i = 0; i < bytes.size(); ++i) {
    Bytes damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_FALSE(DecodeLogHeader(damaged)) << i;
  }
  EXPECT_FALSE(DecodeLogHeader(ByteSpan(bytes).first(63)));
}

}  // namespace
}  // namespace tiercel::shard
