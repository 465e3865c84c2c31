#include "tiercel/engine/update_body.h"

#include <gtest/gtest.h>

namespace tiercel::engine {
namespace {

MergedSource Merged(std::string_view source, std::string_view patch) {
  const auto a = json::Document::Parse(source);
  const auto b = json::Document::Parse(patch);
  return MergeSource(a->root(), b->root());
}

TEST(UpdateBodyTest, MergesObjectsAndReplacesTheRest) {
  const MergedSource merged =
      Merged(R"({ "a": 1, "o": {"x": 1, "y": [1, 2]}, "t": null })", R"({"o":{"y":[3],"z":true},"n":{"m":1}})");
  EXPECT_TRUE(merged.changed);
  EXPECT_EQ(merged.json, R"({"a":1,"o":{"x":1,"y":[3],"z":true},"t":null,"n":{"m":1}})");
  EXPECT_EQ(Merged(R"({"o":{"x":1}})", R"({"o":null})").json, R"({"o":null})");
  EXPECT_EQ(Merged(R"({"o":3})", R"({"o":{"x":1}})").json, R"({"o":{"x":1}})");
  EXPECT_EQ(Merged(R"({"f":1.50,"big":12345678901234567890123,"s":"\u00e9\n"})", R"({"a":1})").json,
            R"({"f":1.50,"big":12345678901234567890123,"s":"\u00e9\n","a":1})");
}

TEST(UpdateBodyTest, SeesWhatChangesNothing) {
  const std::string_view source = R"({"a":1,"o":{"x":1,"y":[1,2]},"t":null})";
  for (const char* same : {"{}", R"({"a":1})", R"({"o":{}})", R"({"o":{"y":[1,2]}})", R"({"t":null})"})
    EXPECT_FALSE(Merged(source, same).changed) << same;
  for (const char* other : {R"({"a":1.0})", R"({"a":"1"})", R"({"n":null})", R"({"o":{"y":[2,1]}})",
                            R"({"o":{"y":[1]}})", R"({"o":null})"}) {
    EXPECT_TRUE(Merged(source, other).changed) << other;
  }
  EXPECT_FALSE(Merged(R"({"l":[{"a":1,"b":2}]})", R"({"l":[{"b":2,"a":1}]})").changed)
      << "the order of members means nothing";
}

TEST(UpdateBodyTest, ReadsTheBody) {
  const auto body = ParseUpdateBody(
      R"({"doc":{"a":1},"upsert":{"b":2},"doc_as_upsert":"true","detect_noop":false,"_source":["a"],"if_seq_no":3,"if_primary_term":1})");
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_EQ(body->doc.raw(), R"({"a":1})");
  EXPECT_EQ(body->upsert.raw(), R"({"b":2})");
  EXPECT_TRUE(body->doc_as_upsert);
  EXPECT_FALSE(body->detect_noop);
  EXPECT_EQ(body->return_source->includes, std::vector<std::string>{"a"});
  EXPECT_EQ(body->if_seq_no, 3);
}

TEST(UpdateBodyTest, RefusesAsElasticsearchDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"doc":{"a":1},"nosuch":1})", "[1:16] [UpdateRequest] unknown field [nosuch]"},
      {R"({"doc":3})", "[UpdateRequest] doc doesn't support values of type: VALUE_NUMBER"},
      {R"({"doc":null})", "[UpdateRequest] doc doesn't support values of type: VALUE_NULL"},
      {R"({"doc":{},"upsert":3})", "[UpdateRequest] upsert doesn't support values of type: VALUE_NUMBER"},
      {R"({"doc":{},"detect_noop":"x"})", "[UpdateRequest] failed to parse field [detect_noop]"},
      {"[]", "[UpdateRequest] Expected START_OBJECT but was: START_ARRAY"},
  };
  for (const auto& [text, message] : cases) {
    const auto body = ParseUpdateBody(text);
    ASSERT_FALSE(body.ok()) << text;
    EXPECT_EQ(body.error().type(), "x_content_parse_exception");
    EXPECT_NE(body.error().message().find(message), std::string::npos) << body.error().message();
  }
  EXPECT_FALSE(ParseUpdateBody("{").ok());
  EXPECT_FALSE(ParseUpdateBody(R"({"doc":{"a":1,"a":2}})").ok());
}

}  // namespace
}  // namespace tiercel::engine
