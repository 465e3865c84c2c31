#include "tiercel/format/coding.h"

#include <gtest/gtest.h>

#include <limits>

namespace tiercel::format {
namespace {

TEST(CodingTest, RoundTripsEveryKind) {
  const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, 1ULL << 32, std::numeric_limits<uint64_t>::max()};
  Bytes bytes;
  Writer writer(bytes);
  for (uint64_t n : numbers) writer.Varint(n), writer.U64(n), writer.SignedVarint(static_cast<int64_t>(n));
  writer.String("abc");
  writer.U32(7);
  writer.U8(9);
  Reader reader(bytes, "object");
  for (uint64_t n : numbers) {
    EXPECT_EQ(*reader.Varint(), n);
    EXPECT_EQ(*reader.U64(), n);
    EXPECT_EQ(*reader.SignedVarint(), static_cast<int64_t>(n));
  }
  EXPECT_EQ(*reader.String(), "abc");
  EXPECT_EQ(*reader.U32(), 7u);
  EXPECT_EQ(*reader.U8(), 9);
  EXPECT_TRUE(reader.AtEnd());
}

TEST(CodingTest, EveryTruncationIsACorruptionThatNamesTheOffset) {
  Bytes bytes;
  Writer(bytes).String("hello");
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Reader reader(ByteSpan(bytes).first(cut), "seg-1", 100);
    const auto text = reader.String();
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code(), Code::kCorruption);
    EXPECT_NE(text.error().message().find("seg-1"), std::string::npos);
    EXPECT_NE(text.error().message().find("at offset 10"), std::string::npos);
  }
}

TEST(CodingTest, RefusesVarintsOver64Bits) {
  const Bytes bytes(11, 0xff);
  EXPECT_FALSE(Reader(bytes, "o").Varint().ok());
  const Bytes ten = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  EXPECT_FALSE(Reader(ten, "o").Varint().ok());
}

TEST(CodingTest, FastVarintAgreesWithReader) {
  Bytes bytes;
  const uint64_t numbers[] = {0, 127, 128, 1ULL << 40, std::numeric_limits<uint64_t>::max()};
  for (uint64_t n : numbers) Writer(bytes).Varint(n);
  const uint8_t* at = bytes.data();
  for (uint64_t n : numbers) {
    uint64_t value = 0;
    at = DecodeVarint(at, bytes.data() + bytes.size(), value);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(value, n);
  }
  uint64_t value = 0;
  EXPECT_EQ(DecodeVarint(at, at, value), nullptr);
  const Bytes endless(11, 0xff);
  EXPECT_EQ(DecodeVarint(endless.data(), endless.data() + endless.size(), value), nullptr);
  EXPECT_EQ(DecodeVarint(endless.data(), endless.data() + 3, value), nullptr);
}

}  // namespace
}  // namespace tiercel::format
