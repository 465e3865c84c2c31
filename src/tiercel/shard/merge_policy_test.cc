#include "tiercel/shard/merge_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tiercel/base/random.h"

namespace tiercel::shard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kMiB = 1 << 20;

MergeCandidate Whole(uint64_t mib) { return {.bytes = mib * kMiB, .docs = 100, .live = 100}; }

TEST(MergePolicyTest, FewSegmentsAreLeftAlone) {
  EXPECT_THAT(PickMerge({}, {}), IsEmpty());
  EXPECT_THAT(PickMerge(std::vector<MergeCandidate>(10, Whole(1)), {}), IsEmpty());
}

TEST(MergePolicyTest, SmallSegmentsBeyondOneTierAreMerged) {
  EXPECT_EQ(PickMerge(std::vector<MergeCandidate>(12, Whole(1)), {}).size(), 10u);
}

TEST(MergePolicyTest, LikeSizesAreMergedAndLargeOnesKept) {
  std::vector<MergeCandidate> segments = {Whole(4000), Whole(900)};
  segments.insert(segments.end(), 30, Whole(3));
  const std::vector<size_t> merge = PickMerge(segments, {});
  ASSERT_FALSE(merge.empty());
  for (const size_t i : merge) EXPECT_GE(i, 2u);
}

TEST(MergePolicyTest, MergedSizeIsBounded) {
  const std::vector<MergeCandidate> segments(40, Whole(1200));
  uint64_t bytes = 0;
  for (const size_t i : PickMerge(segments, {})) bytes += segments[i].live_bytes();
  EXPECT_GT(bytes, 0u);
  EXPECT_LE(bytes, MergePolicyOptions().max_merged_bytes);
}

TEST(MergePolicyTest, BusySegmentsAreNeverChosen) {
  std::vector<MergeCandidate> segments(30, Whole(1));
  for (size_t i = 0; i < segments.size(); i += 2) segments[i].busy = true;
  for (const size_t i : PickMerge(segments, {})) EXPECT_FALSE(segments[i].busy);
  for (const size_t i : PickForceMerge(segments, 1)) EXPECT_FALSE(segments[i].busy);
}

TEST(MergePolicyTest, ManyDeletesAreReasonEnough) {
  std::vector<MergeCandidate> segments = {Whole(10), {.bytes = 10 * kMiB, .docs = 100, .live = 40}};
  EXPECT_THAT(PickMerge(segments, {}), ElementsAre(1));
  segments[1].live = 70;
  EXPECT_THAT(PickMerge(segments, {}), IsEmpty());
}

TEST(MergePolicyTest, ForceMergeTakesTheSmallest) {
  const std::vector<MergeCandidate> segments = {Whole(50), Whole(1), Whole(2), Whole(40)};
  EXPECT_THAT(PickForceMerge(segments, 3), ElementsAre(1, 2));
  EXPECT_EQ(PickForceMerge(segments, 1).size(), 4u);
  EXPECT_THAT(PickForceMerge(segments, 4), IsEmpty());
}

TEST(MergePolicyTest, ForceMergeToOneRewritesDeletes) {
  std::vector<MergeCandidate> segments = {{.bytes = kMiB, .docs = 10, .live = 9}};
  EXPECT_THAT(PickForceMerge(segments, 1), ElementsAre(0));
  EXPECT_THAT(PickForceMerge(segments, 2), IsEmpty());
  segments[0].live = 10;
  EXPECT_THAT(PickForceMerge(segments, 1), IsEmpty());
}

TEST(MergePolicyTest, ExpungeTakesOnlyWhatHasDeletes) {
  std::vector<MergeCandidate> segments = {Whole(1), {.bytes = kMiB, .docs = 10, .live = 8}};
  EXPECT_THAT(PickExpungeDeletes(segments), ElementsAre(1));
  segments[1].live = 9;
  EXPECT_THAT(PickExpungeDeletes(segments), IsEmpty());
}

// However segments arrive, merging until the policy is content ends, with few segments and few rewrites.
TEST(MergePolicyTest, ConvergesWithLogarithmicWork) {
  Random random(7);
  std::vector<MergeCandidate> segments;
  uint64_t written = 0, rewritten = 0;
  for (int arrival = 0; arrival < 500; ++arrival) {
    segments.push_back(Whole(1 + random.Below(4)));
    written += segments.back().bytes;
    for (int steps = 0;; ++steps) {
      ASSERT_LT(steps, 50);
      const std::vector<size_t> merge = PickMerge(segments, {});
      if (merge.empty()) break;
      MergeCandidate merged;
      for (const size_t i : merge) {
        merged.bytes += segments[i].live_bytes();
        merged.docs += segments[i].live;
        merged.live += segments[i].live;
      }
      for (auto i = merge.rbegin(); i != merge.rend(); ++i)
        segments.erase(segments.begin() + static_cast<ptrdiff_t>(*i));
      rewritten += merged.bytes;
      segments.push_back(merged);
    }
  }
  EXPECT_LE(segments.size(), 35u);
  EXPECT_LE(rewritten, 5 * written);
}

}  // namespace
}  // namespace tiercel::shard
