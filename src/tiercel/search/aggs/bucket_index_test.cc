#include "tiercel/search/aggs/bucket_index.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tiercel/base/random.h"

namespace tiercel::search::aggs {
namespace {

// Feeds random pairs in batches and compares with a std::map.
void CompareWithMap(uint64_t key_bound, uint32_t owners, uint64_t keys, int batches) {
  Random random(key_bound + owners);
  BucketIndex index(key_bound);
  std::map<std::pair<uint32_t, int64_t>, uint64_t> expected;
  std::vector<uint32_t> owner(256), out(256);
  std::vector<int64_t> key(256);
  for (int batch = 0; batch < batches; ++batch) {
    const uint32_t bound = 1 + static_cast<uint32_t>(static_cast<uint64_t>(owners - 1) * static_cast<uint64_t>(batch) /
                                                     static_cast<uint64_t>(batches));
    for (size_t i = 0; i < 256; ++i) {
      owner[i] = static_cast<uint32_t>(random.Below(bound));
      key[i] = static_cast<int64_t>(random.Below(keys));
      if (key_bound == 0 && random.OneIn(3)) key[i] = -key[i] * 1'000'000'007;
      ++expected[{owner[i], key[i]}];
    }
    index.Count(owner, std::span<const int64_t>(key), bound, out.data());
    for (size_t i = 0; i < 256; ++i) {
      ASSERT_EQ(index.owners()[out[i]], owner[i]);
      ASSERT_EQ(index.keys()[out[i]], key[i]);
    }
  }
  ASSERT_EQ(index.size(), expected.size());
  for (uint32_t bucket = 0; bucket < index.size(); ++bucket) {
    EXPECT_EQ(index.counts()[bucket], (expected[{index.owners()[bucket], index.keys()[bucket]}]));
  }
  EXPECT_GE(index.memory_bytes(), index.size() * 20);
}

TEST(BucketIndexTest, CountsInAFlatTable) { CompareWithMap(100, 40, 100, 50); }
TEST(BucketIndexTest, CountsInAHashTable) { CompareWithMap(0, 40, 1000, 100); }
TEST(BucketIndexTest, ChangesToHashingWhenOwnersMakeTheTableTooLarge) { CompareWithMap(60000, 300, 60000, 60); }

TEST(BucketIndexTest, AddMakesBucketsWithoutDocuments) {
  for (const uint64_t bound : {0u, 10u}) {
    BucketIndex index(bound);
    const uint32_t bucket = index.Add(3, 7);
    EXPECT_EQ(index.Add(3, 7), bucket);
    EXPECT_NE(index.Add(2, 7), bucket);
    EXPECT_EQ(index.counts()[bucket], 0u);
  }
}

}  // namespace
}  // namespace tiercel::search::aggs
