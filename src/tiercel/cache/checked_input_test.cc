#include "tiercel/cache/checked_input.h"

#include <gtest/gtest.h>

#include "tiercel/format/checksum.h"
#include "tiercel/format/container.h"

namespace tiercel::cache {
namespace {

class VectorInput final : public Input {
 public:
  explicit VectorInput(size_t size) : bytes(size, 3) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes.size(); }
  Result<Borrowed> Borrow(uint64_t offset, uint64_t length) const override {
    if (offset > bytes.size() || length > bytes.size() - offset) return Corruption("out of range");
    return Borrowed(ByteSpan(bytes).subspan(offset, length));
  }
  Status BorrowMany(std::span<const uint64_t> offsets, uint64_t, BorrowScratch& scratch) const override {
    scratch.rows.clear();
    for (const uint64_t offset : offsets) scratch.rows.push_back(bytes.data() + offset);
    return {};
  }
  Bytes bytes;

 private:
  std::string name_ = "seg-1";
};

std::vector<uint64_t> Checksums(const Bytes& bytes, uint64_t covered) {
  std::vector<uint64_t> sums;
  for (uint64_t at = 0; at < covered; at += format::kChecksumBlock) {
    sums.push_back(format::Checksum(ByteSpan(bytes).subspan(at, std::min(format::kChecksumBlock, covered - at))));
  }
  return sums;
}

TEST(CheckedInputTest, FailsOnlyInTheDamagedBlock) {
  auto raw = std::make_shared<VectorInput>(200'000);
  const uint64_t covered = 190'000;
  const auto sums = Checksums(raw->bytes, covered);
  raw->bytes[70'000] = 4;
  const auto input = MakeChecked(raw, sums, covered);
  EXPECT_TRUE(input->Borrow(0, 65'536).ok());
  EXPECT_TRUE(input->Borrow(140'000, 60'000).ok());
  for (int twice = 0; twice < 2; ++twice) {
    const auto bad = input->Borrow(65'535, 2);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().message(), "seg-1: wrong checksum of the block at offset 65536");
  }
  BorrowScratch scratch;
  const uint64_t good[] = {10, 20};
  EXPECT_TRUE(input->BorrowMany(good, 8, scratch).ok());
  const uint64_t bad[] = {10, 100'000};
  EXPECT_EQ(input->BorrowMany(bad, 8, scratch).code(), Code::kCorruption);
}

TEST(CheckedInputTest, OutOfRangeIsTheRawInputsError) {
  auto raw = std::make_shared<VectorInput>(1000);
  const auto input = MakeChecked(raw, Checksums(raw->bytes, 1000), 1000);
  EXPECT_FALSE(input->Borrow(1000, 1).ok());
  EXPECT_FALSE(input->Borrow(5000, 1).ok());
  EXPECT_FALSE(input->Borrow(1, UINT64_MAX).ok());
  EXPECT_TRUE(input->Borrow(1000, 0).ok());
}

TEST(CheckedInputTest, BytesPastTheCoverArePassedThrough) {
  auto raw = std::make_shared<VectorInput>(100);
  const auto sums = Checksums(raw->bytes, 64);
  raw->bytes[80] = 9;
  const auto input = MakeChecked(raw, sums, 64);
  EXPECT_TRUE(input->Borrow(0, 100).ok());
}

}  // namespace
}  // namespace tiercel::cache
