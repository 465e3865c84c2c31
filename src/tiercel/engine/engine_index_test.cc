// Indices, names, settings, mappings and aliases, and what of them survives a crash.
#include <gtest/gtest.h>

#include "tiercel/engine/engine_fixture_test.h"
#include "tiercel/engine/metadata_store.h"

namespace tiercel::engine {
namespace {

class EngineIndexTest : public EngineFixture {};

TEST_F(EngineIndexTest, CreatesAndDeletes) {
  ASSERT_TRUE(
      Create(
          "books",
          R"({"settings":{"number_of_shards":2},"mappings":{"properties":{"a":{"type":"long"}}},"aliases":{"b":{}}})")
          .ok());
  EXPECT_EQ(Metadata("books")->settings.number_of_shards(), 2u);
  EXPECT_TRUE(Metadata("books")->mapping->Find("a") != nullptr);
  EXPECT_EQ(Names("b"), "books");
  const Status again = Create("books");
  EXPECT_EQ(again.type(), "resource_already_exists_exception");
  EXPECT_EQ(again.message(), "index [books/" + Metadata("books")->uuid + "] already exists");
  EXPECT_EQ(Create("b").message(), "Invalid index name [b], already exists as alias");
  EXPECT_EQ(engine_->DeleteIndices("b", {}).message(),
            "The provided expression [b] matches an alias, specify the corresponding concrete indices instead.");
  ASSERT_TRUE(engine_->DeleteIndices("books", {}).ok());
  EXPECT_FALSE(engine_->Exists("books", {}));
  EXPECT_TRUE(store_.List("")->empty()) << "nothing of the index stays behind";
  EXPECT_EQ(engine_->DeleteIndices("books", {}).message(), "no such index [books]");
}

TEST_F(EngineIndexTest, RefusesBadCreateBodies) {
  EXPECT_EQ(Create("x", R"({"nosuch":{}})").message(), "unknown key [nosuch] for create index");
  EXPECT_EQ(Create("x", R"({"mappings":[]})").message(), "key [mappings] must be an object");
  EXPECT_EQ(Create("x", R"({"aliases":{"x":{}}})").message(), "alias name [x] self-conflicts with index name");
  EXPECT_EQ(Create("x", R"({"aliases":{"y":{"filter":{"nosuch":{}}}}})").message(),
            "failed to parse filter for alias [y]");
  EXPECT_EQ(Create("UPPER").type(), "invalid_index_name_exception");
  EXPECT_FALSE(Create("x", R"({"mappings":{"properties":{"a":{"type":"nosuch"}}}})").ok());
  EXPECT_TRUE(store_.List("")->empty());
  EXPECT_TRUE(Create("x", "[]").ok()) << "a body without keys is no body";
}

TEST_F(EngineIndexTest, ResolvesExpressions) {
  for (const char* name : {"a1", "a2", "b1", ".dot"}) ASSERT_TRUE(Create(name).ok());
  ASSERT_TRUE(Create("hid", R"({"settings":{"hidden":true}})").ok());
  ASSERT_TRUE(
      engine_
          ->UpdateAliases(
              ParseAliasActions(Json(R"({"actions":[{"add":{"indices":["a1","b1"],"alias":"both"}}]})")).value())
          .ok());
  EXPECT_EQ(Names(""), ".dot,a1,a2,b1");
  EXPECT_EQ(Names("_all"), ".dot,a1,a2,b1");
  EXPECT_EQ(Names("b1,a*"), "a1,a2,b1");
  EXPECT_EQ(Names("a*,-a1"), "a2");
  EXPECT_EQ(Names("both"), "a1,b1");
  EXPECT_EQ(Names("bo*"), "a1,b1");
  EXPECT_EQ(Names("hid"), "hid");
  EXPECT_EQ(Names("z*"), "");
  EXPECT_EQ(Names("a1,nosuch"), "no such index [nosuch]");
  EXPECT_EQ(Names("-a1"),
            "no such index [-a1] and if you intended to exclude this index, ensure that you use wildcards that include "
            "it before explicitly excluding it");
  EXPECT_EQ(Names("_x"), "Invalid index name [_x], must not start with '_'.");
  IndicesOptions options;
  options.ignore_unavailable = true;
  EXPECT_EQ(Names("a1,nosuch", options), "a1");
  options = {};
  options.allow_no_indices = false;
  EXPECT_EQ(Names("z*", options), "no such index [z*]");
  options = {};
  ASSERT_TRUE(ParseExpandWildcards("all", options).ok());
  EXPECT_EQ(Names("*", options), ".dot,a1,a2,b1,hid");
  ASSERT_TRUE(ParseExpandWildcards("none", options).ok());
  EXPECT_EQ(Names("a*", options), "no such index [a*]");
  EXPECT_EQ(ParseExpandWildcards("foo", options).message(), "No valid expand wildcard value [foo]");
  EXPECT_TRUE(engine_->Exists("z*", {}));
  EXPECT_FALSE(engine_->Exists("z", {}));
}

TEST_F(EngineIndexTest, ClosesAndOpens) {
  ASSERT_TRUE(Put("i", "1", R"({"a":1})").ok());
  ASSERT_TRUE(engine_->CloseIndices("i", {}).ok());
  EXPECT_EQ(Put("i", "1", R"({"a":1})").status().type(), "index_closed_exception");
  EXPECT_EQ(Source("i", "1"), "closed");
  EXPECT_EQ(Names("*"), "");
  EXPECT_TRUE(engine_->UpdateSettings("i", {}, Json(R"({"index.codec":"best_compression"})")).ok());
  CrashAndRestart();
  EXPECT_EQ(Source("i", "1"), "closed");
  ASSERT_TRUE(engine_->OpenIndices("i", {}).ok());
  EXPECT_EQ(Source("i", "1"), R"({"a":1})");
}

TEST_F(EngineIndexTest, CloseLeavesNoLogToReplay) {
  ASSERT_TRUE(Put("i", "1", R"({"a":1})").ok());
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  Start();
  EXPECT_EQ(Source("i", "1"), R"({"a":1})");
  const auto stats = engine_->Stats("i", {});
  EXPECT_EQ(stats->front().shards.front().segments, 1u);
  EXPECT_GT(stats->front().shards.front().store_bytes, 0u);
}

TEST_F(EngineIndexTest, ShowsSettingsAsElasticsearchDoes) {
  ASSERT_TRUE(Create("i", R"({"settings":{"refresh_interval":"5s"}})").ok());
  std::string text;
  json::Writer writer(text);
  WriteSettings(Metadata("i")->ShownSettings(), false, writer);
  EXPECT_EQ(text, R"({"index":{"creation_date":"1700000000000","number_of_replicas":"1",)"
                  R"("number_of_shards":"1","provided_name":"i","refresh_interval":"5s",)"
                  R"("routing":{"allocation":{"include":{"_tier_preference":"data_content"}}},"uuid":")" +
                      Metadata("i")->uuid + R"(","version":{"created":"8536000"}}})");
}

TEST_F(EngineIndexTest, UpdatesAliasesTogether) {
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  const auto update = [&](std::string_view text) {
    return engine_->UpdateAliases(ParseAliasActions(Json(text)).value());
  };
  ASSERT_TRUE(update(R"({"actions":[{"add":{"indices":["a","b"],"aliases":["x","y"]}}]})").ok());
  const auto mixed =
      update(R"({"actions":[{"add":{"index":"a","alias":"z"}},{"remove":{"index":"b","alias":"nosuch"}}]})");
  ASSERT_TRUE(mixed.ok());
  EXPECT_TRUE(mixed->errors());
  EXPECT_EQ(mixed->statuses[1].message(), "aliases [nosuch] missing");
  EXPECT_EQ(update(R"({"actions":[{"remove":{"index":"a","alias":"nosuch"}}]})").status().type(),
            "aliases_not_found_exception");
  EXPECT_EQ(update(R"({"actions":[{"add":{"index":"nosuch","alias":"x"}}]})").status().message(),
            "no such index [nosuch]");
  EXPECT_EQ(update(R"({"actions":[{"add":{"index":"a","alias":"b"}}]})").status().message(),
            "Invalid alias name [b]: an index or data stream exists with the same name as the alias");
  EXPECT_EQ(
      update(R"({"actions":[{"add":{"indices":["a","b"],"alias":"w","is_write_index":true}}]})").status().message(),
      "alias [w] has more than one write index [a,b]");
  EXPECT_EQ(Names("w"), "no such index [w]") << "a refused request changes nothing";
  std::vector<std::string> missing;
  const auto found = engine_->GetAliases("", "x,nosuch", {}, &missing);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 2u);
  EXPECT_EQ(missing, std::vector<std::string>{"nosuch"});
  const auto both = update(R"({"actions":[{"add":{"index":"a","alias":"q"}},{"remove":{"index":"a","alias":"q"}}]})");
  ASSERT_TRUE(both.ok());
  EXPECT_TRUE(both->errors()) << "removals look at what was there before the request";
  EXPECT_EQ(Names("q"), "a");
  CrashAndRestart();
  EXPECT_EQ(Names("x"), "a,b");
  ASSERT_TRUE(update(R"({"actions":[{"remove_index":{"index":"a"}}]})").ok());
  EXPECT_EQ(Names("x"), "b");
}

// Invariants E1 and E3: an index whose deletion was interrupted is gone, and its objects go at the next start.
TEST_F(EngineIndexTest, FinishesAnInterruptedDeletion) {
  ASSERT_TRUE(Put("i", "1", R"({"a":1})").ok());
  faults_.Add({.on = store::FaultPoint::kDelete, .kind = store::FaultKind::kIoError, .count = 1000});
  ASSERT_TRUE(engine_->DeleteIndices("i", {}).ok());
  EXPECT_FALSE(engine_->Exists("i", {}));
  EXPECT_FALSE(store_.List("")->empty());
  CrashAndRestart();
  EXPECT_FALSE(engine_->Exists("i", {}));
  EXPECT_TRUE(store_.List("")->empty());
}

TEST_F(EngineIndexTest, ADeletionThatCouldNotBeMadeDurableDidNotHappen) {
  ASSERT_TRUE(Put("i", "1", R"({"a":1})").ok());
  faults_.Add({.on = store::FaultPoint::kPut, .kind = store::FaultKind::kIoError, .name_contains = "tombstone"});
  EXPECT_EQ(engine_->DeleteIndices("i", {}).code(), Code::kUnavailable);
  EXPECT_EQ(Source("i", "1"), R"({"a":1})");
}

// Invariant E2, and one bad index does not keep the others from working.
TEST_F(EngineIndexTest, UnreadableMetadataIsReportedAndNotSkipped) {
  ASSERT_TRUE(Put("good", "1", R"({"a":1})").ok());
  ASSERT_TRUE(Create("bad").ok());
  const std::string uuid = Metadata("bad")->uuid;
  const std::string object = store_.List(IndexPrefix(uuid) + "/meta/")->back().name;
  ASSERT_TRUE(store_.FlipBit(object, 20, 1));
  CrashAndRestart();
  ASSERT_EQ(engine_->recovery_problems().size(), 1u);
  EXPECT_EQ(engine_->recovery_problems()[0].code(), Code::kCorruption);
  EXPECT_NE(engine_->recovery_problems()[0].message().find(object), std::string::npos);
  EXPECT_EQ(Source("good", "1"), R"({"a":1})");
  EXPECT_FALSE(store_.List(IndexPrefix(uuid))->empty()) << "what cannot be read is left for repair";
}

TEST_F(EngineIndexTest, AMetadataChangeWithUnknownOutcomeDoesNotBlockTheNext) {
  ASSERT_TRUE(Create("i").ok());
  faults_.Add({.on = store::FaultPoint::kPut, .kind = store::FaultKind::kLateError, .name_contains = "/meta/"});
  EXPECT_EQ(engine_->UpdateSettings("i", {}, Json(R"({"refresh_interval":"7s"})")).code(), Code::kUnavailable);
  EXPECT_TRUE(engine_->UpdateSettings("i", {}, Json(R"({"refresh_interval":"9s"})")).ok());
  CrashAndRestart();
  EXPECT_EQ(Metadata("i")->settings.shard_settings().refresh_interval_ms, 9000);
}

TEST_F(EngineIndexTest, NoDamagedByteOfMetadataPasses) {
  ASSERT_TRUE(Create("i",
                     R"({"settings":{"priority":3},"aliases":{"x":{"filter":{"term":{"a":1}},"is_write_index":true}},)"
                     R"("mappings":{"properties":{"a":{"type":"long"}}}})")
                  .ok());
  const Bytes good = Encode(*Metadata("i"));
  const auto decoded = DecodeIndexMetadata(good, "o");
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->aliases, Metadata("i")->aliases);
  EXPECT_EQ(decoded->settings.values(), Metadata("i")->settings.values());
  EXPECT_EQ(decoded->mapping->ToJson(), Metadata("i")->mapping->ToJson());
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= 0x20;
    EXPECT_EQ(DecodeIndexMetadata(bad, "o").status().code(), Code::kCorruption) << i;
    EXPECT_FALSE(DecodeIndexMetadata(ByteSpan(good).first(i), "o").ok()) << i;
  }
}

}  // namespace
}  // namespace tiercel::engine
