// Expected answers are Elasticsearch 9.2's for the same documents and requests.
#include <gtest/gtest.h>

#include "tiercel/search/search_fixture.h"

namespace tiercel::search {
namespace {

constexpr std::string_view kProperties = R"({
  "id":{"type":"long"},"title":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":24}}},"tag":{"type":"keyword"},
  "count":{"type":"long"},"price":{"type":"double"},"fl":{"type":"float"},"hf":{"type":"half_float"},"sh":{"type":"short"},
  "when":{"type":"date"},"flag":{"type":"boolean"},"addr":{"type":"ip"},
  "obj":{"properties":{"kind":{"type":"keyword"},"size":{"type":"integer"}}}})";

const std::vector<std::pair<std::string, std::string>> kDocs = {
    {"1", R"({"id":1,"title":"alpha bravo","tag":["red","blue"],"count":[5,-2],"price":1.5,"fl":0.1,"hf":0.1,"sh":3,)"
          R"("when":"2020-01-02","flag":true,"addr":"10.0.0.1","obj":{"kind":"a","size":3}})"},
    {"2",
     R"({"id":2,"title":"alpha","tag":"green","count":7,"price":[2.5,-1.5,10],"fl":16777216.5,"hf":65504,"sh":[1,2],)"
     R"("when":["2010-05-06T01:02:03.456Z",1200000000000],"flag":[true,false],"addr":["2001:db8::1","192.168.1.7"],)"
     R"("obj":{"kind":"b"}})"},
    {"3", R"({"id":3,"title":"a title that is much too long for the raw keyword","flag":false})"},
    {"4", R"({"id":4,"title":"charlie","tag":["z"],"count":9223372036854775807,"price":-0.0,"fl":1e10,"when":-1})"}};

// The same documents in one segment, in two segments of one shard, and in two shards.
class ExecuteTest : public testing::TestWithParam<int> {
 protected:
  ExecuteTest() {
    if (GetParam() == 0) {
      index_.AddSegment(kDocs);
    } else {
      index_.AddSegment({kDocs[0], kDocs[1]});
      if (GetParam() == 2) index_.NextShard();
      index_.AddSegment({kDocs[2], kDocs[3]});
    }
    searcher_.targets().push_back(index_.Target());
  }
  // "id[sort values] …" of a sort.
  std::string Sorted(const std::string& sort, const std::string& more = "") const {
    const std::string hits = searcher_.Hits(R"({"_source":false,"sort":[)" + sort + "]" + more + "}");
    const Result<json::Document> document = json::Document::Parse(hits);
    std::string text;
    if (!document.ok()) return text;
    for (const json::Value hit : document->root()["hits"].elements()) {
      text += (text.empty() ? "" : " ") + std::string(hit["_id"].as_string()) + std::string(hit["sort"].raw());
    }
    return text;
  }

  TestIndex index_{kProperties};
  Searcher searcher_{{}};
};
INSTANTIATE_TEST_SUITE_P(Layouts, ExecuteTest, testing::Values(0, 1, 2));

TEST_P(ExecuteTest, AnswersInElasticsearchsShape) {
  const Result<std::string> response = searcher_.Run(R"({"_source":["id"],"size":2})");
  ASSERT_TRUE(response.ok()) << response.status().ToString();
  const std::string shards = GetParam() == 2 ? "2" : "1";
  EXPECT_EQ(*response,
            R"({"took":0,"timed_out":false,"_shards":{"total":)" + shards + R"(,"successful":)" + shards +
                R"(,"skipped":0,"failed":0},"hits":{"total":{"value":4,"relation":"eq"},"max_score":1.0,"hits":[)"
                R"({"_index":"index","_id":"1","_score":1.0,"_source":{"id":1}},)"
                R"({"_index":"index","_id":"2","_score":1.0,"_source":{"id":2}}]}})");
}

TEST_P(ExecuteTest, MetadataComesWhereAskedFor) {
  EXPECT_EQ(
      searcher_.Hits(R"({"query":{"term":{"id":3}},"version":true,"seq_no_primary_term":true,"_source":false})"),
      R"({"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"3","_version":1,"_seq_no":2,)"
      R"("_primary_term":1,"_score":1.0,"_ignored":["title.raw"]}]})");
  EXPECT_EQ(searcher_.Hits(R"({"query":{"term":{"id":1}},"stored_fields":"_none_"})"),
            R"({"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_score":1.0}]})");
}

TEST_P(ExecuteTest, SortsLongs) {
  EXPECT_EQ(Sorted(R"("count")"), "1[-2] 2[7] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"count":"desc"})"), "4[9223372036854775807] 2[7] 1[5] 3[-9223372036854775808]");
  EXPECT_EQ(Sorted(R"({"count":{"mode":"avg"}})"), "1[2] 2[7] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"count":{"mode":"sum"}})"), "1[3] 2[7] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"count":{"mode":"median"}})"), "1[2] 2[7] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"count":{"order":"desc","missing":"_first"}})"),
            "3[9223372036854775807] 4[9223372036854775807] 2[7] 1[5]");
  EXPECT_EQ(Sorted(R"({"count":{"missing":6.7}})"), "1[-2] 3[6] 2[7] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"count":{"numeric_type":"double"}})"),
            R"(1[-2.0] 2[7.0] 4[9.223372036854776E18] 3["Infinity"])");
  EXPECT_EQ(Sorted(R"("sh")"), "2[1] 1[3] 3[2147483647] 4[2147483647]");
  EXPECT_EQ(Sorted(R"({"obj.size":{"missing":"_first"}})"), "2[-2147483648] 3[-2147483648] 4[-2147483648] 1[3]");
}

TEST_P(ExecuteTest, SortsReals) {
  EXPECT_EQ(Sorted(R"("price")"), R"(2[-1.5] 4[-0.0] 1[1.5] 3["Infinity"])");
  EXPECT_EQ(Sorted(R"({"price":{"mode":"median"}})"), R"(4[-0.0] 1[1.5] 2[2.5] 3["Infinity"])");
  EXPECT_EQ(Sorted(R"({"price":{"order":"desc","missing":"_first"}})"), R"(3["Infinity"] 2[10.0] 1[1.5] 4[-0.0])");
  EXPECT_EQ(Sorted(R"("fl")"), R"(1[0.1] 2[1.6777216E7] 4[1.0E10] 3["Infinity"])");
  EXPECT_EQ(Sorted(R"("hf")"), R"(1[0.099975586] 2[65504.0] 3["Infinity"] 4["Infinity"])");
  EXPECT_EQ(Sorted(R"({"hf":{"missing":1}})"), "1[0.099975586] 3[1.0] 4[1.0] 2[65504.0]");
}

TEST_P(ExecuteTest, SortsDatesBooleansAndAddresses) {
  EXPECT_EQ(Sorted(R"("when")"), "4[-1] 2[1200000000000] 1[1577923200000] 3[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"when":{"order":"desc","mode":"min"}})"),
            "1[1577923200000] 2[1200000000000] 4[-1] 3[-9223372036854775808]");
  EXPECT_EQ(Sorted(R"({"when":{"format":"yyyy-MM-dd"}})"),
            R"(4["1969-12-31"] 2["2008-01-10"] 1["2020-01-02"] 3["+292278994-08-17"])");
  EXPECT_EQ(Sorted(R"("flag")"), "2[0] 3[0] 1[1] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"flag":{"order":"desc","missing":"_first"}})"), "4[9223372036854775807] 1[1] 2[1] 3[0]");
  EXPECT_EQ(Sorted(R"("addr")"), R"(1["10.0.0.1"] 2["192.168.1.7"] 3[null] 4[null])");
  EXPECT_EQ(Sorted(R"({"addr":{"order":"desc","missing":"_first"}})"),
            R"(3[null] 4[null] 2["2001:db8::1"] 1["10.0.0.1"])");
}

TEST_P(ExecuteTest, SortsKeywordsByTermAcrossSegments) {
  EXPECT_EQ(Sorted(R"("tag")"), R"(1["blue"] 2["green"] 4["z"] 3[null])");
  EXPECT_EQ(Sorted(R"({"tag":"desc"})"), R"(4["z"] 1["red"] 2["green"] 3[null])");
  EXPECT_EQ(Sorted(R"({"tag":{"mode":"max"}})"), R"(2["green"] 1["red"] 4["z"] 3[null])");
  EXPECT_EQ(Sorted(R"({"tag":{"missing":"_first"}})"), R"(3[null] 1["blue"] 2["green"] 4["z"])");
  EXPECT_EQ(Sorted(R"({"tag":{"missing":"m"}})"), R"(1["blue"] 2["green"] 3["m"] 4["z"])");
  EXPECT_EQ(Sorted(R"({"tag":{"missing":"z","order":"desc"}})"), R"(3["z"] 4["z"] 1["red"] 2["green"])");
  EXPECT_EQ(Sorted(R"("title.raw")"), R"(2["alpha"] 1["alpha bravo"] 4["charlie"] 3[null])");
}

TEST_P(ExecuteTest, SortsByScoreDocumentAndUnmapped) {
  EXPECT_EQ(Sorted(R"("_score","id")"), "1[1.0,1] 2[1.0,2] 3[1.0,3] 4[1.0,4]");
  EXPECT_EQ(Sorted(R"({"_score":"asc"},{"id":"desc"})"), "4[1.0,4] 3[1.0,3] 2[1.0,2] 1[1.0,1]");
  EXPECT_EQ(Sorted(R"({"nosuch":{"unmapped_type":"long"}})"),
            "1[9223372036854775807] 2[9223372036854775807] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(Sorted(R"({"nosuch":{"unmapped_type":"keyword","missing":"_first"}},"id")"),
            "1[null,1] 2[null,2] 3[null,3] 4[null,4]");
  EXPECT_EQ(Sorted(R"("_index","id")", R"(,"size":1)"), R"(1["index",1])");
  EXPECT_EQ(Sorted(R"("_seq_no")"), "1[0] 2[1] 3[2] 4[3]");
  EXPECT_EQ(Sorted(R"({"count":"desc","id":"asc"})", R"(,"from":1,"size":2)"), "2[7,2] 1[5,1]");
}

TEST_P(ExecuteTest, SearchAfterStartsBehindTheValues) {
  const auto after = [&](const std::string& sort, const std::string& values) {
    return Sorted(sort, R"(,"search_after":[)" + values + "]");
  };
  EXPECT_EQ(after(R"("count")", "5"), "2[7] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(after(R"("count")", R"("5")"), "2[7] 3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(after(R"("count")", "7.9"), "3[9223372036854775807] 4[9223372036854775807]");
  EXPECT_EQ(after(R"({"count":{"order":"desc","missing":"_first"}})", "9223372036854775807"), "2[7] 1[5]");
  EXPECT_EQ(after(R"("tag")", R"("blue")"), R"(2["green"] 4["z"] 3[null])");
  EXPECT_EQ(after(R"("tag")", R"("h")"), R"(4["z"] 3[null])");
  EXPECT_EQ(after(R"("tag")", "null"), "");
  EXPECT_EQ(after(R"({"tag":"desc"})", R"("m")"), R"(2["green"] 3[null])");
  EXPECT_EQ(after(R"("tag")", "5"), R"(1["blue"] 2["green"] 4["z"] 3[null])");
  EXPECT_EQ(after(R"("when")", "1273107723456"), "1[1577923200000] 3[9223372036854775807]");
  EXPECT_EQ(after(R"("when")", R"("2010-05-06")"), "1[1577923200000] 3[9223372036854775807]");
  EXPECT_EQ(after(R"({"when":{"format":"yyyy-MM-dd"}})", R"("2010-05-06")"),
            R"(1["2020-01-02"] 3["+292278994-08-17"])");
  EXPECT_EQ(after(R"("addr")", R"("10.0.0.1")"), R"(2["192.168.1.7"] 3[null] 4[null])");
  EXPECT_EQ(after(R"("flag")", "true"), "4[9223372036854775807]");
  EXPECT_EQ(after(R"("flag")", R"("false")"), "1[1] 4[9223372036854775807]");
  EXPECT_EQ(after(R"("price")", "0.5"), R"(1[1.5] 3["Infinity"])");
  EXPECT_EQ(after(R"("_score","id")", "1.0,2"), "3[1.0,3] 4[1.0,4]");
}

TEST_P(ExecuteTest, ScoresShowWithASortOnlyWhenTracked) {
  EXPECT_EQ(
      searcher_.Hits(R"({"_source":false,"size":1,"sort":"count"})"),
      R"({"total":{"value":4,"relation":"eq"},"max_score":null,"hits":[{"_index":"index","_id":"1","_score":null,"sort":[-2]}]})");
  EXPECT_EQ(
      searcher_.Hits(R"({"_source":false,"size":1,"sort":"count","track_scores":true})"),
      R"({"total":{"value":4,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"1","_score":1.0,"sort":[-2]}]})");
  EXPECT_EQ(
      searcher_.Hits(R"({"_source":false,"size":1,"sort":["_score"]})"),
      R"({"total":{"value":4,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"1","_score":1.0}]})");
}

TEST_P(ExecuteTest, SortErrorsComeFromTheShard) {
  const auto error = [&](const std::string& sort) { return searcher_.Error(R"({"sort":[)" + sort + "]}"); };
  constexpr const char* kShard = "search_phase_execution_exception: all shards failed <- ";
  EXPECT_EQ(error(R"("nosuch")"),
            std::string(kShard) + "query_shard_exception: No mapping found for [nosuch] in order to sort on");
  EXPECT_EQ(error(R"("obj")"),
            std::string(kShard) + "query_shard_exception: No mapping found for [obj] in order to sort on");
  EXPECT_TRUE(error(R"("title")")
                  .starts_with(std::string(kShard) +
                               "illegal_argument_exception: Fielddata is disabled on [title] in [index]. Text"));
  EXPECT_EQ(error(R"({"tag":{"mode":"sum"}})"),
            std::string(kShard) + "query_shard_exception: we only support AVG, MEDIAN and SUM on number based fields");
  EXPECT_EQ(error(R"({"count":{"missing":"abc"}})"),
            std::string(kShard) + R"(number_format_exception: For input string: "abc")");
  EXPECT_EQ(error(R"({"nosuch":{"unmapped_type":"xx"}})"),
            std::string(kShard) + "illegal_argument_exception: No mapper found for type [xx]");
  EXPECT_EQ(searcher_.Error(R"({"search_after":[1]})"),
            std::string(kShard) + "illegal_argument_exception: Sort must contain at least one field.");
  EXPECT_EQ(searcher_.Error(R"({"search_after":[1,2],"sort":["count"]})"),
            std::string(kShard) + "illegal_argument_exception: search_after has 2 value(s) but sort has 1.");
  EXPECT_EQ(searcher_.Error(R"({"search_after":["abc"],"sort":["count"]})"),
            std::string(kShard) +
                "illegal_argument_exception: Failed to parse search_after value for field [count]."
                R"( <- number_format_exception: For input string: "abc")");
  EXPECT_TRUE(
      searcher_.Error(R"({"from":9999,"size":10})")
          .starts_with(std::string(kShard) +
                       "illegal_argument_exception: Result window is too large, from + size must be less than or "
                       "equal to: [10000] but was [10009]."));
}

TEST_P(ExecuteTest, CountsUpToTheLimit) {
  const auto total = [&](const char* limit) {
    const std::string hits =
        searcher_.Hits(std::string(R"({"size":1,"_source":false,"track_total_hits":)") + limit + "}");
    return hits.substr(0, hits.find(",\"max_score\""));
  };
  EXPECT_EQ(total("2"), R"({"total":{"value":2,"relation":"gte"})");
  EXPECT_EQ(total("4"), R"({"total":{"value":4,"relation":"eq"})");
  EXPECT_EQ(total("true"), R"({"total":{"value":4,"relation":"eq"})");
  EXPECT_EQ(total("0"), R"({"total":{"value":0,"relation":"gte"})");
  EXPECT_EQ(searcher_.Hits(R"({"size":0,"track_total_hits":false})"), R"({"max_score":null,"hits":[]})");
  EXPECT_EQ(searcher_.Hits(R"({"size":0})", {{"rest_total_hits_as_int", "true"}}),
            R"({"total":4,"max_score":null,"hits":[]})");
  EXPECT_EQ(searcher_.Hits(R"({"from":10,"sort":"id"})"),
            R"({"total":{"value":4,"relation":"eq"},"max_score":null,"hits":[]})");
  EXPECT_EQ(searcher_.Hits(R"({"from":10})"), R"({"total":{"value":4,"relation":"eq"},"max_score":1.0,"hits":[]})");
}

TEST_P(ExecuteTest, DeletedDocumentsAreNeitherFoundNorCounted) {
  index_.Delete("2");
  index_.Delete("4");
  searcher_.targets() = {index_.Target()};
  EXPECT_EQ(searcher_.Ids(R"({"sort":"id"})"), "1 3");
  EXPECT_EQ(searcher_.Hits(R"({"size":0,"track_total_hits":true})"),
            R"({"total":{"value":2,"relation":"eq"},"max_score":null,"hits":[]})");
  EXPECT_EQ(searcher_.Ids(R"({"query":{"match":{"title":"alpha"}}})"), "1");
}

TEST_P(ExecuteTest, MinScoreAndPostFilter) {
  EXPECT_EQ(searcher_.Hits(R"({"min_score":2})"),
            R"({"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]})");
  EXPECT_EQ(searcher_.Ids(R"({"min_score":1,"sort":"id"})"), "1 2 3 4");
  EXPECT_EQ(
      searcher_.Hits(
          R"({"post_filter":{"term":{"id":4}},"_source":false,"aggs":{"a":{"value_count":{"field":"id"}}}})"),
      R"({"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"4","_score":1.0}]})");
  const Result<std::string> response =
      searcher_.Run(R"({"size":0,"post_filter":{"term":{"id":4}},"aggs":{"a":{"value_count":{"field":"id"}}}})");
  ASSERT_TRUE(response.ok());
  EXPECT_NE(response->find(R"("aggregations":{"a":{"value":4}})"), std::string::npos) << *response;
}

TEST_P(ExecuteTest, NamesOfMatchedClauses) {
  EXPECT_EQ(
      searcher_.Hits(R"({"_source":false,"query":{"bool":{"should":[{"term":{"id":{"value":1,"_name":"x"}}},)"
                     R"({"term":{"id":{"value":4,"_name":"y"}}}]}}})"),
      R"({"total":{"value":2,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"1","_score":1.0,"matched_queries":["x"]},)"
      R"({"_index":"index","_id":"4","_score":1.0,"matched_queries":["y"]}]})");
}

TEST_P(ExecuteTest, DocvalueFields) {
  EXPECT_EQ(
      searcher_.Hits(
          R"({"query":{"term":{"id":1}},"_source":false,"docvalue_fields":["count",{"field":"when","format":"yyyy-MM-dd"},)"
          R"("tag","flag","addr","price","fl","hf","nosuch","obj.*","title.raw"]})"),
      R"({"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"1","_score":1.0,"fields":{"count":[-2,5],)"
      R"("when":["2020-01-02"],"tag":["blue","red"],"flag":[true],"addr":["10.0.0.1"],"price":[1.5],"fl":[0.10000000149011612],)"
      R"("hf":[0.0999755859375],"obj.kind":["a"],"obj.size":[3],"title.raw":["alpha bravo"]}}]})");
  EXPECT_EQ(searcher_.Hits(R"({"query":{"term":{"id":3}},"_source":false,"docvalue_fields":["c*"]})"),
            R"({"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[)"
            R"({"_index":"index","_id":"3","_score":1.0,"_ignored":["title.raw"]}]})");
  EXPECT_TRUE(searcher_.Error(R"({"docvalue_fields":["title"]})").find("Fielddata is disabled on [title]") !=
              std::string::npos);
  EXPECT_TRUE(searcher_.Error(R"({"docvalue_fields":[{"field":"tag","format":"x"}]})")
                  .ends_with("Field [tag] of type [keyword] does not support custom formats"));
}

TEST_P(ExecuteTest, FieldsFromTheSource) {
  EXPECT_EQ(
      searcher_.Hits(R"({"query":{"term":{"id":2}},"_source":false,"fields":["tag","obj.*","when",)"
                     R"("price","title","title.raw","nosuch","addr","flag"]})"),
      R"({"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"2","_score":1.0,"fields":{"tag":["green"],)"
      R"("obj.kind":["b"],"when":["2010-05-06T01:02:03.456Z","2008-01-10T21:20:00.000Z"],"price":[2.5,-1.5,10.0],"title":["alpha"],)"
      R"("title.raw":["alpha"],"addr":["2001:db8::1","192.168.1.7"],"flag":[true,false]}}]})");
}

TEST_P(ExecuteTest, TerminateAfterStopsEachShard) {
  const Result<std::string> response = searcher_.Run(R"({"terminate_after":1,"_source":false,"sort":"id"})");
  ASSERT_TRUE(response.ok());
  EXPECT_NE(response->find(R"("terminated_early":true)"), std::string::npos) << *response;
  EXPECT_NE(response->find(GetParam() == 2 ? R"("value":2,)" : R"("value":1,)"), std::string::npos) << *response;
}

TEST_P(ExecuteTest, ADeadlineGivesWhatThereIsAndACancellationNothing) {
  runtime::Cancellation late(searcher_.clock(), searcher_.clock().MonotonicNs());
  searcher_.cancellation = &late;
  const Result<std::string> response = searcher_.Run("{}");
  ASSERT_TRUE(response.ok()) << response.status().ToString();
  EXPECT_NE(response->find(R"("timed_out":true)"), std::string::npos);
  late.Cancel();
  EXPECT_EQ(searcher_.Run("{}").status().code(), Code::kCancelled);
}

TEST(ExecuteTargetsTest, NoIndexAtAllIsAnEmptyAnswer) {
  const Searcher searcher{{}};
  EXPECT_EQ(*searcher.Run(R"({"aggs":{"a":{"max":{"field":"x"}}}})"),
            R"({"took":0,"timed_out":false,"_shards":{"total":0,"successful":0,"skipped":0,"failed":0},)"
            R"("hits":{"total":{"value":0,"relation":"eq"},"max_score":0.0,"hits":[]}})");
}

TEST(ExecuteTargetsTest, AnIndexThatCannotAnswerLeavesTheOthersAnswersStanding) {
  TestIndex a(R"({"n":{"type":"long"}})", "a"), b(R"({"m":{"type":"long"}})", "b"), c(R"({"n":{"type":"long"}})", "c");
  a.AddSegment({{"1", R"({"n":1})"}});
  b.AddSegment({{"2", R"({"m":4})"}});
  b.NextShard();
  c.AddSegment({{"3", R"({"n":0})"}});
  const Searcher searcher({a.Target(), b.Target(), c.Target()});
  EXPECT_EQ(searcher.Ids(R"({"sort":"n"})"), "3 1");
  const Result<std::string> response = searcher.Run(R"({"sort":"n"})");
  ASSERT_TRUE(response.ok());
  EXPECT_NE(
      response->find(R"("_shards":{"total":4,"successful":2,"skipped":0,"failed":2,"failures":[{"shard":0,"index":"b",)"
                     R"("reason":{"type":"query_shard_exception",)"
                     R"("reason":"No mapping found for [n] in order to sort on","index":"b"}}]})"),
      std::string::npos)
      << *response;
  // Not when the request says that all must answer, nor when none can.
  EXPECT_EQ(
      searcher.Error(R"({"sort":"n"})", {{"allow_partial_search_results", "false"}}),
      "search_phase_execution_exception: Partial shards failure <- search_phase_execution_exception: all shards failed "
      "<- query_shard_exception: No mapping found for [n] in order to sort on");
  const Result<std::string> none = searcher.Run(R"({"sort":"nosuch"})");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().message(), "all shards failed");
  EXPECT_EQ(none.status().causes().size(), 3u);
}

TEST(ExecuteTargetsTest, UnreadableShardsAreFailures) {
  TestIndex a(R"({"n":{"type":"long"}})", "a"), b(R"({"n":{"type":"long"}})", "b");
  a.AddSegment({{"1", R"({"n":1})"}});
  b.AddSegment({{"2", R"({"n":2})"}});
  SearchTarget half = a.Target(), gone = b.Target();
  half.unreadable.push_back({1, Corruption("bad block").With("object", "x")});
  gone.shards.clear();
  gone.unreadable.push_back({0, Unavailable("no disk")});
  const Searcher some({half, gone});
  EXPECT_EQ(some.Ids("{}"), "1");
  EXPECT_NE(
      some.Run("{}")->find(R"("total":3,"successful":1,"skipped":0,"failed":2,"failures":[{"shard":1,"index":"a",)"),
      std::string::npos);
  const Searcher none({gone});
  EXPECT_EQ(none.Run("{}").status().code(), Code::kUnavailable);
  EXPECT_EQ(none.Error("{}"), "search_phase_execution_exception: all shards failed <- unavailable_exception: no disk");
}

TEST(ExecuteTargetsTest, HitsOfSeveralIndicesAreMergedInOrder) {
  TestIndex a(R"({"n":{"type":"long"}})", "a"), b(R"({"n":{"type":"long"}})", "b");
  a.AddSegment({{"1", R"({"n":1})"}, {"2", R"({"n":4})"}});
  b.AddSegment({{"3", R"({"n":2})"}, {"4", R"({"n":3})"}});
  const Searcher searcher({a.Target(), b.Target()});
  EXPECT_EQ(searcher.Ids(R"({"sort":"n"})"), "1 3 4 2");
  EXPECT_EQ(searcher.Ids("{}"), "1 2 3 4");
  EXPECT_EQ(searcher.Ids(R"({"sort":["_index",{"n":"desc"}]})"), "2 1 4 3");
}

TEST(ExecuteTargetsTest, AnAliasFilterAppliesToEverything) {
  TestIndex index(R"({"n":{"type":"long"}})");
  index.AddSegment({{"1", R"({"n":1})"}, {"2", R"({"n":2})"}, {"3", R"({"n":3})"}});
  Searcher searcher({index.Target()});
  searcher.targets()[0].alias_filter_json = R"({"range":{"n":{"gte":2}}})";
  EXPECT_EQ(searcher.Ids("{}"), "2 3");
  EXPECT_EQ(searcher.Ids(R"({"query":{"range":{"n":{"lte":2}}}})"), "2");
}

TEST(ExecuteTargetsTest, PruningNeverLosesAHit) {
  TestIndex index(R"({"t":{"type":"text"}})");
  std::vector<std::pair<std::string, std::string>> docs;
  for (int i = 0; i < 3000; ++i) {
    std::string text = "common";
    for (int j = 0; j < i % 7; ++j) text += " common";
    for (int j = 0; j < (i * 37) % 11; ++j) text += " filler";
    docs.emplace_back(std::to_string(i), R"({"t":")" + text + (i % 500 == 3 ? " rare" : "") + R"("})");
    if (docs.size() == 1100) {
      index.AddSegment(docs);
      docs.clear();
    }
  }
  index.AddSegment(docs);
  const Searcher searcher({index.Target()});
  const std::string query = R"({"size":7,"_source":false,"query":{"match":{"t":"common rare"}},"track_total_hits":)";
  EXPECT_EQ(searcher.Ids(query + "10}", true), searcher.Ids(query + "true}", true));
  EXPECT_EQ(searcher.Ids(query + "false}", true), searcher.Ids(query + "true}", true));
}

}  // namespace
}  // namespace tiercel::search
