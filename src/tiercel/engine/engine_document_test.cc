// Writes, reads, updates and bulk requests through the whole engine.
#include <gtest/gtest.h>

#include <thread>

#include "tiercel/engine/engine_fixture_test.h"

namespace tiercel::engine {
namespace {

class EngineDocumentTest : public EngineFixture {
 protected:
  static std::string Attribute(const Status& status, std::string_view key) {
    for (const auto& [name, value] : status.attributes()) {
      if (name == key) return value;
    }
    return "absent";
  }
  static std::string Members(const WriteResult& result) {
    std::string text;
    json::Writer writer(text);
    writer.Object([&] { WriteMembers(result, writer); });
    return text;
  }
};

TEST_F(EngineDocumentTest, AWriteCreatesItsIndex) {
  const auto first = Put("i", "1", R"({"a":2})");
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(Members(*first), R"({"_index":"i","_id":"1","_version":1,"result":"created",)"
                             R"("_shards":{"total":2,"successful":1,"failed":0},"_seq_no":0,"_primary_term":1})");
  EXPECT_EQ(first->http_status(), 201);
  const auto second = Put("i", "1", R"({"a":3})", RefreshPolicy::kImmediate);
  EXPECT_EQ(second->outcome, WriteResult::Outcome::kUpdated);
  EXPECT_TRUE(second->forced_refresh);
  EXPECT_EQ(Source("i", "1"), R"({"a":3})");
  EXPECT_EQ(Put("-bad", "1", "{}").status().type(), "invalid_index_name_exception");
  EXPECT_EQ(Delete("none", "1").status().message(), "no such index [none]");
  EXPECT_FALSE(engine_->Exists("none", {}));
}

TEST_F(EngineDocumentTest, ConflictsCarryTheirShard) {
  ASSERT_TRUE(Put("i", "1", R"({"a":2})").ok());
  WriteRequest create;
  create.kind = OperationKind::kCreate;
  create.index = "i";
  create.id = "1";
  create.source = "{}";
  const auto conflict = engine_->Write(create, RefreshPolicy::kNone);
  ASSERT_FALSE(conflict.ok());
  EXPECT_EQ(conflict.error().message(), "[1]: version conflict, document already exists (current version [1])");
  EXPECT_EQ(Attribute(conflict.error(), "index"), "i");
  EXPECT_EQ(Attribute(conflict.error(), "shard"), "0");
  EXPECT_EQ(Attribute(conflict.error(), "index_uuid"), Metadata("i")->uuid);
  GetRequest get;
  get.index = "i";
  get.id = "1";
  get.version = 3;
  EXPECT_EQ(engine_->Get(get).status().message(),
            "[1]: version conflict, current version [1] is different than the one provided [3]");
}

TEST_F(EngineDocumentTest, ValidatesRequests) {
  WriteRequest request;
  request.index = "i";
  request.id = "1";
  request.source = "{}";
  request.version = 3;
  EXPECT_EQ(engine_->Write(request, RefreshPolicy::kNone).status().type(), "action_request_validation_exception");
  request.version.reset();
  request.pipeline = "nosuch";
  EXPECT_EQ(engine_->Write(request, RefreshPolicy::kNone).status().message(),
            "pipeline with id [nosuch] does not exist");
  request.pipeline = "_none";
  request.require_alias = true;
  EXPECT_EQ(engine_->Write(request, RefreshPolicy::kNone).status().message(),
            "no such index [i] and [require_alias] request flag is [true] and [i] is not an alias");
  request.require_alias = false;
  request.source.clear();
  EXPECT_EQ(engine_->Write(request, RefreshPolicy::kNone).status().message(), "request body is required");
  EXPECT_EQ(Put("i", "1", "not json").status().type(), "document_parsing_exception");
}

TEST_F(EngineDocumentTest, UpdatesMergeAndSeeNoops) {
  EXPECT_EQ(Update("i", "u", R"({"doc":{"a":1}})").status().message(), "[u]: document missing");
  const auto created = Update("i", "u", R"({"doc":{"a":1},"upsert":{"a":7,"o":{"x":1}}})");
  ASSERT_TRUE(created.ok()) << created.status().ToString();
  EXPECT_EQ(created->outcome, WriteResult::Outcome::kCreated);
  EXPECT_EQ(Update("i", "u", R"({"doc":{"o":{"y":2}}})")->outcome, WriteResult::Outcome::kUpdated);
  EXPECT_EQ(Source("i", "u"), R"({"a":7,"o":{"x":1,"y":2}})");
  const auto noop = Update("i", "u", R"({"doc":{"a":7},"_source":["a"]})");
  ASSERT_TRUE(noop.ok());
  EXPECT_EQ(
      Members(*noop),
      R"({"_index":"i","_id":"u","_version":2,"result":"noop","_shards":{"total":0,"successful":0,"failed":0},"_seq_no":1,)"
      R"("_primary_term":1,"get":{"_seq_no":1,"_primary_term":1,"found":true,"_source":{"a":7}}})");
  EXPECT_EQ(Update("i", "u", R"({"doc":{"a":7},"detect_noop":false})")->outcome, WriteResult::Outcome::kUpdated);
  EXPECT_EQ(Update("i", "new", R"({"doc":{"a":7},"doc_as_upsert":true})")->outcome, WriteResult::Outcome::kCreated);
  EXPECT_EQ(Update("i", "u", R"({"script":"x"})").status().message(), "failed to execute script");
  EXPECT_EQ(Update("i", "u", R"({"doc":{"a":7},"if_seq_no":99,"if_primary_term":1})").status().message(),
            "[u]: version conflict, required seqNo [99], primary term [1]. current document has seqNo [2] and primary "
            "term [1]");
  EXPECT_EQ(Update("i", "u", "{}").status().message(), "Validation Failed: 1: script or doc is missing;");
}

TEST_F(EngineDocumentTest, RetriedUpdatesOfOneDocumentLoseNothing) {
  ASSERT_TRUE(Put("i", "1", R"({"n":0})").ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 10; ++i) {
        WriteRequest request;
        request.kind = OperationKind::kUpdate;
        request.index = "i";
        request.id = "1";
        request.retry_on_conflict = 100;
        request.source = R"({"doc":{"f)" + std::to_string(t) + "_" + std::to_string(i) + R"(":1}})";
        const auto result = engine_->Write(request, RefreshPolicy::kNone);
        EXPECT_TRUE(result.ok()) << result.status().ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(json::Document::ParseOwned(Source("i", "1"))->root().size(), 31u);
}

TEST_F(EngineDocumentTest, BulkAppliesOperationsOnOneIdInOrder) {
  const BulkResponse response = Bulk(
      "{\"index\":{\"_id\":\"b1\"}}\n{\"a\":1}\n{\"create\":{\"_id\":\"b1\"}}\n{\"a\":2}\n{\"update\":{\"_id\":\"b1\"}}"
      "\n{\"doc\":{\"a\":3}}\n"
      "{\"update\":{\"_id\":\"nosuch\"}}\n{\"doc\":{\"a\":3}}\n{\"delete\":{\"_id\":\"b1\"}}\n{\"delete\":{\"_id\":"
      "\"b1\"}}\n"
      "{\"index\":{\"_id\":\"b2\",\"if_seq_no\":77,\"if_primary_term\":1}}\n{\"a\":1}\n{\"index\":{\"_id\":\"b3\"}}\n{"
      "\"a\":\"not a number\"}\n"
      "{\"update\":{\"_id\":\"b4\"}}\n{\"doc\":{\"a\":1},\"doc_as_upsert\":true}\n{\"index\":{\"_id\":\"b5\",\"_"
      "index\":\"-bad-\"}}\n{\"a\":1}\n"
      "{\"index\":{\"_id\":\"b6\",\"require_alias\":true}}\n{\"a\":1}\n{\"index\":{\"_id\":\"\"}}\n{}\n{\"index\":{}}"
      "\n{}\n{\"index\":{\"_id\":\"e\"}}\n\n",
      RefreshPolicy::kImmediate);
  std::string outcome;
  for (const BulkItem& item : response.items) {
    outcome +=
        std::string(OperationName(item.kind)) + " " +
        (item.result.ok() ? std::to_string(item.result->http_status()) : std::string(item.result.error().type())) +
        "\n";
  }
  EXPECT_EQ(outcome,
            "index 201\ncreate version_conflict_engine_exception\nupdate 200\nupdate "
            "document_missing_exception\ndelete 200\ndelete 404\n"
            "index version_conflict_engine_exception\nindex document_parsing_exception\nupdate 201\nindex "
            "invalid_index_name_exception\n"
            "index index_not_found_exception\nindex illegal_argument_exception\nindex 201\nindex "
            "document_parsing_exception\n");
  EXPECT_TRUE(response.has_errors());
  EXPECT_EQ(response.items[12].id.size(), 22u) << "an id was made up";
  EXPECT_EQ(Source("i", "b1"), "missing");
  EXPECT_EQ(Source("i", "b4"), R"({"a":1})");
}

TEST_F(EngineDocumentTest, LargeBulksParseAheadWithoutChangingWhoDefinesAField) {
  ASSERT_TRUE(Create("i", R"({"settings":{"number_of_shards":3}})").ok());
  std::string body;
  for (int i = 0; i < 300; ++i)
    body += "{\"index\":{\"_id\":\"" + std::to_string(i) + "\"}}\n{\"n\":" + std::to_string(i) + ",\"t\":\"w" +
            std::to_string(i) + "\"}\n";
  const BulkResponse response = Bulk(body);
  EXPECT_FALSE(response.has_errors());
  ASSERT_EQ(response.items.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(response.items[static_cast<size_t>(i)].id, std::to_string(i));
  EXPECT_EQ(Source("i", "299"), R"({"n":299,"t":"w299"})");
  uint64_t docs = 0;
  ASSERT_TRUE(engine_->Refresh("i", {}).ok());
  const std::vector<IndexStats> stats = engine_->Stats("i", {}).value();
  for (const shard::ShardStats& shard : stats[0].shards) docs += shard.docs;
  EXPECT_EQ(docs, 300u);
}

TEST_F(EngineDocumentTest, AcknowledgedWritesAndTheirFieldsSurviveACrash) {
  ASSERT_TRUE(Put("i", "1", R"({"name":"x","o":{"deep":1}})").ok());
  ASSERT_TRUE(Put("i", "2", R"({"other":[1.5]})").ok());
  ASSERT_TRUE(Delete("i", "1").ok());
  const std::string mapping = Metadata("i")->mapping->ToJson();
  CrashAndRestart();
  EXPECT_EQ(Metadata("i")->mapping->ToJson(), mapping);
  EXPECT_EQ(Source("i", "1"), "missing");
  EXPECT_EQ(Source("i", "2"), R"({"other":[1.5]})");
  ASSERT_TRUE(engine_->Flush("i", {}).ok());
  CrashAndRestart();
  EXPECT_EQ(Source("i", "2"), R"({"other":[1.5]})");
}

TEST_F(EngineDocumentTest, AFieldThatCannotBeMadeDurableFailsItsDocument) {
  ASSERT_TRUE(Create("i").ok());
  faults_.Add({.on = store::FaultPoint::kPut, .kind = store::FaultKind::kNoSpace, .name_contains = "/meta/"});
  EXPECT_EQ(Put("i", "1", R"({"new":1})").status().code(), Code::kResourceExhausted);
  EXPECT_EQ(Source("i", "1"), "missing");
  EXPECT_TRUE(Put("i", "1", R"({"new":1})").ok());
}

TEST_F(EngineDocumentTest, AliasesRouteWrites) {
  ASSERT_TRUE(Create("i", R"({"settings":{"number_of_shards":5},"aliases":{"al":{"routing":"r"},"plain":{}}})").ok());
  ASSERT_TRUE(Put("al", "x", R"({"a":1})").ok());
  EXPECT_EQ(Source("al", "x"), R"({"a":1})");
  GetRequest get;
  get.index = "i";
  get.id = "x";
  get.routing = "r";
  EXPECT_TRUE(engine_->Get(get)->found);
  EXPECT_EQ(engine_->Get(get)->routing, "r");
  WriteRequest other;
  other.index = "al";
  other.id = "x";
  other.source = "{}";
  other.routing = "zzz";
  EXPECT_EQ(engine_->Write(other, RefreshPolicy::kNone).status().message(),
            "Alias [al] has index routing associated with it [r], and was provided with routing value [zzz], rejecting "
            "operation");
  ASSERT_TRUE(Create("j", R"({"aliases":{"plain":{}}})").ok());
  EXPECT_EQ(Put("plain", "x", "{}").status().message().substr(0, 44), "no write index is defined for alias [plain].");
  EXPECT_EQ(Source("plain", "x"),
            "alias [plain] has more than one index associated with it [i, j], can't execute a single index op");
}

TEST_F(EngineDocumentTest, BlocksRefuse) {
  ASSERT_TRUE(Put("i", "1", "{}").ok());
  ASSERT_TRUE(engine_->UpdateSettings("i", {}, Json(R"({"index.blocks.write":true})")).ok());
  const auto refused = Put("i", "1", "{}");
  EXPECT_EQ(refused.status().code(), Code::kForbidden);
  EXPECT_EQ(refused.status().message(), "index [i] blocked by: [FORBIDDEN/8/index write (api)];");
  EXPECT_EQ(Source("i", "1"), "{}");
  ASSERT_TRUE(engine_->UpdateSettings("i", {}, Json(R"({"index.blocks.write":null,"index.blocks.read":true})")).ok());
  EXPECT_EQ(Source("i", "1"), "index [i] blocked by: [FORBIDDEN/7/index read (api)];");
}

TEST_F(EngineDocumentTest, BulkItemsSayWhetherTheyHadAnId) {
  const BulkResponse response = Bulk(
      "{\"index\":{\"_index\":\"-bad-\"}}\n{}\n{\"index\":{\"_id\":\"\"}}\n{}\n{\"index\":{}}\n{}\n"
      "{\"index\":{\"require_data_stream\":true}}\n{}\n");
  EXPECT_FALSE(response.items[0].has_id);
  EXPECT_TRUE(response.items[1].has_id);
  EXPECT_TRUE(response.items[2].has_id);
  EXPECT_EQ(response.items[3].result.status().message(),
            "[require_data_stream] request flag is [true] and [i] is not a data stream");
}

TEST_F(EngineDocumentTest, CountsByUri) {
  ASSERT_TRUE(Put("i", "1", R"({"t":"alpha beta"})").ok());
  ASSERT_TRUE(Put("i", "2", R"({"t":"beta"})", RefreshPolicy::kImmediate).ok());
  SearchCall call;
  call.indices = "i";
  EXPECT_EQ(engine_->Count(call)->count, 2u);
  call.url = {{"q", "t:alpha"}};
  EXPECT_EQ(engine_->Count(call)->count, 1u);
  call.url.clear();
  call.body = Json(R"({"query":{"match":{"t":"alpha"}}})");
  EXPECT_EQ(engine_->Count(call)->count, 1u);
  call.body = Json(R"({"size":1})");
  EXPECT_EQ(engine_->Count(call).status().message(), "request does not support [size]");
}

TEST_F(EngineDocumentTest, SearchesThroughAliasesSeeWhatTheirFiltersLet) {
  ASSERT_TRUE(
      Create(
          "i",
          R"({"aliases":{"red":{"filter":{"term":{"c.keyword":"red"}}},"blue":{"filter":{"term":{"c.keyword":"blue"}}},"all":{}}})")
          .ok());
  for (const char* color : {"red", "red", "blue", "green"}) {
    ASSERT_TRUE(
        Put("i", std::to_string(clock_.WallMs()), R"({"c":")" + std::string(color) + "\"}", RefreshPolicy::kImmediate)
            .ok());
    clock_.AdvanceMs(1);
  }
  const auto count = [&](std::string indices) {
    SearchCall call;
    call.indices = std::move(indices);
    const auto counted = engine_->Count(call);
    return counted.ok() ? counted->count : 99;
  };
  EXPECT_EQ(count("red"), 2u);
  EXPECT_EQ(count("red,blue"), 3u);
  EXPECT_EQ(count("red,all"), 4u);
  EXPECT_EQ(count("red,i"), 4u);
  SearchCall call;
  call.indices = "blue";
  const auto found = engine_->Search(call);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_NE(found->json.find(R"("total":{"value":1,)"), std::string::npos) << found->json;
}

TEST_F(EngineDocumentTest, MultiGetReadsBothForms) {
  GetRequest defaults;
  defaults.index = "i";
  const auto requests = ParseMultiGet(
      Json(R"({"docs":[{"_id":1,"_source":["a"]},{"_index":"j","_id":"2","routing":"r"}],"ids":["3"]})"), defaults);
  ASSERT_TRUE(requests.ok()) << requests.status().ToString();
  ASSERT_EQ(requests->size(), 3u);
  EXPECT_EQ((*requests)[0].id, "1");
  EXPECT_EQ((*requests)[0].source.includes, std::vector<std::string>{"a"});
  EXPECT_EQ((*requests)[1].index, "j");
  EXPECT_EQ((*requests)[2].id, "3");
  const auto error = [&](std::string_view text) { return ParseMultiGet(Json(text), defaults).status().message(); };
  EXPECT_EQ(error("{}"), "Validation Failed: 1: no documents to get;");
  EXPECT_EQ(error(R"({"docs":[{"_index":"i"}]})"), "Validation Failed: 1: id is missing for doc 0;");
  EXPECT_EQ(error(R"({"docs":[3]})"), "docs array element should include an object");
  EXPECT_EQ(error(R"({"docs":[{"_id":"1","nosuch":1}]})"), "failed to parse multi get request. unknown field [nosuch]");
  EXPECT_EQ(error(R"({"nosuch":[]})"), "unknown key [nosuch] for a START_ARRAY, expected [docs] or [ids]");
  EXPECT_EQ(error(R"({"docs":[{"_id":"u","_source":3}]})"), "illegal type for _source: [VALUE_NUMBER]");
  EXPECT_EQ(error(R"({"ids":["1",null]})"), "ids array element should only contain ids");
}

}  // namespace
}  // namespace tiercel::engine
