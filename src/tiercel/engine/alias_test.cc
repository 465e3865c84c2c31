#include "tiercel/engine/alias.h"

#include <gtest/gtest.h>

namespace tiercel::engine {
namespace {

Result<std::vector<AliasAction>> Actions(std::string_view text) {
  static std::vector<json::Document> kept;
  kept.push_back(json::Document::ParseOwned(std::string(text)).value());
  return ParseAliasActions(kept.back().root());
}

TEST(AliasTest, ReadsActions) {
  const auto actions = Actions(R"({"actions":[
      {"add":{"indices":["a","b*"],"aliases":["x","y"],"filter":{"term":{"k":1}},"routing":7,"is_write_index":true}},
      {"remove":{"index":"a","alias":"x*","must_exist":false}}, {"remove_index":{"index":"gone"}}]})");
  ASSERT_TRUE(actions.ok()) << actions.status().ToString();
  ASSERT_EQ(actions->size(), 3u);
  const AliasAction& add = (*actions)[0];
  EXPECT_EQ(add.indices, (std::vector<std::string>{"a", "b*"}));
  EXPECT_EQ(add.aliases, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(add.properties.filter_json, R"({"term":{"k":1}})");
  EXPECT_EQ(add.properties.index_routing, "7");
  EXPECT_EQ(add.properties.search_routing, "7");
  EXPECT_EQ(add.properties.is_write_index, true);
  EXPECT_EQ((*actions)[1].kind, AliasAction::Kind::kRemove);
  EXPECT_EQ((*actions)[1].must_exist, false);
  EXPECT_EQ((*actions)[2].kind, AliasAction::Kind::kRemoveIndex);
}

TEST(AliasTest, RefusesMalformedActions) {
  for (const char* empty : {"{}", R"({"actions":[]})"})
    EXPECT_EQ(Actions(empty).error().message(), "No action specified");
  const char* bad[] = {"[]",
                       R"({"nosuch":[]})",
                       R"({"actions":{}})",
                       R"({"actions":[3]})",
                       R"({"actions":[{}]})",
                       R"({"actions":[{"nosuch":{}}]})",
                       R"({"actions":[{"add":3}]})",
                       R"({"actions":[{"add":{"index":"a","alias":"x"},"remove":{"index":"a","alias":"x"}}]})",
                       R"({"actions":[{"add":{"index":"a","alias":"x","must_exist":true}}]})",
                       R"({"actions":[{"add":{"index":"a","alias":"x","filter":3}}]})",
                       R"({"actions":[{"remove_index":{"index":"a","alias":"x"}}]})"};
  for (const char* text : bad) {
    const auto actions = Actions(text);
    ASSERT_FALSE(actions.ok()) << text;
    EXPECT_EQ(actions.error().type(), "x_content_parse_exception") << text;
  }
  EXPECT_EQ(Actions(R"({"actions":[{"add":{"index":"a"}}]})").error().cause()->message(),
            "One of [alias] or [aliases] is required");
  EXPECT_EQ(Actions(R"({"actions":[{"add":{"alias":"a"}}]})").error().cause()->message(),
            "One of [index] or [indices] is required");
  EXPECT_EQ(Actions(R"({"actions":[{"add":{"index":"a","alias":"_x"}}]})").error().type(),
            "invalid_alias_name_exception");
}

TEST(AliasTest, ReadsAndWritesDefinitions) {
  const auto document = json::Document::Parse(
      R"({"plain":{},"full":{"filter":{"term":{"b":"x"}},"index_routing":"i","search_routing":"s,t",)"
      R"("is_write_index":false,"is_hidden":true}})");
  const auto aliases = ParseAliases(document->root());
  ASSERT_TRUE(aliases.ok()) << aliases.status().ToString();
  std::string text;
  json::Writer writer(text);
  WriteAliases(*aliases, writer);
  EXPECT_EQ(text, R"({"full":{"filter":{"term":{"b":"x"}},"index_routing":"i","search_routing":"s,t",)"
                  R"("is_write_index":false,"is_hidden":true},"plain":{}})");
}

TEST(AliasTest, WordsDefinitionErrorsAsElasticsearchDoes) {
  const auto error = [](const char* text) {
    return ParseAliases(json::Document::Parse(text)->root()).status().message();
  };
  EXPECT_EQ(error("[]"), "key [aliases] must be an object");
  EXPECT_EQ(error(R"({"a1":3})"), "No alias is specified");
  EXPECT_EQ(error(R"({"up":{"nosuch":1}})"), "Unknown field [nosuch] in alias [up]");
  EXPECT_EQ(error(R"({"a1":{"filter":3}})"), "Unknown token [VALUE_NUMBER] in alias [a1]");
  EXPECT_EQ(error(R"({"a1":{"is_write_index":"x"}})"),
            "Unsupported String type value [x] for field [is_write_index] in alias [a1]");
  EXPECT_EQ(error(R"({"a1":{"routing":"a,b"}})"), "alias [a1] has several index routing values associated with it");
  EXPECT_EQ(error(R"({"a b":{}})").substr(0, 24), "Invalid alias name [a b]");
  EXPECT_EQ(ParsePutAlias(json::Document::Parse(R"({"nosuch":2})")->root()).status().message(),
            "Unsupported field [nosuch]");
}

}  // namespace
}  // namespace tiercel::engine
