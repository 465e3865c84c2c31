#include "tiercel/json/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tiercel/base/random.h"
#include "tiercel/json/writer.h"

namespace tiercel::json {
namespace {

Document MustParse(std::string_view text) {
  auto document = Document::Parse(text);
  EXPECT_TRUE(document.ok()) << text << ": " << document.status().ToString();
  return document.ok() ? std::move(document).value() : Document::Parse("null").value();
}

// The message up to the excerpt of the source.
std::string Why(std::string_view text, ParseOptions options = {}) {
  const auto document = Document::Parse(text, options);
  if (document.ok()) return "parsed";
  const std::string& message = document.error().message();
  return message.substr(0, message.find("\n at "));
}

TEST(ValueTest, ReadsEveryType) {
  const std::string text =
      R"({"n":null,"t":true,"f":false,"i":-12,"u":18446744073709551615,"d":1.5e3,"s":"x","a":[1,[2],{}],"o":{"k":[]}})";
  const Document document = MustParse(text);
  const Value root = document.root();
  EXPECT_EQ(root.size(), 9u);
  EXPECT_TRUE(root["n"].is_null());
  EXPECT_TRUE(root["n"].exists());
  EXPECT_TRUE(root["t"].as_bool());
  EXPECT_FALSE(root["f"].as_bool());
  EXPECT_EQ(root["i"].as_int64(), -12);
  EXPECT_EQ(root["u"].type(), Type::kUint64);
  EXPECT_EQ(root["u"].as_uint64(), 18446744073709551615u);
  EXPECT_EQ(root["d"].as_double(), 1500);
  EXPECT_EQ(root["s"].as_string(), "x");
  EXPECT_EQ(root["a"].size(), 3u);
  EXPECT_EQ(root["o"]["k"].type(), Type::kArray);
  EXPECT_FALSE(root["nosuch"].exists());
  EXPECT_FALSE(root["nosuch"]["deeper"].exists());
  std::vector<std::string> keys;
  for (const auto [key, value] : root.members()) keys.emplace_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"n", "t", "f", "i", "u", "d", "s", "a", "o"}));
}

TEST(ValueTest, DefaultValueIsAnEmptyNull) {
  const Value value;
  EXPECT_TRUE(value.is_null());
  EXPECT_FALSE(value.exists());
  EXPECT_EQ(value.size(), 0u);
  EXPECT_EQ(value.raw(), "null");
  for (const Value element : value.elements()) FAIL() << element.raw();
}

TEST(ValueTest, RawTextAndPositions) {
  const std::string text =
      "{\n  \"a\" : [ 1.50 ,\"x\\n\" ],\n\"b\":{ \"c\" :tru"
      "e } }";
  const Document document = MustParse(text);
  const Value array = document.root()["a"];
  EXPECT_EQ(array.raw(), "[ 1.50 ,\"x\\n\" ]");
  EXPECT_EQ(array.offset(), text.find('['));
  EXPECT_EQ(array.line_column(), (std::pair<uint32_t, uint32_t>{2, 9}));
  auto element = array.elements().begin();
  EXPECT_EQ((*element).raw(), "1.50");
  ++element;
  EXPECT_EQ((*element).raw(), "\"x\\n\"");
  EXPECT_EQ((*element).as_string(), "x\n");
  EXPECT_EQ((*element).ToDisplayString(), "x\n");
  EXPECT_EQ(document.root()["b"].raw(), "{ \"c\" :true }");
  EXPECT_EQ(document.root()["b"]["c"].line_column(), (std::pair<uint32_t, uint32_t>{3, 12}));
  EXPECT_EQ(document.root().raw(), text);
}

TEST(ValueTest, ValuesSurviveMovingTheDocument) {
  Document first = Document::ParseOwned(R"(["a\u0041"])").value();
  const Value element = *first.root().elements().begin();
  const Document second = std::move(first);
  EXPECT_EQ(element.as_string(), "aA");
  EXPECT_EQ(element.raw(), R"("a\u0041")");
}

TEST(ValueTest, NumbersAtTheLimits) {
  const auto parse = [](std::string_view text) { return Document::ParseOwned(std::string(text)).value(); };
  EXPECT_EQ(parse("9223372036854775807").root().as_int64(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808").root().as_int64(), INT64_MIN);
  EXPECT_EQ(parse("9223372036854775808").root().type(), Type::kUint64);
  EXPECT_EQ(parse("-9223372036854775809").root().type(), Type::kDouble);
  EXPECT_EQ(parse("18446744073709551616").root().as_double(), 18446744073709551616.0);
  EXPECT_EQ(parse("123456789012345678901234567890").root().raw(), "123456789012345678901234567890");
  EXPECT_EQ(parse("-0").root().as_int64(), 0);
  EXPECT_TRUE(std::signbit(parse("-0.0").root().as_double()));
  EXPECT_TRUE(std::isinf(parse("1e400").root().as_double()));
  EXPECT_TRUE(std::isinf(parse("-1e99999999999999999999").root().as_double()));
  EXPECT_EQ(parse("1e-400").root().as_double(), 0);
  EXPECT_EQ(parse("0.1").root().as_double(), 0.1);
  EXPECT_EQ(parse("2.2250738585072011e-308").root().as_double(), 2.2250738585072011e-308);
  EXPECT_EQ(parse("9007199254740993.0").root().as_double(), 9007199254740992.0);
  EXPECT_EQ(parse("1E+2").root().as_double(), 100);
}

TEST(ValueTest, Escapes) {
  const Document document =
      MustParse(R"(["\"\\\/\b\f\n\r\t","\u00e9\u6771","\ud83d\ude00","\ud800","\ud800x","\udc00\ud800\u0041",""])");
  std::vector<std::string> strings;
  for (const Value value : document.root().elements()) strings.emplace_back(value.as_string());
  EXPECT_EQ(strings, (std::vector<std::string>{"\"\\/\b\f\n\r\t", "\xc3\xa9\xe6\x9d\xb1", "\xf0\x9f\x98\x80",
                                               "\xef\xbf\xbd", "\xef\xbf\xbdx",
                                               "\xef\xbf\xbd\xef\xbf\xbd"
                                               "A",
                                               ""}));
}

TEST(ValueTest, ErrorsSayWhereAndWhat) {
  const std::string list = "was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
  EXPECT_EQ(Why("{"), "[1:2] Unexpected end of file");
  EXPECT_EQ(Why("{\"query\":"), "[1:10] Unexpected end of file");
  EXPECT_EQ(Why("{\"query\":}"), "[1:10] Unexpected character ('}' (code 125)): expected a value");
  EXPECT_EQ(Why("{\"query\":{\"match_all\":{}}} x"), "[1:29] Unrecognized token 'x': " + list);
  EXPECT_EQ(Why("{\"a\":tru}"), "[1:10] Unrecognized token 'tru': " + list);
  EXPECT_EQ(Why("{\"a\":nulls}"), "[1:12] Unrecognized token 'nulls': " + list);
  EXPECT_EQ(Why("{\"a\":01}"), "[1:7] Invalid numeric value: Leading zeroes not allowed");
  EXPECT_EQ(Why("{\"a\" 1}"),
            "[1:6] Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value");
  EXPECT_EQ(Why("{\"a\":1,}"),
            "[1:8] Unexpected character ('}' (code 125)): was expecting double-quote to start field name");
  EXPECT_EQ(Why("{\"a\":1 \"b\":2}"),
            "[1:8] Unexpected character ('\"' (code 34)): was expecting comma to separate Object entries");
  EXPECT_EQ(Why("[1 2]"), "[1:4] Unexpected character ('2' (code 50)): was expecting comma to separate Array entries");
  EXPECT_EQ(Why("[1,]"), "[1:4] Unexpected character (']' (code 93)): expected a value");
  EXPECT_EQ(Why("{\"a\":-}"),
            "[1:7] Unexpected character ('}' (code 125)) in numeric value: expected digit (0-9) to follow minus sign, "
            "for valid numeric value");
  EXPECT_EQ(Why("{\"a\":1.}"),
            "[1:8] Unexpected character ('}' (code 125)) in numeric value: Decimal point not followed by a digit");
  EXPECT_EQ(Why("{\"a\":1e}"),
            "[1:8] Unexpected character ('}' (code 125)) in numeric value: Exponent indicator not followed by a digit");
  EXPECT_EQ(Why("{\"a\":NaN}"),
            "[1:9] Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow");
  EXPECT_EQ(Why("{a:1}"), "[1:2] Unexpected character ('a' (code 97)): was expecting double-quote to start field name");
  EXPECT_EQ(Why("[\"\\x\"]"), "[1:4] Unrecognized character escape 'x' (code 120)");
  EXPECT_EQ(Why("[\"\\u12g4\"]"),
            "[1:7] Unexpected character ('g' (code 103)): expected a hex-digit for character escape sequence");
  EXPECT_EQ(Why("[\"a\tb\"]"),
            "[1:4] Illegal unquoted character ((CTRL-CHAR, code 9)): has to be escaped using backslash to be included "
            "in string value");
  EXPECT_EQ(Why("[\"\xff\"]"), "[1:4] Invalid UTF-8 start byte 0xff");
  EXPECT_EQ(Why("[\"\xc3(\"]"), "[1:5] Invalid UTF-8 middle byte 0x28");
  EXPECT_EQ(Why("{\n\"a\":\n  tru }"), "[3:7] Unrecognized token 'tru': " + list);
  EXPECT_EQ(Why("{\"a\":1]"),
            "[1:7] Unexpected close marker ']': expected '}' (for Object starting at [Source: (byte[])\"{\"a\":1]\"; "
            "line: 1, column: 1])");
  EXPECT_EQ(Why("{} {}"), "[1:5] Unexpected content after the end of the value");
  EXPECT_NE(Why(""), "parsed");
  EXPECT_NE(Why("   "), "parsed");
  EXPECT_NE(Why("]"), "parsed");
  EXPECT_NE(Why("\"a"), "parsed");
  EXPECT_NE(Why(std::string_view("\0", 1)), "parsed");
}

TEST(ValueTest, ErrorTypes) {
  const Status syntax = Document::Parse("[x]").status();
  EXPECT_EQ(syntax.type(), "x_content_parse_exception");
  ASSERT_NE(syntax.cause(), nullptr);
  EXPECT_EQ(syntax.cause()->type(), "json_parse_exception");
  EXPECT_EQ(syntax.message(), "[1:4] " + syntax.cause()->message());
  const Status end = Document::Parse("[").status();
  EXPECT_EQ(end.type(), "x_content_e_o_f_exception");
  ASSERT_NE(end.cause(), nullptr);
  EXPECT_EQ(end.cause()->type(), "json_e_o_f_exception");
  EXPECT_EQ(
      end.cause()->message(),
      "Unexpected end-of-input: expected close marker for Array (start marker at [Source: (byte[])\"[\"; line: 1, "
      "column: 1])\n at [Source: (byte[])\"[\"; line: 1, column: 2]");
}

TEST(ValueTest, DuplicateKeysAreRefusedOnDemand) {
  EXPECT_EQ(Why(R"({"size":1,"size":2})"), "parsed");
  ParseOptions strict;
  strict.refuse_duplicate_keys = true;
  EXPECT_EQ(Why(R"({"size":1,"size":2})", strict), "[1:17] Duplicate field 'size'");
  EXPECT_EQ(Why(R"({"a":{"x":1},"b":{"x":1}})", strict), "parsed");
  std::string wide = "{";
  for (int i = 0; i < 100; ++i) wide += "\"k" + std::to_string(i) + "\":{\"k1\":1},";
  EXPECT_EQ(Why(wide + "\"z\":1}", strict), "parsed");
  EXPECT_NE(Why(wide + "\"k7\":1}", strict).find("Duplicate field 'k7'"), std::string::npos);
  EXPECT_NE(Why(R"({"a":1,"\u0061":2})", strict), "parsed");
}

TEST(ValueTest, DepthIsBounded) {
  ParseOptions options;
  options.depth_max = 3;
  EXPECT_EQ(Why("[[[1]]]", options), "parsed");
  EXPECT_NE(Why("[[[[1]]]]", options).find("nesting depth (4) exceeds the maximum allowed (3"), std::string::npos);
  EXPECT_NE(Why(std::string(1000000, '[')), "parsed");
}

// Rebuilds the text from the tree: equal texts mean that no value was lost, moved or mistyped.
void Rebuild(Value value, Writer& w) {
  if (value.is_array()) {
    w.Array([&] {
      for (const Value element : value.elements()) Rebuild(element, w);
    });
  } else if (value.is_object()) {
    w.Object([&] {
      for (const auto [key, member] : value.members()) w.Key(key), Rebuild(member, w);
    });
  } else if (value.is_string()) {
    w.String(value.as_string());
  } else {
    w.Copy(value);
  }
}

void Generate(Random& random, int depth, Writer& w) {
  switch (random.Below(depth > 4 ? 4 : 6)) {
    case 0:
      w.Null();
      return;
    case 1:
      w.Int(static_cast<int64_t>(random.Next() >> random.Below(64)));
      return;
    case 2:
      w.Double(static_cast<double>(random.Below(100000)) / 64);
      return;
    case 3: {
      constexpr const char* kStrings[] = {
          "",      "a",      "x\"y",
          "\\",    "\\\\\"", "na\xc3\xafve",
          "tab\t", "{[,:]}", "long string without any escape in it, longer than a block of sixty-four bytes"};
      w.String(kStrings[random.Below(9)]);
      return;
    }
    case 4:
      w.Array([&] {
        for (uint64_t i = random.Below(5); i > 0; --i) Generate(random, depth + 1, w);
      });
      return;
    default:
      w.Object([&] {
        for (uint64_t i = random.Below(5); i > 0; --i)
          w.Key("k" + std::to_string(i) + (random.OneIn(4) ? "\n" : "")), Generate(random, depth + 1, w);
      });
  }
}

TEST(ValueTest, RandomTreesComeBackUnchanged) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text, again;
    Writer writer(text);
    Generate(random, 0, writer);
    const Document document = MustParse(text);
    Writer rebuilt(again);
    Rebuild(document.root(), rebuilt);
    ASSERT_EQ(again, text);
  }
}

// Broken texts must give an error that names a place, or parse to values that lie inside the text; never anything
// worse.
TEST(ValueTest, MutatedTextsNeverMisbehave) {
  Random random(2);
  constexpr std::string_view kBytes = "{}[],:\"\\ntf0-1.eEu \n\x01\xc3\xff\x80";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    Writer writer(text);
    Generate(random, 1, writer);
    for (uint64_t edits = 1 + random.Below(3); edits > 0 && !text.empty(); --edits) {
      const size_t at = random.Below(text.size());
      if (random.OneIn(3))
        text.erase(at, 1 + random.Below(3));
      else if (random.OneIn(2))
        text.insert(at, 1, kBytes[random.Below(kBytes.size())]);
      else
        text[at] = kBytes[random.Below(kBytes.size())];
    }
    ParseOptions options;
    options.refuse_duplicate_keys = random.OneIn(2);
    const auto document = Document::Parse(text, options);
    if (!document.ok()) {
      ASSERT_EQ(document.error().code(), Code::kInvalidArgument);
      ASSERT_EQ(document.error().message()[0], '[') << document.error().message();
      ASSERT_EQ(document.error().message().find("Invalid JSON text"), std::string::npos) << text;
      continue;
    }
    std::string again;
    Writer rebuilt(again);
    Rebuild(document.value().root(), rebuilt);
    ASSERT_TRUE(Document::Parse(again).ok()) << text << "\n" << again;
  }
}

}  // namespace
}  // namespace tiercel::json
