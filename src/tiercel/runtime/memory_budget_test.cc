#include "tiercel/runtime/memory_budget.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tiercel::runtime {
namespace {

std::string Attribute(const Status& status, std::string_view key) {
  for (const auto& [name, value] : status.attributes()) {
    if (name == key) return value;
  }
  return "absent";
}

TEST(MemoryBudgetTest, RefusesWithTheBreakersWords) {
  CircuitBreaker breaker("request", 1000, nullptr);
  auto held = breaker.Charge(900, "a");
  ASSERT_TRUE(held.ok());
  const auto refused = breaker.Charge(1148, "terms aggregation");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), Code::kResourceExhausted);
  EXPECT_EQ(refused.error().type(), "circuit_breaking_exception");
  EXPECT_EQ(
      refused.error().message(),
      "[request] Data too large, data for [terms aggregation] would be [2048/2kb], which is larger than the limit of "
      "[1000/1000b]");
  EXPECT_EQ(Attribute(refused.error(), "bytes_wanted"), "2048");
  EXPECT_EQ(Attribute(refused.error(), "bytes_limit"), "1000");
  EXPECT_EQ(Attribute(refused.error(), "durability"), "TRANSIENT");
  EXPECT_EQ(breaker.tripped(), 1u);
  EXPECT_EQ(breaker.used_bytes(), 900u);
}

TEST(MemoryBudgetTest, ParentBoundsTheSumOfItsChildren) {
  CircuitBreaker parent("parent", 100, nullptr);
  CircuitBreaker a("a", 80, &parent);
  CircuitBreaker b("b", 80, &parent);
  auto first = a.Charge(70, "x");
  ASSERT_TRUE(first.ok());
  const auto refused = b.Charge(40, "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message().substr(0, 8), "[parent]");
  EXPECT_EQ(b.used_bytes(), 0u) << "what the parent refused must not stay charged to the child";
  EXPECT_EQ(parent.used_bytes(), 70u);
  first->Release();
  EXPECT_EQ(parent.used_bytes(), 0u);
  EXPECT_TRUE(b.Charge(40, "x").ok());
}

TEST(MemoryBudgetTest, ChargesGrowMoveAndGiveBack) {
  CircuitBreaker breaker("request", 100, nullptr);
  {
    auto charge = breaker.Charge(10, "x");
    ASSERT_TRUE(charge.ok());
    EXPECT_TRUE(charge->Grow(20).ok());
    EXPECT_FALSE(charge->Grow(71).ok());
    EXPECT_EQ(charge->bytes(), 30u);
    MemoryCharge moved = std::move(*charge);
    EXPECT_EQ(moved.bytes(), 30u);
    EXPECT_EQ(breaker.used_bytes(), 30u);
    auto other = breaker.Charge(5, "y");
    ASSERT_TRUE(other.ok());
    moved = std::move(*other);
    EXPECT_EQ(breaker.used_bytes(), 5u);
  }
  EXPECT_EQ(breaker.used_bytes(), 0u);
}

TEST(MemoryBudgetTest, AbsurdChargesDoNotWrapAround) {
  CircuitBreaker breaker("request", UINT64_MAX - 1, nullptr);
  auto held = breaker.Charge(10, "x");
  ASSERT_TRUE(held.ok());
  EXPECT_FALSE(breaker.Charge(UINT64_MAX - 5, "x").ok());
  EXPECT_EQ(breaker.used_bytes(), 10u);
}

TEST(MemoryBudgetTest, SharesOutTheTotal) {
  MemoryBudget budget(1000);
  EXPECT_EQ(budget.parent().limit_bytes(), 700u);
  EXPECT_EQ(budget.request().limit_bytes(), 600u);
  EXPECT_EQ(budget.in_flight().limit_bytes(), 1000u);
  EXPECT_EQ(budget.indexing().limit_bytes(), 100u);
  EXPECT_GT(MemoryBudget::PhysicalMemoryBytes(), 1u << 20);
}

TEST(MemoryBudgetTest, FormatsSizesCuttingDecimals) {
  EXPECT_EQ(FormatByteSize(0), "0b");
  EXPECT_EQ(FormatByteSize(1023), "1023b");
  EXPECT_EQ(FormatByteSize(1024), "1kb");
  EXPECT_EQ(FormatByteSize(1024 + 1023), "1.9kb");
  EXPECT_EQ(FormatByteSize((1u << 20) + 1), "1mb");
  EXPECT_EQ(FormatByteSize(UINT64_MAX), "16383.9pb");
}

class CgroupTest : public testing::Test {
 protected:
  CgroupTest() : root_(std::filesystem::path(testing::TempDir()) / "tiercel-cgroup-test") {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~CgroupTest() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  uint64_t Limit() { return CgroupMemoryLimit(root_ / "cgroup", root_); }

  std::filesystem::path root_;
};

TEST_F(CgroupTest, TakesTheLowestLimitOnTheWayUp) {
  Write("cgroup", "0::/a/b\n");
  Write("a/b/memory.max", "max\n");
  Write("a/memory.max", "4096\n");
  Write("memory.max", "8192\n");
  EXPECT_EQ(Limit(), 4096u);
}

TEST_F(CgroupTest, ReadsVersionOne) {
  Write("cgroup", "3:cpu,cpuacct:/x\n9:memory:/docker/1\n");
  Write("memory/memory.limit_in_bytes", "12345\n");
  Write("memory.max", "1\n");
  EXPECT_EQ(Limit(), 12345u);
}

TEST_F(CgroupTest, KnowsNoLimitWhereNothingIsSaid) {
  EXPECT_EQ(Limit(), UINT64_MAX);
  Write("cgroup", "nonsense\n0::/\n");
  Write("memory.max", "many\n");
  EXPECT_EQ(Limit(), UINT64_MAX);
}

}  // namespace
}  // namespace tiercel::runtime
