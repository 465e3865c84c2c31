#include "tiercel/engine/bulk.h"

#include <gtest/gtest.h>

namespace tiercel::engine {
namespace {

BulkDefaults On(std::string index) {
  BulkDefaults defaults;
  defaults.index = std::move(index);
  return defaults;
}
std::string Error(std::string_view body) {
  const auto bulk = ParseBulk(body, On("i"));
  return bulk.ok() ? "accepted" : bulk.error().message();
}

TEST(BulkTest, ReadsEveryKindOfOperation) {
  const auto bulk = ParseBulk(
      "\n{\"index\":{\"_id\":1,\"routing\":\"r\"}}\r\n{\"a\":1}\r\n \n"
      "{\"create\":{\"_index\":\"j\",\"_id\":\"x\",\"require_alias\":true}}\n{\"a\":2}\n"
      "{\"update\":{\"_id\":\"u\",\"retry_on_conflict\":3,\"_source\":[\"a\"]}}\n{\"doc\":{}}\n"
      "{\"delete\":{\"_id\":\"d\",\"if_seq_no\":5,\"if_primary_term\":1}}\n"
      "{\"index\":{\"_id\":null,\"op_type\":\"create\"}}\n{}\n"
      "{\"index\":{\"_id\":\"v\",\"version\":7,\"version_type\":\"external_gte\"}}\n{}\n",
      On("i"));
  ASSERT_TRUE(bulk.ok()) << bulk.status().ToString();
  const auto& operations = bulk->operations;
  ASSERT_EQ(operations.size(), 6u);
  EXPECT_EQ(operations[0].id, "1");
  EXPECT_EQ(operations[0].routing, "r");
  EXPECT_EQ(operations[0].source, "{\"a\":1}");
  EXPECT_EQ(operations[1].kind, OperationKind::kCreate);
  EXPECT_EQ(operations[1].index, "j");
  EXPECT_TRUE(operations[1].require_alias);
  EXPECT_EQ(operations[2].kind, OperationKind::kUpdate);
  EXPECT_EQ(operations[2].retry_on_conflict, 3u);
  EXPECT_TRUE(operations[2].return_source.has_value());
  EXPECT_EQ(operations[3].kind, OperationKind::kDelete);
  EXPECT_EQ(operations[3].if_seq_no, 5);
  EXPECT_EQ(operations[4].kind, OperationKind::kCreate) << "the effective operation";
  EXPECT_FALSE(operations[4].id_given);
  EXPECT_EQ(operations[5].version, 7);
  EXPECT_EQ(operations[5].version_type, shard::VersionType::kExternalGte);
}

TEST(BulkTest, OneBadLineRefusesTheWholeRequest) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "request body is required"},
      {"\n", "Validation Failed: 1: no requests added;"},
      {"{\"index\":{}}\n", "Validation Failed: 1: no requests added;"},
      {"{\"index\":{}}\n{\"a\":1}", "The bulk request must be terminated by a newline [\\n]"},
      {"{\"index\":{}}\n{\"a\":1}\n{\"delete\":{\"_id\":\"x\"}}",
       "The bulk request must be terminated by a newline [\\n]"},
      {"{\"nosuch\":{}}\n{\"a\":1}\n",
       "Malformed action/metadata line [1], expected field [create], [delete], [index] or [update] but found [nosuch]"},
      {"{\"index\":{}}\n{}\n\n{\"indx\":{}}\n{}\n",
       "Malformed action/metadata line [4], expected field [create], [delete], [index] or [update] but found [indx]"},
      {"{\"index\":{\"nosuch\":1}}\n{\"a\":1}\n", "Action/metadata line [1] contains an unknown parameter [nosuch]"},
      {"{\"index\":{\"_type\":\"_doc\"}}\n{\"a\":1}\n",
       "Action/metadata line [1] contains an unknown parameter [_type]"},
      {"{\"index\":[]}\n{\"a\":1}\n",
       "Malformed action/metadata line [1], expected START_OBJECT or END_OBJECT but found [START_ARRAY]"},
      {"{\"index\":\"x\"}\n{}\n",
       "Malformed action/metadata line [1], expected START_OBJECT or END_OBJECT but found [VALUE_STRING]"},
      {"[\"index\"]\n{}\n", "Malformed action/metadata line [1], expected START_OBJECT but found [START_ARRAY]"},
      {"{}\n", "Malformed action/metadata line [1], expected FIELD_NAME but found [END_OBJECT]"},
      {"{\"index\":{\"_id\":[1]}}\n{}\n",
       "Malformed action/metadata line [1], expected a simple value for field [_id] but found [START_ARRAY]"},
      {"{\"index\":{\"_id\":\"1\"},\"x\":1}\n{\"a\":1}\n",
       "Malformed action/metadata line [1], expected END_OBJECT but found [FIELD_NAME]"},
      {"{\"abc\":true,\"index\":{\"_id\":\"1\"}}\n{}\n",
       "Malformed action/metadata line [1], expected field [create], [delete], [index] or [update] but found [abc]"},
      {"{\"delete\":{}}\n", "Validation Failed: 1: id is missing;"},
      {"{\"update\":{\"_id\":\"\"}}\n{\"doc\":{}}\n", "Validation Failed: 1: id is missing;"},
      {"{\"update\":{\"_id\":\"v\"}}\n{}\n", "Validation Failed: 1: script or doc is missing;"},
      {"{\"update\":{\"_id\":\"v\",\"version\":5}}\n{\"doc\":{}}\n",
       "Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead"},
      {"{\"update\":{\"_id\":\"v\",\"if_seq_no\":9,\"if_primary_term\":1,\"retry_on_conflict\":2}}\n{\"doc\":{}}\n",
       "Validation Failed: 1: compare and write operations can not be retried;"},
      {"{\"index\":{\"_id\":\"v\",\"version\":5}}\n{}\n",
       "Validation Failed: 1: internal versioning can not be used for optimistic concurrency control. Please use "
       "`if_seq_no` and `if_primary_term` instead;"},
      {"{\"index\":{\"_id\":\"v\",\"version_type\":\"nosuch\"}}\n{}\n", "No version type match [nosuch]"},
      {"{\"index\":{\"_id\":\"v\",\"if_seq_no\":1}}\n{}\n",
       "Validation Failed: 1: ifSeqNo is set, but primary term is [0];"},
      {"{\"create\":{\"_id\":\"v\",\"version\":5,\"version_type\":\"external\"}}\n{}\n",
       "Validation Failed: 1: create operations only support internal versioning. use index instead;"},
      {"{\"delete\":{}}\n{\"delete\":{}}\n", "Validation Failed: 1: id is missing;2: id is missing;"},
  };
  for (const auto& [body, message] : cases) EXPECT_EQ(Error(body), message) << body;
  EXPECT_NE(Error("not json\n{}\n").find("Unrecognized token 'not'"), std::string::npos);
  EXPECT_NE(Error("{\"index\":{}} trailing\n{}\n").find("Unrecognized token 'trailing'"), std::string::npos);
  EXPECT_NE(Error("{\"index\":{\"_id\":\"" + std::string(513, 'x') + "\"}}\n{}\n")
                .find("must be no longer than 512 bytes but was: 513"),
            std::string::npos);
  EXPECT_EQ(ParseBulk("{\"index\":{}}\n{}\n", {}).error().message(), "Validation Failed: 1: index is missing;");
}

TEST(BulkTest, WhatConcernsOneItemIsNotARequestError) {
  EXPECT_EQ(Error("{\"index\":{\"_id\":\"\"}}\n{}\n"), "accepted");
  EXPECT_EQ(Error("{\"index\":{\"_id\":\"w\"}}\nnot json\n"), "accepted");
  EXPECT_EQ(Error("{\"index\":{\"_id\":\"w\"}}\n\n"), "accepted");
  EXPECT_EQ(Error("{\"index\":{\"_index\":\"-bad-\"}}\n{}\n"), "accepted");
}

TEST(BulkTest, ADataStreamIsWantedOnlyWhenTheFlagSaysSo) {
  const auto bulk = ParseBulk(
      "{\"index\":{\"require_data_stream\":true}}\n{}\n{\"index\":{\"require_data_stream\":false}}\n{}\n", On("i"));
  ASSERT_TRUE(bulk.ok());
  EXPECT_TRUE(bulk->operations[0].require_data_stream);
  EXPECT_FALSE(bulk->operations[1].require_data_stream);
}

TEST(BulkTest, OlderClientsGetAWarningForExtraKeys) {
  BulkDefaults defaults = On("i");
  defaults.tolerate_extra_keys = true;
  const auto bulk = ParseBulk("{\"index\":{\"_id\":\"1\"},\"x\":1}\n{}\n", defaults);
  ASSERT_TRUE(bulk.ok());
  EXPECT_TRUE(bulk->extra_keys_tolerated);
}

}  // namespace
}  // namespace tiercel::engine
