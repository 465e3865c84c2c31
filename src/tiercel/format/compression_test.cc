#include "tiercel/format/compression.h"

#include <gtest/gtest.h>

#include <string>

namespace tiercel::format {
namespace {

std::string Repeated(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += R"({"title":"a document","count":)" + std::to_string(i) + "}";
  return text;
}

TEST(CompressionTest, RoundTripsWithAndWithoutDictionary) {
  const std::string text = Repeated(50);
  const ByteSpan all = AsBytes(text);
  for (const size_t dictionary : {size_t{0}, size_t{100}, all.size() / 2}) {
    Bytes compressed;
    Lz4Compress(all.subspan(dictionary), all.first(dictionary), compressed);
    EXPECT_LT(compressed.size(), all.size());
    Bytes raw(all.size() - dictionary);
    ASSERT_TRUE(Lz4Decompress(compressed, all.first(dictionary), raw));
    EXPECT_EQ(AsText(raw), text.substr(dictionary));
  }
}

TEST(CompressionTest, RoundTripsNothing) {
  Bytes compressed;
  Lz4Compress({}, {}, compressed);
  Bytes raw;
  EXPECT_TRUE(Lz4Decompress(compressed, {}, raw));
}

TEST(CompressionTest, RefusesWrongLengthsAndDamage) {
  const std::string text = Repeated(20);
  Bytes compressed;
  Lz4Compress(AsBytes(text), {}, compressed);
  Bytes longer(text.size() + 1);
  EXPECT_FALSE(Lz4Decompress(compressed, {}, longer));
  Bytes shorter(text.size() - 1);
  EXPECT_FALSE(Lz4Decompress(compressed, {}, shorter));
  Bytes raw(text.size());
  for (size_t cut = 0; cut < compressed.size(); ++cut)
    EXPECT_FALSE(Lz4Decompress(ByteSpan(compressed).first(cut), {}, raw));
}

}  // namespace
}  // namespace tiercel::format
