#include "tiercel/format/container.h"

#include <gtest/gtest.h>

#include "tiercel/format/coding.h"

namespace tiercel::format {
namespace {

Bytes Build(size_t large) {
  Bytes object;
  ContainerWriter writer(ContainerKind::kSegment, 3, [&](ByteSpan bytes) {
    object.insert(object.end(), bytes.begin(), bytes.end());
    return Status();
  });
  EXPECT_TRUE(writer.BeginSection("first").ok());
  EXPECT_TRUE(writer.Append(AsBytes("hello")).ok());
  EXPECT_TRUE(writer.BeginSection("second", 256).ok());
  EXPECT_EQ(writer.offset() % 256, 0u);
  EXPECT_EQ(writer.section(), 1u);
  EXPECT_TRUE(writer.Append(Bytes(large, 7)).ok());
  EXPECT_TRUE(writer.Align(64).ok());
  EXPECT_TRUE(writer.Finish().ok());
  EXPECT_EQ(writer.offset(), object.size());
  return object;
}

TEST(ContainerTest, ReadsBackWhatWasWritten) {
  for (const size_t large : {0, 1, 65000, 65536, 200000}) {
    const Bytes object = Build(large);
    const auto container = ReadContainer(object, ContainerKind::kSegment, "o");
    ASSERT_TRUE(container.ok()) << container.error().ToString();
    EXPECT_EQ(container->footer.content_version, 3u);
    ASSERT_EQ(container->sections.size(), 2u);
    const Section* first = container->Find("first");
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(AsText(ByteSpan(object).subspan(first->offset, first->length)), "hello");
    EXPECT_GE(container->Find("second")->length, large);
    EXPECT_EQ(container->Find("third"), nullptr);
  }
}

TEST(ContainerTest, FindsEveryFlippedByte) {
  Bytes object = Build(300);
  for (size_t i = 0; i < object.size(); ++i) {
    object[i] ^= 0x20;
    const auto container = ReadContainer(object, ContainerKind::kSegment, "o");
    ASSERT_FALSE(container.ok()) << "byte " << i;
    EXPECT_NE(container.error().message().find("o: "), std::string::npos);
    object[i] ^= 0x20;
  }
}

TEST(ContainerTest, FindsEveryTruncation) {
  const Bytes object = Build(300);
  for (size_t cut = 0; cut < object.size(); ++cut) {
    EXPECT_FALSE(ReadContainer(ByteSpan(object).first(cut), ContainerKind::kSegment, "o").ok()) << cut;
  }
}

TEST(ContainerTest, NamesTheBlockThatIsDamaged) {
  Bytes object = Build(200000);
  object[70000] ^= 1;
  const auto container = ReadContainer(object, ContainerKind::kSegment, "shard/seg-7");
  ASSERT_FALSE(container.ok());
  EXPECT_EQ(container.error().message(), "shard/seg-7: wrong checksum of the block at offset 65536");
}

TEST(ContainerTest, RefusesAnotherKind) {
  const auto container = ReadContainer(Build(10), ContainerKind::kLiveDocs, "o");
  ASSERT_FALSE(container.ok());
  EXPECT_EQ(container.error().code(), Code::kCorruption);
}

TEST(ContainerTest, PassesOnTheErrorsOfItsSink) {
  ContainerWriter writer(ContainerKind::kSegment, 1, [](ByteSpan) { return Unavailable("disk gone"); });
  ASSERT_TRUE(writer.BeginSection("s").ok());
  EXPECT_EQ(writer.Append(Bytes(100000, 1)).code(), Code::kUnavailable);
}

}  // namespace
}  // namespace tiercel::format
