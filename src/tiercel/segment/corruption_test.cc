// Damaged segments: every flipped byte and truncation is found, and damage under valid checksums is answered, not
// trusted.
#include <gtest/gtest.h>

#include <string>

#include "tiercel/format/container.h"
#include "tiercel/segment/damage.h"
#include "tiercel/segment/segment_fixture.h"

namespace tiercel::segment {
namespace {

std::vector<ModelDoc> Documents(uint64_t seed, uint32_t count) {
  Random random(seed);
  std::vector<ModelDoc> docs;
  for (uint32_t i = 0; i < count; ++i) docs.push_back(RandomDoc(random, i));
  return docs;
}

// OK only when the object opens and passes verification.
Status Inspect(ByteSpan bytes) {
  TIERCEL_TRY_ASSIGN(const auto segment, Segment::Open(InputOver(bytes, "shard/seg-9")));
  return segment->Verify();
}

TEST(CorruptionTest, EveryFlippedByteIsFound) {
  Bytes bytes = BuildBytes(Documents(1, 5));
  ASSERT_TRUE(Inspect(bytes).ok());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= static_cast<uint8_t>(1u << (i % 8));
    const Status status = Inspect(bytes);
    bytes[i] ^= static_cast<uint8_t>(1u << (i % 8));
    ASSERT_FALSE(status.ok()) << "byte " << i << " of " << bytes.size();
    ASSERT_NE(status.message().find("shard/seg-9"), std::string::npos) << status.ToString();
  }
}

TEST(CorruptionTest, EveryTruncationIsFound) {
  const Bytes bytes = BuildBytes(Documents(2, 5));
  for (size_t cut = 0; cut < bytes.size(); ++cut)
    ASSERT_FALSE(Segment::Open(InputOver(ByteSpan(bytes).first(cut))).ok()) << cut;
}

TEST(CorruptionTest, ReadsOutsideTheDamageStillWork) {
  auto docs = Documents(3, 3000);
  Random random(4);
  for (ModelDoc& doc : docs) {
    doc.vector_places.clear();
    for (int i = 0; i < 10; ++i) doc.source += random.Uuid();
  }
  Bytes bytes = BuildBytes(docs);
  // The stored documents come late; damage one block of theirs.
  const auto container = format::ReadContainer(bytes, format::ContainerKind::kSegment, "seg");
  const format::Section* stored = container->Find("stored");
  ASSERT_GT(stored->length, 4 * format::kChecksumBlock);
  bytes[stored->offset + stored->length / 2] ^= 1;
  const auto segment = Segment::Open(InputOver(bytes));
  ASSERT_TRUE(segment.ok());
  uint32_t failed = 0;
  for (DocId doc = 0; doc < 3000; ++doc) {
    const auto source = (*segment)->Source(doc);
    failed += !source.ok();
    EXPECT_TRUE(source.ok() || source.error().code() == Code::kCorruption);
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, 3000u);
  EXPECT_TRUE((*segment)->FindId("id-5").ok());
  EXPECT_EQ((*segment)->Verify().code(), Code::kCorruption);
}

class ResealedTest : public testing::TestWithParam<uint64_t> {};

// Damage with valid checksums: found or not, nothing may crash, over-read or go round for ever.
TEST_P(ResealedTest, IsAnswered) {
  Random random(GetParam());
  const auto docs = Documents(GetParam(), 300);
  const Bytes sound = BuildBytes(docs);
  const auto footer = format::ParseFooter(ByteSpan(sound).last(format::kFooterBytes), sound.size(), "seg");
  const auto container = format::ReadContainer(sound, format::ContainerKind::kSegment, "seg");
  for (int round = 0; round < 60; ++round) {
    Bytes bytes = sound;
    // Half of the damage goes to one section, so that small ones with counts and offsets get their share.
    const format::Section& section = container->sections[random.Below(container->sections.size())];
    for (uint64_t i = 1 + random.Below(4); i > 0; --i) {
      const uint64_t at = section.length > 0 && random.OneIn(2)
                              ? section.offset + random.Below(section.length)
                              : format::kHeaderBytes + random.Below(footer->directory_offset - format::kHeaderBytes);
      bytes[at] = random.OneIn(3)   ? 0xff
                  : random.OneIn(2) ? static_cast<uint8_t>(bytes[at] + 1)
                                    : static_cast<uint8_t>(random.Next());
    }
    Reseal(bytes);
    const auto segment = Segment::Open(InputOver(bytes));
    if (!segment.ok()) continue;
    ReadEverything(**segment);
    static_cast<void>((*segment)->Verify().ok());
    const SegmentView views[] = {{*segment, nullptr}};
    MemoryUpload upload;
    static_cast<void>(MergeSegments(views, "merged", {}, upload, runtime::Cancellation(), nullptr).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResealedTest, testing::Range<uint64_t>(0, 4));

TEST(LiveDocsTest, RoundTripsAndCounts) {
  for (const uint32_t count : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    LiveDocs live(count);
    EXPECT_EQ(live.live_count(), count);
    for (DocId doc = 0; doc < count; doc += 3) live.Delete(doc), live.Delete(doc);
    const auto read = LiveDocs::Decode(live.Encode(), "live", count);
    ASSERT_TRUE(read.ok()) << read.error().ToString();
    EXPECT_EQ(read->live_count(), count - (count + 2) / 3);
    for (DocId doc = 0; doc < count; ++doc) EXPECT_EQ(read->live(doc), doc % 3 != 0);
  }
}

TEST(LiveDocsTest, RefusesDamageAndOtherSizes) {
  LiveDocs live(100);
  live.Delete(5);
  Bytes bytes = live.Encode();
  EXPECT_EQ(LiveDocs::Decode(bytes, "live", 99).error().code(), Code::kCorruption);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 4;
    EXPECT_FALSE(LiveDocs::Decode(bytes, "live", 100).ok()) << i;
    bytes[i] ^= 4;
  }
  // A document past the last, under valid checksums.
  const auto container = format::ReadContainer(bytes, format::ContainerKind::kLiveDocs, "live");
  bytes[container->Find("live")->offset + 15] |= 0x80;
  Reseal(bytes);
  EXPECT_FALSE(LiveDocs::Decode(bytes, "live", 100).ok());
}

}  // namespace
}  // namespace tiercel::segment
