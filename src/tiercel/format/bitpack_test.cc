#include "tiercel/format/bitpack.h"

#include <gtest/gtest.h>

#include <vector>

#include "tiercel/base/random.h"

namespace tiercel::format {
namespace {

uint64_t Limit(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

TEST(BitpackTest, RoundTripsEveryWidthAndRaggedCount) {
  Random random(1);
  for (unsigned bits = 0; bits <= kMaxPackedBits; ++bits) {
    for (const size_t count : {0, 1, 7, 63, 64, 65, 128, 255, 256}) {
      std::vector<uint64_t> values(count);
      for (uint64_t& value : values) value = random.Next() & Limit(bits);
      if (count > 2) values[0] = Limit(bits), values[count - 1] = Limit(bits);
      Bytes packed;
      Pack(std::span<const uint64_t>(values), bits, packed);
      ASSERT_EQ(packed.size(), PackedBytes(count, bits));
      // An exact copy on the heap lets the address sanitizer see any read past the end.
      const Bytes exact(packed);
      std::vector<uint64_t> read(count);
      Unpack(exact.data(), count, bits, read.data());
      ASSERT_EQ(read, values) << bits << " bits, " << count << " values";
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(PackedAt(exact.data(), i, bits), values[i]);
    }
  }
}

TEST(BitpackTest, NarrowOutputAgreesWithWide) {
  Random random(2);
  for (unsigned bits = 0; bits <= 32; ++bits) {
    std::vector<uint32_t> values(128 + bits);
    for (uint32_t& value : values) value = static_cast<uint32_t>(random.Next() & Limit(bits));
    Bytes packed;
    Pack(std::span<const uint32_t>(values), bits, packed);
    std::vector<uint32_t> narrow(values.size());
    Unpack(packed.data(), values.size(), bits, narrow.data());
    EXPECT_EQ(narrow, values);
    std::vector<uint64_t> wide(values.size());
    Unpack(packed.data(), values.size(), bits, wide.data());
    EXPECT_EQ(std::vector<uint64_t>(values.begin(), values.end()), wide);
  }
}

TEST(BitpackTest, AppendsAfterWhatIsThere) {
  Bytes out = {9, 9, 9};
  Pack(std::span<const uint64_t>(std::vector<uint64_t>{5, 6, 7}), 3, out);
  ASSERT_EQ(out.size(), 3u + 8u);
  EXPECT_EQ(out[2], 9);
  EXPECT_EQ(PackedAt(out.data() + 3, 2, 3), 7u);
}

TEST(BitpackTest, WidthOfTheLargestValue) {
  EXPECT_EQ(BitsFor(0), 0u);
  EXPECT_EQ(BitsFor(1), 1u);
  EXPECT_EQ(BitsFor(255), 8u);
  EXPECT_EQ(BitsFor(~uint64_t{0}), 64u);
}

}  // namespace
}  // namespace tiercel::format
