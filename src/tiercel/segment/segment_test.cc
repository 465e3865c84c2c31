// Whole segments against a model: built, merged with random deletes, from memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tiercel/segment/segment_fixture.h"

namespace tiercel::segment {
namespace {

std::vector<ModelDoc> RandomDocs(Random& random, uint32_t count, uint32_t first = 0) {
  std::vector<ModelDoc> docs;
  for (uint32_t i = 0; i < count; ++i) docs.push_back(RandomDoc(random, first + i));
  return docs;
}

class SegmentModelTest : public testing::TestWithParam<uint32_t> {};

TEST_P(SegmentModelTest, HoldsWhatWasBuilt) {
  Random random(GetParam() + 1);
  const auto docs = RandomDocs(random, GetParam());
  const auto segment = Build(docs, "seg-1");
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(segment->name(), "seg-1");
  EXPECT_EQ(segment->codec(), "lz4");
  ExpectHolds(*segment, docs);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SegmentModelTest, testing::Values(1, 2, 63, 64, 127, 128, 129, 256, 257, 700));

class SegmentMergeTest : public testing::TestWithParam<int> {};

TEST_P(SegmentMergeTest, HoldsTheLiveDocumentsOfItsInputs) {
  Random random(static_cast<uint64_t>(GetParam()) + 77);
  std::vector<SegmentView> views;
  std::vector<ModelDoc> expected;
  std::vector<std::vector<DocId>> expected_remap;
  uint32_t number = 0;
  for (uint64_t i = 1 + random.Below(4); i > 0; --i) {
    const auto docs = RandomDocs(random, static_cast<uint32_t>(1 + random.Below(400)), number);
    number += static_cast<uint32_t>(docs.size());
    SegmentView view{Build(docs, "in-" + std::to_string(i)), nullptr};
    auto live = std::make_shared<LiveDocs>(static_cast<uint32_t>(docs.size()));
    const uint64_t keep = random.Below(4);  // none, few, half, most deleted
    expected_remap.emplace_back();
    for (DocId doc = 0; doc < docs.size(); ++doc) {
      if (keep > 0 && random.Below(4) < keep) {
        live->Delete(doc);
        expected_remap.back().push_back(kNoMoreDocs);
      } else {
        expected_remap.back().push_back(static_cast<DocId>(expected.size()));
        expected.push_back(docs[doc]);
      }
    }
    if (keep > 0) view.live = live;
    EXPECT_EQ(view.live_count(),
              static_cast<uint32_t>(std::count_if(expected_remap.back().begin(), expected_remap.back().end(),
                                                  [](DocId doc) { return doc != kNoMoreDocs; })));
    views.push_back(std::move(view));
  }
  if (expected.empty()) GTEST_SKIP() << "this seed deleted everything";
  MemoryUpload upload;
  std::vector<std::vector<DocId>> remap;
  const Status merged = MergeSegments(views, "merged", {}, upload, runtime::Cancellation(), &remap);
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_EQ(remap, expected_remap);
  const auto segment = Segment::Open(std::move(upload).IntoInput("merged"));
  ASSERT_TRUE(segment.ok()) << segment.error().ToString();
  ExpectHolds(**segment, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SegmentMergeTest, testing::Range(0, 8));

TEST(SegmentTest, MergingEqualsBuilding) {
  Random random(5);
  const auto docs = RandomDocs(random, 300);
  const std::vector<ModelDoc> first(docs.begin(), docs.begin() + 100);
  const std::vector<ModelDoc> second(docs.begin() + 100, docs.end());
  const SegmentView views[] = {{Build(first), nullptr}, {Build(second), nullptr}};
  MemoryUpload upload;
  ASSERT_TRUE(MergeSegments(views, "seg", {}, upload, runtime::Cancellation(), nullptr).ok());
  const auto input = std::move(upload).IntoInput("seg");
  const auto merged = input->Borrow(0, input->size());
  EXPECT_EQ(Bytes(merged->bytes().begin(), merged->bytes().end()), BuildBytes(docs))
      << "the format leaves no freedom to its writers";
}

TEST(SegmentTest, MergeRefusesNothingAndHonoursCancellation) {
  Random random(6);
  const auto segment = Build(RandomDocs(random, 10));
  auto live = std::make_shared<LiveDocs>(10);
  for (DocId doc = 0; doc < 10; ++doc) live->Delete(doc);
  const SegmentView dead[] = {{segment, live}};
  MemoryUpload upload;
  EXPECT_EQ(MergeSegments(dead, "m", {}, upload, runtime::Cancellation(), nullptr).code(), Code::kInvalidArgument);
  runtime::Cancellation cancelled;
  cancelled.Cancel();
  const SegmentView alive[] = {{segment, nullptr}};
  EXPECT_EQ(MergeSegments(alive, "m", {}, upload, cancelled, nullptr).code(), Code::kCancelled);
}

TEST(SegmentTest, FindsTheLastOfEqualIds) {
  Random random(8);
  auto docs = RandomDocs(random, 1000);
  for (ModelDoc& doc : docs) doc.id = "same";
  docs[10].id = "other";
  const auto segment = Build(docs);
  EXPECT_EQ(*segment->FindId("same"), 999u);
  EXPECT_EQ(*segment->FindId("other"), 10u);
  EXPECT_TRUE(segment->Verify().ok());
}

TEST(SegmentTest, RefusesContradictingDocumentsAndAddsNothingOfThem) {
  Random random(9);
  const auto mapping = FixtureMapping();
  ModelDoc good = RandomDoc(random, 0);
  good.vectors = {{"bytes", Bytes(5, 1)}};
  good.source = "{}";
  good.vector_places.clear();
  SegmentBuilder builder;
  ASSERT_TRUE(builder.Add(Parse(good, mapping), {}).ok());
  const uint64_t memory = builder.memory_bytes();
  EXPECT_GT(memory, 0u);
  ModelDoc longer = good;
  longer.vectors["bytes"].push_back(1);
  EXPECT_EQ(builder.Add(Parse(longer, mapping), {}).error().code(), Code::kInvalidArgument);
  auto twice = Parse(good, mapping);
  twice.vectors.push_back(twice.vectors.front());
  EXPECT_EQ(builder.Add(twice, {}).error().code(), Code::kInvalidArgument);
  ModelDoc descending = good;
  descending.texts["body"] = {{"b", 5}, {"a", 3}};
  EXPECT_EQ(builder.Add(Parse(descending, mapping), {}).error().code(), Code::kInvalidArgument);
  EXPECT_EQ(builder.doc_count(), 1u);
  EXPECT_EQ(builder.memory_bytes(), memory);
}

TEST(SegmentTest, LongTermsAndManyPositionsOfOneTerm) {
  std::vector<ModelDoc> docs(300);
  for (uint32_t i = 0; i < docs.size(); ++i) {
    docs[i].id = std::to_string(i);
    docs[i].source = "{}";
    docs[i].meta.seq_no = i;
    docs[i].keywords["tag"] = {std::string(30'000, 'k') + std::to_string(i % 40)};
    for (uint32_t j = 0; j <= i; ++j) docs[i].texts["body"].emplace_back("again", j * 3);
  }
  ExpectHolds(*Build(docs), docs);
}

TEST(SegmentTest, FieldsAreListedInOrderOfName) {
  Random random(10);
  const auto segment = Build(RandomDocs(random, 100));
  const auto fields = segment->fields();
  EXPECT_TRUE(std::is_sorted(fields.begin(), fields.end(),
                             [](const FieldInfo& a, const FieldInfo& b) { return a.name < b.name; }));
  const auto body = std::find_if(fields.begin(), fields.end(), [](const FieldInfo& f) { return f.name == "body"; });
  ASSERT_NE(body, fields.end());
  EXPECT_EQ(body->type, mapping::FieldType::kText);
}

TEST(SegmentTest, VectorsAreCutOutOfStoredSources) {
  ModelDoc doc;
  doc.id = "1";
  const float values[] = {0.1f, -2.5f, 1e-7f};
  doc.vectors["embedding"].resize(12);
  std::memcpy(doc.vectors["embedding"].data(), values, 12);
  const std::string array = "[0.10000000149011612, -2.5, 1.0000000116860974e-07]";
  doc.source = "{\"embedding\": " + array + "}";
  doc.vector_places["embedding"] = {doc.source.find('['), array.size()};
  const Bytes with_vector = BuildBytes({doc});
  const auto holds = [](const Bytes& bytes, std::string_view text) {
    return AsText(bytes).find(text) != std::string_view::npos;
  };
  EXPECT_FALSE(holds(with_vector, "0.1000000"));
  EXPECT_EQ(*(*Segment::Open(InputOver(with_vector)))->Source(0), doc.source);
}

}  // namespace
}  // namespace tiercel::segment
