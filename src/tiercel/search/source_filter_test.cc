// Expected texts were checked against Elasticsearch 9.2.
#include <gtest/gtest.h>

#include "tiercel/search/search.h"

namespace tiercel::search {
namespace {

constexpr std::string_view kSource =
    R"({"a":{"b":{"c":1,"d":null},"e":[]},"x.y":2,"arr":[1,{"p":1,"q":2},[{"p":3}],"s"],"em":{},"s":"é","n":1.50,)"
    R"("arr2":[{"p":1},{"q":2}],"x":{"z":3}})";

std::string Filtered(std::string_view filter_json) {
  const Result<json::Document> document = json::Document::Parse(filter_json);
  EXPECT_TRUE(document.ok());
  const Result<SourceFilter> filter = ParseSourceFilter(document->root());
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return FilterSource(kSource, *filter);
}

TEST(SourceFilterTest, IncludesNameSubtreesAndElementsOfArrays) {
  EXPECT_EQ(Filtered(R"("a.b")"), R"({"a":{"b":{"c":1,"d":null}}})");
  EXPECT_EQ(Filtered(R"("a.b.d")"), R"({"a":{"b":{"d":null}}})");
  EXPECT_EQ(Filtered(R"("a.e")"), R"({"a":{"e":[]}})");
  EXPECT_EQ(Filtered(R"("em")"), R"({"em":{}})");
  EXPECT_EQ(Filtered(R"("arr")"), R"({"arr":[1,{"p":1,"q":2},[{"p":3}],"s"]})");
  EXPECT_EQ(Filtered(R"("arr.p")"), R"({"arr":[{"p":1},[{"p":3}]]})");
  EXPECT_EQ(Filtered(R"("arr2.p")"), R"({"arr2":[{"p":1}]})");
  EXPECT_EQ(Filtered(R"(["s","n"])"), R"({"s":"é","n":1.50})");
}

TEST(SourceFilterTest, WhatMatchesNothingLeavesAnEmptyObject) {
  for (const char* filter : {R"(["nosuch"])", R"("a.b.c.d")", R"("a.")", R"("A")", R"("em.*")", R"("a.e.*")",
                             R"({"includes":["a.b"],"excludes":["a"]})"}) {
    EXPECT_EQ(Filtered(filter), "{}") << filter;
  }
}

TEST(SourceFilterTest, AStarStaysWithinAPathElement) {
  EXPECT_EQ(Filtered(R"("a.*.c")"), R"({"a":{"b":{"c":1}}})");
  EXPECT_EQ(Filtered(R"("*.c")"), "{}");
  EXPECT_EQ(Filtered(R"("*.p")"), R"({"arr":[{"p":1},[{"p":3}]],"arr2":[{"p":1}]})");
  EXPECT_EQ(Filtered(R"("a*")"),
            R"({"a":{"b":{"c":1,"d":null},"e":[]},"arr":[1,{"p":1,"q":2},[{"p":3}],"s"],"arr2":[{"p":1},{"q":2}]})");
  EXPECT_EQ(Filtered(R"("*")"), kSource);
  EXPECT_EQ(Filtered(R"("**")"), kSource);
}

TEST(SourceFilterTest, KeysWithDotsAreFoundByTheirPath) {
  EXPECT_EQ(Filtered(R"("x.y")"), R"({"x.y":2})");
  EXPECT_EQ(Filtered(R"("x")"), R"({"x.y":2,"x":{"z":3}})");
  EXPECT_EQ(Filtered(R"("x.*")"), R"({"x.y":2,"x":{"z":3}})");
}

TEST(SourceFilterTest, AnExcludeDropsWhatItEmpties) {
  EXPECT_EQ(Filtered(R"({"excludes":["arr.p"],"includes":["arr","arr2"]})"),
            R"({"arr":[1,{"q":2},"s"],"arr2":[{"p":1},{"q":2}]})");
  EXPECT_EQ(Filtered(R"({"includes":["a"],"excludes":["a.b.c"]})"), R"({"a":{"b":{"d":null},"e":[]}})");
  EXPECT_EQ(Filtered(R"({"includes":["arr2","em"],"excludes":["arr2.p"]})"), R"({"em":{},"arr2":[{"q":2}]})");
}

TEST(SourceFilterTest, AnExcludeWithAStarKeepsEmptyMembersAndCrossesDots) {
  EXPECT_EQ(Filtered(R"({"includes":["a","em"],"excludes":["a.b.*"]})"), R"({"a":{"b":{},"e":[]},"em":{}})");
  EXPECT_EQ(Filtered(R"({"includes":["a"],"excludes":["a.*"]})"), R"({"a":{}})");
  EXPECT_EQ(Filtered(R"({"includes":["em"],"excludes":["em.*"]})"), R"({"em":{}})");
  EXPECT_EQ(Filtered(R"({"includes":["arr*"],"excludes":["*.p"]})"), R"({"arr":[1,{"q":2},"s"],"arr2":[{"q":2}]})");
  EXPECT_EQ(Filtered(R"({"excludes":["*"]})"), "{}");
}

TEST(SourceFilterTest, ReadsEveryForm) {
  const auto parse = [](std::string_view text) {
    const Result<json::Document> document = json::Document::Parse(text);
    return ParseSourceFilter(document->root());
  };
  EXPECT_FALSE(parse("false")->enabled);
  EXPECT_TRUE(parse("true")->passes_all());
  EXPECT_TRUE(parse("[]")->passes_all());
  EXPECT_TRUE(parse("{}")->passes_all());
  EXPECT_EQ(parse(R"({"include":"a","exclude":["b"]})")->excludes, std::vector<std::string>{"b"});
  EXPECT_EQ(parse("3").error().message(),
            "Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [VALUE_NUMBER]");
  EXPECT_EQ(parse(R"({"nosuch":[]})").error().message(), "Unknown key for a START_ARRAY in [nosuch].");
  EXPECT_EQ(parse(R"({"includes":3})").error().type(), "parsing_exception");
  EXPECT_EQ(parse(R"(["a",{}])").error().message(), "Expected text at 1:6 but found START_OBJECT");
}

TEST(SourceFilterTest, MorePatternsThanSenseStayCheap) {
  const std::string stars(200, '*');
  EXPECT_EQ(FilterSource(R"({"aaaaaaaaaaaaaaaaaaaaaaaa":1})",
                         {.enabled = true, .includes = {stars + "b" + stars + "c"}, .excludes = {}}),
            "{}");
}

}  // namespace
}  // namespace tiercel::search
