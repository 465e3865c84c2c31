#include "tiercel/store/object_name.h"

#include <gtest/gtest.h>

#include <string>

namespace tiercel::store {
namespace {

TEST(ObjectNameTest, AcceptsSegmentsOfPlainCharacters) {
  for (const char* name : {"a", "a/b", "indices/AbC_-9/0/manifest/000f", "x.y", "-", "a..b"}) {
    EXPECT_TRUE(CheckObjectName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckObjectName(std::string(255, 'a')).ok());
}

TEST(ObjectNameTest, RefusesWhatCouldLeaveTheStoreOrClashWithItsFiles) {
  for (const char* name : {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/.", ".lock", "a/.tmp", "a b",
                           "a\\b", "a\nb", "\xc3\xa9"}) {
    const Status status = CheckObjectName(name);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << name;
  }
  EXPECT_FALSE(CheckObjectName(std::string_view("a\0b", 3)).ok());
  EXPECT_FALSE(CheckObjectName(std::string(256, 'a')).ok());
  std::string deep = "a";
  while (deep.size() <= 1024) deep += "/a";
  EXPECT_FALSE(CheckObjectName(deep).ok());
}

TEST(ObjectNameTest, APrefixMayEndAnywhere) {
  for (const char* prefix : {"", "a", "a/", "a/b", "indices/x/"}) EXPECT_TRUE(CheckPrefix(prefix).ok()) << prefix;
  for (const char* prefix : {"/", "a//", "../", "a/..", " "}) EXPECT_FALSE(CheckPrefix(prefix).ok()) << prefix;
}

}  // namespace
}  // namespace tiercel::store
