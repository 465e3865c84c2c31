#include "tiercel/json/writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <limits>

#include "tiercel/base/random.h"

namespace tiercel::json {
namespace {

std::string Double(double value) {
  std::string out;
  AppendDouble(value, out);
  return out;
}
std::string Float(float value) {
  std::string out;
  AppendFloat(value, out);
  return out;
}
std::string Quoted(std::string_view text) {
  std::string out;
  AppendQuoted(text, out);
  return out;
}

TEST(WriterTest, CommasAndNesting) {
  std::string out;
  Writer w(out);
  w.Object([&] {
    w.Member("a", 1).Member("b", "x").Member("t", true).Member("u", uint64_t{18446744073709551615u});
    w.Key("list").Array([&] { w.Int(-1).Null().Object([&] {}).Array([&] {}).Raw("{\"r\":1}"); });
    w.Key("d").Double(2).Key("f").Float(0.1f);
  });
  EXPECT_EQ(out, R"({"a":1,"b":"x","t":true,"u":18446744073709551615,"list":[-1,null,{},[],{"r":1}],"d":2.0,"f":0.1})");
}

TEST(WriterTest, DoublesPrintAsJava) {
  EXPECT_EQ(Double(0), "0.0");
  EXPECT_EQ(Double(-0.0), "-0.0");
  EXPECT_EQ(Double(1), "1.0");
  EXPECT_EQ(Double(0.2876821), "0.2876821");
  EXPECT_EQ(Double(1e10), "1.0E10");
  EXPECT_EQ(Double(9999999), "9999999.0");
  EXPECT_EQ(Double(1e7), "1.0E7");
  EXPECT_EQ(Double(0.001), "0.001");
  EXPECT_EQ(Double(0.00099), "9.9E-4");
  EXPECT_EQ(Double(1.7976931348623157e308), "1.7976931348623157E308");
  EXPECT_EQ(Double(5e-324), "4.9E-324");
  EXPECT_EQ(Double(123456789012), "1.23456789012E11");
  EXPECT_EQ(Float(0.1f), "0.1");
  EXPECT_EQ(Float(16777216.0f), "1.6777216E7");
}

TEST(WriterTest, NumbersReadBackToTheSameValue) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random.Next());
    if (value != value || value - value != 0) continue;
    EXPECT_EQ(std::strtod(Double(value).c_str(), nullptr), value) << Double(value);
    const float narrow = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
    if (narrow != narrow || narrow - narrow != 0) continue;
    EXPECT_EQ(std::strtof(Float(narrow).c_str(), nullptr), narrow) << Float(narrow);
  }
}

TEST(WriterTest, WhatJsonCannotHoldBecomesAString) {
  std::string out;
  Writer w(out);
  w.Array([&] {
    w.Double(std::numeric_limits<double>::quiet_NaN())
        .Double(-std::numeric_limits<double>::infinity())
        .Float(std::numeric_limits<float>::infinity());
  });
  EXPECT_EQ(out, R"(["NaN","-Infinity","Infinity"])");
}

TEST(WriterTest, EscapesAndInvalidUtf8) {
  EXPECT_EQ(Quoted("a\"b\\c\n\r\t\b\f\x01\x1f/"), R"("a\"b\\c\n\r\t\b\f\u0001\u001F/")");
  EXPECT_EQ(Quoted("na\xc3\xafve \xe6\x9d\xb1 \xf0\x9f\x98\x80"), "\"na\xc3\xafve \xe6\x9d\xb1 \xf0\x9f\x98\x80\"");
  EXPECT_EQ(Quoted("\xff\xc3(\xed\xa0\x80\xe6"),
            "\"\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace tiercel::json
