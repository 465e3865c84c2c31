#include "tiercel/engine/index_name.h"

#include <gtest/gtest.h>

namespace tiercel::engine {
namespace {

TEST(IndexNameTest, RefusesAsElasticsearchDoes) {
  const std::pair<std::string, const char*> cases[] = {
      {"UPPER", "Invalid index name [UPPER], must be lowercase"},
      {"_under", "Invalid index name [_under], must not start with '_', '-', or '+'"},
      {"+a", "Invalid index name [+a], must not start with '_', '-', or '+'"},
      {"a b",
       R"(Invalid index name [a b], must not contain the following characters [' ','"','*',',','/','<','>','?','\','|'])"},
      {"a#b", "Invalid index name [a#b], must not contain '#'"},
      {"a:b", "Invalid index name [a:b], must not contain ':'"},
      {"..", "Invalid index name [..], must not be '.' or '..'"},
  };
  for (const auto& [name, message] : cases) {
    const Status status = CheckIndexName(name);
    EXPECT_EQ(status.message(), message);
    EXPECT_EQ(status.type(), "invalid_index_name_exception");
  }
  EXPECT_NE(CheckIndexName(std::string(256, 'a')).message().find("index name is too long, (256 > 255)"),
            std::string::npos);
  EXPECT_FALSE(CheckIndexName("").ok());
  for (const char* name : {"a", ".hidden", "a-b_c+d", "1", "\xc3\xa4"}) EXPECT_TRUE(CheckIndexName(name).ok()) << name;
}

TEST(IndexNameTest, AliasesMayBeUpperCase) {
  EXPECT_TRUE(CheckAliasName("UP").ok());
  EXPECT_EQ(CheckAliasName("_x").message(), "Invalid alias name [_x]: must not start with '_', '-', or '+'");
  EXPECT_EQ(CheckAliasName("_x").type(), "invalid_alias_name_exception");
  EXPECT_EQ(CheckAliasName("").message(), "alias name is required");
}

TEST(IndexNameTest, MatchesPatterns) {
  const char* matching[][2] = {{"*", ""},      {"*", "a"},  {"a*", "a"}, {"a*c", "abcbc"},
                               {"*b*", "abc"}, {"**", "x"}, {"a", "a"},  {"*ab", "aab"}};
  for (const auto& [pattern, name] : matching) EXPECT_TRUE(MatchesPattern(pattern, name)) << pattern << " " << name;
  const char* different[][2] = {{"a", "b"}, {"a*", "ba"}, {"a*c", "ab"}, {"", "a"}, {"ab", "a"}, {"a*b*c", "acb"}};
  for (const auto& [pattern, name] : different) EXPECT_FALSE(MatchesPattern(pattern, name)) << pattern << " " << name;
  // Many stars do not take exponential time.
  EXPECT_FALSE(MatchesPattern("a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(IndexNameTest, MissingIndexCarriesItsAttributes) {
  const Status status = IndexNotFound("x");
  EXPECT_EQ(status.code(), Code::kNotFound);
  std::string attributes;
  for (const auto& [key, value] : status.attributes()) attributes += key + "=" + value + ";";
  EXPECT_EQ(attributes, "resource.type=index_or_alias;resource.id=x;index_uuid=_na_;index=x;");
}

}  // namespace
}  // namespace tiercel::engine
