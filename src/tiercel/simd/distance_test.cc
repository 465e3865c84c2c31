#include "tiercel/simd/distance.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tiercel/base/random.h"
#include "tiercel/simd/dispatch.h"

namespace tiercel::simd {
namespace {

std::vector<size_t> Lengths() {
  std::vector<size_t> lengths;
  for (size_t n = 0; n <= 130; ++n) lengths.push_back(n);
  for (const size_t n : {384, 768, 1024, 4096}) lengths.push_back(n);
  return lengths;
}

// Rows at an address that is `shift` bytes past an aligned one, packed to end exactly where the buffer ends, so that a
// read past a row's end is one that the address sanitizer sees.
template <typename T>
struct Matrix {
  std::vector<uint8_t> bytes;
  size_t stride, shift;
  Matrix(size_t rows, size_t dims, size_t shift_bytes, Random& random) : stride(dims * sizeof(T)), shift(shift_bytes) {
    bytes.resize(rows * stride + shift);
    for (size_t i = 0; i < rows * dims; ++i) {
      T value;
      if constexpr (std::is_same_v<T, float>)
        value = static_cast<float>(random.Unit() * 2 - 1);
      else
        value = static_cast<T>(random.Next());
      std::memcpy(bytes.data() + shift + i * sizeof(T), &value, sizeof(T));
    }
  }
  const uint8_t* row(size_t i) const { return bytes.data() + shift + i * stride; }
  T at(size_t i, size_t d) const {
    T value;
    std::memcpy(&value, row(i) + d * sizeof(T), sizeof(T));
    return value;
  }
};

template <typename T>
const T* As(const uint8_t* p) {
  return reinterpret_cast<const T*>(p);
}

class DistanceTest : public testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    if (GetParam() > DetectLevel()) GTEST_SKIP() << "this machine does not run " << LevelName(GetParam());
    table_ = TableFor(GetParam());
    ASSERT_NE(table_, nullptr);
  }

  // Every form of `kernel` against `expect(query row, row)`, and each form against the others bit for bit.
  template <typename T, typename Value, typename Expect>
  void CheckForms(const Kernel<T, Value>& kernel, size_t shift_step, Expect expect) {
    Random random(7);
    for (const size_t dims : Lengths()) {
      for (const size_t shift : {size_t{0}, shift_step, shift_step * 3}) {
        constexpr size_t kRows = 7;  // whole groups of every kernel, and a remainder
        const Matrix<T> query(1, dims, shift, random), rows(kRows, dims, shift, random);
        std::vector<Value> bulk(kRows), scattered(kRows);
        std::vector<const uint8_t*> addresses;
        for (size_t r = 0; r < kRows; ++r) addresses.push_back(rows.row(kRows - 1 - r));
        kernel.bulk(As<T>(query.row(0)), rows.row(0), rows.stride, kRows, dims, bulk.data());
        kernel.rows(As<T>(query.row(0)), addresses.data(), kRows, dims, scattered.data());
        for (size_t r = 0; r < kRows; ++r) {
          const Value pair = kernel.pair(As<T>(query.row(0)), As<T>(rows.row(r)), dims);
          expect(query, rows, r, dims, pair);
          ASSERT_EQ(std::memcmp(&pair, &bulk[r], sizeof pair), 0)
              << "bulk, dims " << dims << " shift " << shift << " row " << r;
          ASSERT_EQ(std::memcmp(&pair, &scattered[kRows - 1 - r], sizeof pair), 0)
              << "rows, dims " << dims << " row " << r;
        }
      }
    }
  }

  const KernelTable* table_ = nullptr;
};

TEST_P(DistanceTest, DotF32IsCloseToDouble) {
  CheckForms(table_->dot_f32, 4, [](const auto& query, const auto& rows, size_t r, size_t dims, float got) {
    double want = 0, magnitude = 0;
    for (size_t d = 0; d < dims; ++d) {
      const double product = double{query.at(0, d)} * double{rows.at(r, d)};
      want += product;
      magnitude += std::abs(product);
    }
    ASSERT_NEAR(got, want, magnitude * 1e-6) << "dims " << dims;
  });
}

TEST_P(DistanceTest, SquaredL2F32IsCloseToDouble) {
  CheckForms(table_->squared_l2_f32, 4, [](const auto& query, const auto& rows, size_t r, size_t dims, float got) {
    double want = 0;
    for (size_t d = 0; d < dims; ++d) want += std::pow(double{query.at(0, d)} - double{rows.at(r, d)}, 2);
    ASSERT_NEAR(got, want, want * 1e-6) << "dims " << dims;
  });
}

TEST_P(DistanceTest, DotI8IsExact) {
  CheckForms(table_->dot_i8, 1, [](const auto& query, const auto& rows, size_t r, size_t dims, int32_t got) {
    int32_t want = 0;
    for (size_t d = 0; d < dims; ++d) want += query.at(0, d) * rows.at(r, d);
    ASSERT_EQ(got, want) << "dims " << dims;
  });
}

TEST_P(DistanceTest, SquaredL2I8IsExact) {
  CheckForms(table_->squared_l2_i8, 1, [](const auto& query, const auto& rows, size_t r, size_t dims, int32_t got) {
    int32_t want = 0;
    for (size_t d = 0; d < dims; ++d) want += (query.at(0, d) - rows.at(r, d)) * (query.at(0, d) - rows.at(r, d));
    ASSERT_EQ(got, want) << "dims " << dims;
  });
}

TEST_P(DistanceTest, HammingIsExact) {
  CheckForms(table_->hamming, 1, [](const auto& query, const auto& rows, size_t r, size_t dims, int32_t got) {
    int32_t want = 0;
    for (size_t d = 0; d < dims; ++d) want += std::popcount(static_cast<uint8_t>(query.at(0, d) ^ rows.at(r, d)));
    ASSERT_EQ(got, want) << "bytes " << dims;
  });
}

TEST_P(DistanceTest, IntegersDoNotOverflowAtTheLargestSize) {
  const std::vector<int8_t> low(kDimsMax, -128), high(kDimsMax, 127);
  EXPECT_EQ(table_->dot_i8.pair(low.data(), low.data(), kDimsMax), 128 * 128 * static_cast<int32_t>(kDimsMax));
  EXPECT_EQ(table_->dot_i8.pair(low.data(), high.data(), kDimsMax), -128 * 127 * static_cast<int32_t>(kDimsMax));
  EXPECT_EQ(table_->squared_l2_i8.pair(low.data(), high.data(), kDimsMax), 255 * 255 * static_cast<int32_t>(kDimsMax));
}

TEST_P(DistanceTest, NanPropagates) {
  std::vector<float> a(37, 1.0f), b(37, 2.0f);
  for (const size_t at : {size_t{0}, size_t{17}, size_t{36}}) {
    std::vector<float> bad = b;
    bad[at] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(table_->dot_f32.pair(a.data(), bad.data(), bad.size())));
    EXPECT_TRUE(std::isnan(table_->squared_l2_f32.pair(a.data(), bad.data(), bad.size())));
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, DistanceTest, testing::ValuesIn(kLevels),
                         [](const auto& test) { return std::string(LevelName(test.param)); });

TEST(DispatchTest, EnvironmentLowersTheLevelButNeverRaisesIt) {
  EXPECT_EQ(ChooseLevel(Level::kAvx512, nullptr), Level::kAvx512);
  EXPECT_EQ(ChooseLevel(Level::kAvx512, "scalar"), Level::kScalar);
  EXPECT_EQ(ChooseLevel(Level::kAvx2, "avx512vnni"), Level::kAvx2);
  EXPECT_EQ(ChooseLevel(Level::kAvx2, "mmx"), Level::kAvx2);
}

TEST(DispatchTest, PublicFunctionsRunTheActiveLevel) {
  const Level active = ActiveLevel();
  ASSERT_LE(active, DetectLevel());
  Random random(3);
  const Matrix<float> m(2, 100, 0, random);
  EXPECT_EQ(DotF32(As<float>(m.row(0)), As<float>(m.row(1)), 100),
            TableFor(active)->dot_f32.pair(As<float>(m.row(0)), As<float>(m.row(1)), 100));
}

}  // namespace
}  // namespace tiercel::simd
