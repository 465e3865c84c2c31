#include "tiercel/segment/source_vectors.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "tiercel/base/random.h"

namespace tiercel::segment {
namespace {

using mapping::ElementType;

Bytes Floats(std::vector<float> values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void ExpectCut(std::string_view text, const Bytes& vector, ElementType element = ElementType::kFloat) {
  const auto form = FindVectorForm(text, vector, element);
  ASSERT_TRUE(form.has_value()) << text;
  std::string printed;
  ASSERT_TRUE(PrintVector(vector, element, *form, printed));
  EXPECT_EQ(printed, text);
}

TEST(SourceVectorsTest, KnowsHowClientsPrint) {
  const Bytes vector = Floats({0.1f, 1.0f, -2.5f, 1e-5f, 1e16f, 0.0001f, 0.0f});
  // Python: json.dumps of float32 values held as floats, of their float64 values, and with the compact separators.
  ExpectCut("[0.1, 1.0, -2.5, 1e-05, 1e+16, 0.0001, 0.0]", vector);
  ExpectCut(
      "[0.10000000149011612, 1.0, -2.5, 9.999999747378752e-06, 1.0000000272564224e+16, 9.999999747378752e-05, 0.0]",
      vector);
  ExpectCut("[0.1,1.0,-2.5,1e-05,1e+16,0.0001,0.0]", vector);
  // JavaScript and Go.
  ExpectCut("[0.1,1,-2.5,0.00001,10000000000000000,0.0001,0]", vector);
  ExpectCut("[0.10000000149011612,1,-2.5,0.000009999999747378752,10000000272564224,0.00009999999747378752,0]", vector);
  ExpectCut("[1e-7,1e+21]", Floats({1e-7f, 1e21f}));
  // Java.
  ExpectCut("[0.1,1.0,-2.5,1.0E-5,1.0E16,1.0E-4,0.0]", vector);
  ExpectCut("[1.2345678E7,1234567.0,0.001]", Floats({12345678.0f, 1234567.0f, 0.001f}));
}

TEST(SourceVectorsTest, KeepsWhatItCannotPrint) {
  const Bytes vector = Floats({0.5f, 1.0f});
  for (const std::string_view text :
       {"[0.50, 1.0]", "[0.5,1.0 ]", "[ 0.5, 1.0]", "[0.5,  1.0]", "[0.5, 1.0", "0.5, 1.0]", "[0.5]", "[0.5, 1.0, 2.0]",
        "[0.5,1]x", "[]", "[", "", "[0.5, 1]]", "[5e-1, 1.0]", "[0.5, 1.0]\n"}) {
    EXPECT_FALSE(FindVectorForm(text, vector, ElementType::kFloat)) << text;
  }
  EXPECT_FALSE(FindVectorForm("[NaN]", Floats({std::numeric_limits<float>::quiet_NaN()}), ElementType::kFloat));
  EXPECT_FALSE(FindVectorForm("[inf]", Floats({std::numeric_limits<float>::infinity()}), ElementType::kFloat));
  EXPECT_FALSE(FindVectorForm("[1, 2]", {}, ElementType::kFloat));
}

TEST(SourceVectorsTest, Integers) {
  ExpectCut("[-128, 0, 127]", Bytes{0x80, 0, 127}, ElementType::kByte);
  ExpectCut("[-128,0,127]", Bytes{0x80, 0, 127}, ElementType::kByte);
  ExpectCut("[7]", Bytes{7}, ElementType::kBit);
  EXPECT_FALSE(FindVectorForm("[1.0, 2.0]", Bytes{1, 2}, ElementType::kByte));
}

TEST(SourceVectorsTest, EveryFormPrintsWhatParsesBackToTheSameNumber) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const auto bits = static_cast<uint32_t>(random.Next());
    float value;
    std::memcpy(&value, &bits, sizeof value);
    const Bytes vector = Floats({value, 1.0f});
    for (const int form : {1, 2, 3, 5, 6, 7}) {
      std::string text;
      if (!PrintVector(vector, ElementType::kFloat, static_cast<VectorForm>(form), text)) {
        EXPECT_NE(value - value, 0.0f) << "only NaN and infinities have no text";
        continue;
      }
      EXPECT_EQ(form < 4 ? std::strtof(text.c_str() + 1, nullptr)
                         : static_cast<float>(std::strtod(text.c_str() + 1, nullptr)),
                value)
          << text;
    }
  }
}

TEST(SourceVectorsTest, TheShortestDigitsAreThoseOfToChars) {
  Random random(9);
  for (int round = 0; round < 20'000; ++round) {
    const auto bits = static_cast<uint32_t>(random.Next());
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value) || std::abs(value) < 1e-5f || std::abs(value) >= 1e5f) value = random.Below(1000) / 64.0f;
    const auto printed = [&](VectorForm form) {
      std::string text;
      EXPECT_TRUE(PrintVector(Floats({value}), ElementType::kFloat, form, text));
      return text;
    };
    char buffer[64];
    const auto shortest = [&](auto number) {
      return "[" +
             std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed).ptr) +
             "]";
    };
    if (std::abs(value) >= 1e-4f || value == 0) {
      ASSERT_EQ(printed(2), shortest(value));
      ASSERT_EQ(printed(6), shortest(static_cast<double>(value)));
    }
  }
}

TEST(SourceVectorsTest, RefusesUnknownForms) {
  std::string out;
  for (const int form : {0, 4, 16, 255})
    EXPECT_FALSE(PrintVector(Floats({1.0f}), ElementType::kFloat, static_cast<VectorForm>(form), out));
  for (const int form : {1, 4, 5, 17})
    EXPECT_FALSE(PrintVector(Bytes{1}, ElementType::kByte, static_cast<VectorForm>(form), out));
}

}  // namespace
}  // namespace tiercel::segment
