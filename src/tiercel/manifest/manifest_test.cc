#include "tiercel/manifest/manifest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"
#include "tiercel/store/fault_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::manifest {
namespace {

constexpr std::string_view kPrefix = "indices/u/0";

Manifest Example(uint64_t generation) {
  Manifest manifest;
  manifest.generation = generation;
  manifest.primary_term = 3;
  manifest.persisted_seq_no = 41;
  manifest.log_generation = 7;
  manifest.next_segment_number = 9;
  manifest.segments = {{"segments/_1", "", 1234, 10, 10, 0, 9},
                       {"segments/_8", "live/_8-2", 1ull << 40, UINT32_MAX, 3, 10, 41},
                       {"segments/_9", "", 64, 0, 0, -1, -1}};
  return manifest;
}

// Replaces the checksum, so that what lies behind it is reached.
Bytes Resealed(Bytes bytes) {
  format::StoreU64(format::Checksum(ByteSpan(bytes).first(bytes.size() - 8)), bytes.data() + bytes.size() - 8);
  return bytes;
}

TEST(ManifestTest, DecodesWhatItEncoded) {
  const auto decoded = Decode(Encode(Example(5)), "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->generation, 5u);
  EXPECT_EQ(decoded->primary_term, 3u);
  EXPECT_EQ(decoded->persisted_seq_no, 41);
  EXPECT_EQ(decoded->log_generation, 7u);
  EXPECT_EQ(decoded->next_segment_number, 9u);
  ASSERT_EQ(decoded->segments.size(), 3u);
  EXPECT_EQ(decoded->segments[1].object, "segments/_8");
  EXPECT_EQ(decoded->segments[1].live_docs_object, "live/_8-2");
  EXPECT_EQ(decoded->segments[1].bytes, 1ull << 40);
  EXPECT_EQ(decoded->segments[1].doc_count, UINT32_MAX);
  EXPECT_EQ(decoded->segments[1].live_count, 3u);
  EXPECT_EQ(decoded->segments[1].min_seq_no, 10);
  EXPECT_EQ(decoded->segments[1].max_seq_no, 41);
  EXPECT_EQ(decoded->segments[2].max_seq_no, -1);
}

// Invariant M4: no damaged byte passes.
TEST(ManifestTest, NoFlippedByteAndNoTruncationPasses) {
  const Bytes good = Encode(Example(5));
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= 0x41;
    const auto decoded = Decode(bad, "shard/manifest/5");
    ASSERT_FALSE(decoded.ok()) << "byte " << i;
    EXPECT_EQ(decoded.error().code(), Code::kCorruption);
    EXPECT_NE(decoded.error().message().find("shard/manifest/5"), std::string::npos);
    EXPECT_FALSE(Decode(ByteSpan(good).first(i), "m").ok()) << "length " << i;
  }
}

TEST(ManifestTest, NamesTheProblemBehindAGoodChecksum) {
  const Bytes good = Encode(Example(5));
  Bytes future = good;
  future[8] = 2;
  EXPECT_EQ(Decode(Resealed(future), "m").status().code(), Code::kUnimplemented);
  // Any byte of the body changed under a valid checksum decodes to another manifest or to an error, and never crashes.
  for (size_t i = 16; i + 8 < good.size(); ++i) {
    for (const uint8_t value : {uint8_t{0}, uint8_t{0x7f}, uint8_t{0xff}}) {
      Bytes bad = good;
      bad[i] = value;
      const auto decoded = Decode(Resealed(bad), "m");
      EXPECT_TRUE(decoded.ok() || decoded.error().code() == Code::kCorruption);
    }
  }
  const auto error_of = [](const Manifest& manifest) { return Decode(Encode(manifest), "m").status().message(); };
  Manifest bad = Example(5);
  bad.segments[1].object = "../escape";
  EXPECT_NE(error_of(bad).find("invalid segment name"), std::string::npos);
  bad = Example(5);
  bad.segments[2].object = "segments/_1";
  EXPECT_NE(error_of(bad).find("segment named twice"), std::string::npos);
  bad = Example(5);
  bad.segments[0].live_count = 11;
  EXPECT_NE(error_of(bad).find("more live documents"), std::string::npos);
  bad = Example(5);
  bad.persisted_seq_no = -2;
  EXPECT_NE(error_of(bad).find("negative sequence number at offset"), std::string::npos);
}

TEST(ManifestTest, AHugeSegmentCountAllocatesNothing) {
  Bytes bytes;
  format::Writer writer(bytes);
  writer.Raw(AsBytes("TIERCELM"));
  writer.U32(1);
  writer.U32(0);
  for (const uint64_t value : {1, 1, 0, 1, 0}) writer.Varint(value);
  writer.Varint(UINT64_MAX);
  writer.U64(0);
  EXPECT_NE(Decode(Resealed(bytes), "m").status().message().find("more segments than bytes"), std::string::npos);
}

TEST(ManifestTest, NamesSortByGeneration) {
  EXPECT_EQ(ObjectName(kPrefix, 255), "indices/u/0/manifest/00000000000000ff");
  EXPECT_LT(ObjectName(kPrefix, 9), ObjectName(kPrefix, 16));
  EXPECT_LT(ObjectName(kPrefix, 16), ObjectName(kPrefix, UINT64_MAX));
}

// Invariant M1: exactly one writer wins a generation.
TEST(ManifestTest, ExactlyOneWriterWinsAGeneration) {
  store::MemoryStore store;
  std::atomic<int> won = 0, lost = 0;
  std::vector<std::thread> writers;
  for (uint64_t term = 1; term <= 4; ++term) {
    writers.emplace_back([&, term] {
      Manifest manifest = Example(1);
      manifest.primary_term = term;
      const Status status = Commit(store, kPrefix, manifest);
      if (status.ok()) ++won;
      if (status.code() == Code::kConflict) ++lost;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 3);
  EXPECT_TRUE(Commit(store, kPrefix, Example(2)).ok());
  EXPECT_EQ(Commit(store, kPrefix, Example(2)).code(), Code::kConflict);
}

TEST(ManifestTest, ReadsTheNewestGeneration) {
  store::MemoryStore store;
  EXPECT_EQ(ReadNewest(store, kPrefix).status().code(), Code::kNotFound);
  for (const uint64_t generation : {1, 2, 15, 16, 4096}) ASSERT_TRUE(Commit(store, kPrefix, Example(generation)).ok());
  ASSERT_TRUE(Commit(store, "indices/u/01", Example(9999)).ok());
  EXPECT_EQ(ReadNewest(store, kPrefix)->generation, 4096u);
}

// Invariant M4: a newest generation that cannot be read is an error, not a reason to take the one before.
TEST(ManifestTest, ABadNewestGenerationIsAnErrorAndNotSkipped) {
  store::MemoryStore store;
  ASSERT_TRUE(Commit(store, kPrefix, Example(1)).ok());
  ASSERT_TRUE(Commit(store, kPrefix, Example(2)).ok());
  ASSERT_TRUE(store.FlipBit(ObjectName(kPrefix, 2), 20, 3));
  const auto newest = ReadNewest(store, kPrefix);
  ASSERT_FALSE(newest.ok());
  EXPECT_EQ(newest.error().code(), Code::kCorruption);
  EXPECT_NE(newest.error().message().find(ObjectName(kPrefix, 2)), std::string::npos);

  store::MemoryStore renamed;
  ASSERT_TRUE(renamed.Put(ObjectName(kPrefix, 3), Encode(Example(2))).ok());
  EXPECT_EQ(ReadNewest(renamed, kPrefix).status().code(), Code::kCorruption);
  store::MemoryStore foreign;
  ASSERT_TRUE(foreign.Put("indices/u/0/manifest/readme", {}).ok());
  EXPECT_EQ(ReadNewest(foreign, kPrefix).status().code(), Code::kCorruption);
}

TEST(ManifestTest, AFailedCommitIsSettledByReading) {
  store::MemoryStore base;
  store::FaultStore store(base);
  store.Add({.on = store::FaultPoint::kPut, .kind = store::FaultKind::kLateError});
  EXPECT_EQ(Commit(store, kPrefix, Example(1)).code(), Code::kUnavailable);
  EXPECT_EQ(ReadNewest(store, kPrefix)->generation, 1u);
  store.Add({.on = store::FaultPoint::kPut, .kind = store::FaultKind::kNoSpace});
  EXPECT_EQ(Commit(store, kPrefix, Example(2)).code(), Code::kResourceExhausted);
  EXPECT_EQ(ReadNewest(store, kPrefix)->generation, 1u);
}

TEST(ManifestTest, SurvivesTheNewestBeingCollectedWhileItIsRead) {
  store::MemoryStore base;
  ASSERT_TRUE(Commit(base, kPrefix, Example(2)).ok());
  // The slow call is the get of generation 2: in the meantime its successor is committed and it is collected.
  store::FaultStore store(base, [&] {
    ASSERT_TRUE(Commit(base, kPrefix, Example(3)).ok());
    ASSERT_TRUE(base.Delete(ObjectName(kPrefix, 2)).ok());
  });
  store.Add({.on = store::FaultPoint::kGet, .kind = store::FaultKind::kSlow});
  EXPECT_EQ(ReadNewest(store, kPrefix)->generation, 3u);
}

}  // namespace
}  // namespace tiercel::manifest
