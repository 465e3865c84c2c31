#include "tiercel/cache/open.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "tiercel/store/directory_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::cache {
namespace {

Bytes Pattern(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  return bytes;
}

class OpenTest : public testing::Test {
 protected:
  OpenTest() : root_(std::filesystem::path(testing::TempDir()) / ("tiercel-cache-open-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~OpenTest() override { std::filesystem::remove_all(root_); }

  std::shared_ptr<const Input> Mapped(ByteSpan bytes) {
    std::ofstream(root_ / "file", std::ios::binary) << AsText(bytes);
    auto input = MapFile(root_ / "file", "file");
    EXPECT_TRUE(input.ok()) << input.status().ToString();
    return input.value();
  }

  std::filesystem::path root_;
};

void ExpectReads(const Input& input, const Bytes& expected) {
  ASSERT_EQ(input.size(), expected.size());
  for (const auto& [offset, length] :
       {std::pair<uint64_t, uint64_t>{0, expected.size()}, {1, 3}, {expected.size(), 0}, {expected.size() - 1, 1}}) {
    const auto borrowed = input.Borrow(offset, length);
    ASSERT_TRUE(borrowed.ok()) << borrowed.status().ToString();
    EXPECT_TRUE(std::equal(borrowed->bytes().begin(), borrowed->bytes().end(),
                           expected.begin() + static_cast<ptrdiff_t>(offset)));
    EXPECT_EQ(borrowed->size(), length);
  }
  BorrowScratch scratch;
  const std::vector<uint64_t> offsets = {0, expected.size() - 4, 5};
  ASSERT_TRUE(input.BorrowMany(offsets, 4, scratch).ok());
  for (size_t i = 0; i < offsets.size(); ++i)
    EXPECT_TRUE(std::equal(scratch.rows[i], scratch.rows[i] + 4, expected.data() + offsets[i]));
}

void ExpectRefusesOutOfRange(const Input& input) {
  const uint64_t size = input.size();
  for (const auto& [offset, length] :
       {std::pair<uint64_t, uint64_t>{size, 1}, {size + 1, 0}, {0, size + 1}, {UINT64_MAX, 2}, {1, UINT64_MAX}}) {
    const auto refused = input.Borrow(offset, length);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Code::kCorruption);
    EXPECT_NE(refused.error().message().find(input.name()), std::string::npos);
    EXPECT_NE(refused.error().message().find("offset " + std::to_string(offset)), std::string::npos);
  }
  BorrowScratch scratch;
  const uint64_t beyond[] = {0, size - 1};
  EXPECT_EQ(input.BorrowMany(beyond, 2, scratch).code(), Code::kCorruption);
  EXPECT_EQ(input.BorrowMany(beyond, size + 1, scratch).code(), Code::kCorruption);
}

TEST_F(OpenTest, MemoryInputsAreAlignedAndBounded) {
  const Bytes bytes = Pattern(1000);
  const auto input = MakeMemoryInput("memory", bytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(input->Borrow(0, 1)->data()) % 64, 0u);
  ExpectReads(*input, bytes);
  ExpectRefusesOutOfRange(*input);
  EXPECT_EQ(input->ResidentBytes({900, 500}), 100u);
  EXPECT_EQ(input->ResidentBytes({2000, 5}), 0u);
}

TEST_F(OpenTest, MappedFilesReadAsTheyAre) {
  const Bytes bytes = Pattern(100'000);
  const auto input = Mapped(bytes);
  ExpectReads(*input, bytes);
  ExpectRefusesOutOfRange(*input);
  const Range ranges[] = {{10, 20}, {99'999, 500}, {200'000, 1}};
  input->Prefetch(ranges);
  input->Advise({0, input->size()}, AccessPattern::kRandom);
  input->Advise({5000, UINT64_MAX}, AccessPattern::kSequential);
  ExpectReads(*input, bytes);
  EXPECT_EQ(input->ResidentBytes({0, 100'000}), 100'000u) << "just written and read";
  EXPECT_EQ(input->ResidentBytes({99'000, 5000}), 1000u);
}

TEST_F(OpenTest, AnUnlinkedFileStaysReadable) {
  const Bytes bytes = Pattern(10'000);
  const auto input = Mapped(bytes);
  std::filesystem::remove(root_ / "file");
  ExpectReads(*input, bytes);
}

TEST_F(OpenTest, EmptyAndMissingFiles) {
  const auto empty = Mapped({});
  EXPECT_EQ(empty->size(), 0u);
  EXPECT_TRUE(empty->Borrow(0, 0).ok());
  EXPECT_FALSE(empty->Borrow(0, 1).ok());
  EXPECT_EQ(MapFile(root_ / "none", "none").status().code(), Code::kNotFound);
}

TEST_F(OpenTest, ObjectsOpenFromEveryKindOfStore) {
  const Bytes bytes = Pattern(5000);
  store::MemoryStore memory;
  auto directory = store::DirectoryStore::Open(root_ / "store");
  ASSERT_TRUE(directory.ok());
  for (store::ObjectStore* store :
       {static_cast<store::ObjectStore*>(&memory), static_cast<store::ObjectStore*>(directory->get())}) {
    ASSERT_TRUE(store->Put("a/b", bytes).ok());
    const auto input = OpenObject(*store, "a/b");
    ASSERT_TRUE(input.ok());
    EXPECT_EQ((*input)->name(), "a/b");
    ASSERT_TRUE(store->Delete("a/b").ok());
    ExpectReads(**input, bytes);
    EXPECT_EQ(OpenObject(*store, "none").status().code(), Code::kNotFound);
  }
}

}  // namespace
}  // namespace tiercel::cache
