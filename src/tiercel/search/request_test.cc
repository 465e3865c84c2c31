// Errors are Elasticsearch 9.2's for the same bodies, except where the comment says otherwise.
#include "tiercel/search/request.h"

#include <gtest/gtest.h>

#include "tiercel/search/search_fixture.h"

namespace tiercel::search {
namespace {

std::string Error(std::string_view body, const UrlParameters& url = {}) { return Searcher({}).Error(body, url); }

// Keeps the body's document alive beside the request that borrows it.
struct Parsed {
  json::Document document;
  std::shared_ptr<const SearchRequest> request;
  const SearchRequest* operator->() const { return request.get(); }
};
Parsed Parse(std::string_view body, const UrlParameters& url = {}) {
  Result<json::Document> document = json::Document::ParseOwned(std::string(body));
  EXPECT_TRUE(document.ok());
  Result<std::shared_ptr<const SearchRequest>> request = ParseSearchRequest(document->root(), url);
  EXPECT_TRUE(request.ok()) << request.status().ToString();
  return {std::move(document).value(), request.ok() ? *request : std::make_shared<SearchRequest>()};
}

TEST(RequestTest, UnknownKeysAreNamedWithTheirToken) {
  const auto unknown = [](const char* token) {
    return "parsing_exception: Unknown key for a " + std::string(token) + " in [nosuch].";
  };
  EXPECT_EQ(Error(R"({"nosuch":1})"), unknown("VALUE_NUMBER"));
  EXPECT_EQ(Error(R"({"nosuch":{}})"), unknown("START_OBJECT"));
  EXPECT_EQ(Error(R"({"nosuch":[]})"), unknown("START_ARRAY"));
  EXPECT_EQ(Error(R"({"nosuch":"x"})"), unknown("VALUE_STRING"));
  EXPECT_EQ(Error(R"({"nosuch":true})"), unknown("VALUE_BOOLEAN"));
  EXPECT_EQ(Error(R"({"nosuch":null})"), unknown("VALUE_NULL"));
  for (const char* key : {"size",          "from",     "min_score",       "track_total_hits",
                          "version",       "timeout",  "query",           "post_filter",
                          "aggs",          "knn",      "retriever",       "sort",
                          "search_after",  "_source",  "docvalue_fields", "fields",
                          "stored_fields", "collapse", "highlight",       "suggest"}) {
    EXPECT_EQ(Error(std::string(R"({")") + key + R"(":null})"),
              std::string("parsing_exception: Unknown key for a VALUE_NULL in [") + key + "].");
  }
  EXPECT_EQ(Error(R"({"size":{}})"), "parsing_exception: Unknown key for a START_OBJECT in [size].");
  EXPECT_EQ(Error(R"({"query":[]})"), "parsing_exception: Unknown key for a START_ARRAY in [query].");
  EXPECT_EQ(Error(R"({"aggs":3})"), "parsing_exception: Unknown key for a VALUE_NUMBER in [aggs].");
  EXPECT_EQ(Error("[]"), "parsing_exception: Expected [START_OBJECT] but found [START_ARRAY]");
  EXPECT_EQ(Error("3"), "parsing_exception: Expected [START_OBJECT] but found [VALUE_NUMBER]");
}

TEST(RequestTest, NumbersAreCheckedAndMayStandInStrings) {
  EXPECT_EQ(Error(R"({"size":-1})"), "illegal_argument_exception: [size] parameter cannot be negative, found [-1]");
  EXPECT_EQ(Error(R"({"from":-3})"), "illegal_argument_exception: [from] parameter cannot be negative but was [-3]");
  EXPECT_EQ(Error(R"({"size":"abc"})"), R"(number_format_exception: For input string: "abc")");
  EXPECT_EQ(Error(R"({"min_score":"abc"})"), R"(number_format_exception: For input string: "abc")");
  EXPECT_EQ(Error(R"({"track_total_hits":-2})"),
            "illegal_argument_exception: [track_total_hits] parameter must be positive or equals to -1, got -2");
  EXPECT_EQ(Error(R"({"track_total_hits":"abc"})"), R"(number_format_exception: For input string: "abc")");
  EXPECT_EQ(Error(R"({"terminate_after":-1})"), "illegal_argument_exception: terminateAfter must be > 0");
  EXPECT_EQ(Error(R"({"timeout":"abc"})"),
            "illegal_argument_exception: failed to parse setting [timeout] with value [abc] as a time value: unit is "
            "missing or unrecognized");
  EXPECT_EQ(Parse(R"({"size":1.5})")->size, 1u);
  EXPECT_EQ(Parse(R"({"size":"7"})")->size, 7u);
  EXPECT_EQ(Parse(R"({"timeout":"1.5s"})")->timeout_ms, 1500);
  EXPECT_EQ(Parse(R"({"track_total_hits":"true"})")->track_total_hits, kTotalHitsExact);
  EXPECT_EQ(Parse(R"({"track_total_hits":false})")->track_total_hits, kTotalHitsOff);
  EXPECT_EQ(Error(R"({"size":99999999999})").substr(0, 26), "x_content_parse_exception:");
}

TEST(RequestTest, SortAndSearchAfter) {
  EXPECT_EQ(Error(R"({"sort":[{"count":"up"}]})"),
            "illegal_argument_exception: No enum constant org.elasticsearch.search.sort.SortOrder.UP");
  EXPECT_EQ(Error(R"({"sort":[{"count":{"order":"up"}}]})"),
            "x_content_parse_exception: [1:28] [field_sort] failed to parse field [order] <- "
            "illegal_argument_exception: No enum constant org.elasticsearch.search.sort.SortOrder.UP");
  EXPECT_EQ(Error(R"({"sort":[{"count":{"nosuch":1}}]})").substr(26),
            " [1:29] [field_sort] unknown field [nosuch]");  // at the value, not the key
  EXPECT_EQ(Error(R"({"sort":[{"count":{"mode":"up"}}]})"),
            "x_content_parse_exception: [1:27] [field_sort] failed to parse field [mode] <- "
            "illegal_argument_exception: Unknown SortMode [up]");
  EXPECT_EQ(Error(R"({"sort":[3]})"),
            "illegal_argument_exception: malformed sort format, within the sort array, an object, or an actual string "
            "are allowed");
  EXPECT_EQ(Error(R"({"sort":[{"count":{"numeric_type":"abc"}}]})").substr(0, 26), "x_content_parse_exception:");
  EXPECT_EQ(Error(R"({"search_after":[],"sort":["count"]})"),
            "illegal_argument_exception: Values must contains at least one value.");
  EXPECT_EQ(Error(R"({"search_after":[{}],"sort":["count"]})"),
            "parsing_exception: Expected [VALUE_STRING] or [VALUE_NUMBER] or [VALUE_BOOLEAN] or [VALUE_NULL] but found "
            "[START_OBJECT] inside search_after.");
  EXPECT_EQ(Error(R"({"search_after":[1],"sort":["count"],"from":1})"),
            "action_request_validation_exception: Validation Failed: 1: [from] parameter must be set to 0 when "
            "[search_after] is used;");
  EXPECT_TRUE(Parse(R"({"sort":["_score"]})")->sort.empty());
  EXPECT_TRUE(Parse(R"({"sort":[]})")->sort.empty());
  EXPECT_EQ(Parse(R"({"sort":[{"_score":"asc"}]})")->sort.size(), 1u);
  EXPECT_EQ(Parse(R"({"sort":{"a":"desc","b":{}}})")->sort.size(), 2u);
}

TEST(RequestTest, QueriesAreCheckedEarly) {
  EXPECT_EQ(Error(R"({"query":{"nosuch":{}}})").substr(0, 44), "parsing_exception: unknown query [nosuch] <-");
  EXPECT_EQ(Error(R"({"post_filter":{"nosuch":{}}})").substr(0, 41), "parsing_exception: unknown query [nosuch]");
}

TEST(RequestTest, UrlParametersOverrideAndAdd) {
  EXPECT_EQ(Parse(R"({"size":3})", {{"size", "5"}})->size, 5u);
  EXPECT_EQ(Parse(R"({"sort":"a"})", {{"sort", "b:desc,c"}})->sort.size(), 3u);
  EXPECT_TRUE(Parse("{}", {{"sort", "b:up"}})->sort.empty());
  EXPECT_EQ(Parse("{}", {{"q", "x"}, {"df", "title"}, {"default_operator", "and"}})->uri_query->default_field, "title");
  EXPECT_EQ(Parse("{}", {{"rest_total_hits_as_int", "true"}})->track_total_hits, kTotalHitsExact);
  const Parsed source = Parse(R"({"_source":["id"]})", {{"_source_excludes", "id,vec*"}});
  EXPECT_TRUE(source->source.includes.empty());
  EXPECT_EQ(source->source.excludes, (std::vector<std::string>{"id", "vec*"}));
  EXPECT_FALSE(Parse("{}", {{"_source", "false"}})->source.enabled);
  EXPECT_EQ(Parse(R"({"_source":false})", {{"_source", "title,id"}})->source.includes.size(), 2u);

  EXPECT_EQ(Error("{}", {{"size", "abc"}}),
            R"(illegal_argument_exception: Failed to parse int parameter [size] with value [abc] <- )"
            R"(number_format_exception: For input string: "abc")");
  EXPECT_EQ(Error("{}", {{"size", "-1"}}),
            "illegal_argument_exception: [size] parameter cannot be negative, found [-1]");
  EXPECT_EQ(Error("{}", {{"search_type", "xx"}}), "illegal_argument_exception: No search type for [xx]");
  EXPECT_EQ(Error("{}", {{"batched_reduce_size", "1"}}), "illegal_argument_exception: batchedReduceSize must be >= 2");
  EXPECT_EQ(Error("{}", {{"version", "xx"}}),
            "illegal_argument_exception: Failed to parse value [xx] as only [true] or [false] are allowed.");
  EXPECT_EQ(Error(R"({"track_total_hits":5})", {{"rest_total_hits_as_int", "true"}}),
            "illegal_argument_exception: [rest_total_hits_as_int] cannot be used if the tracking of total hits is not "
            "accurate, got 5");
}

TEST(RequestTest, FeaturesWeLackAreRefusedUnlessTheyAskForNothing) {
  EXPECT_EQ(Error(R"({"highlight":{"fields":{"a":{}}}})"), "illegal_argument_exception: [highlight] is not supported");
  EXPECT_EQ(Error(R"({"explain":true})"), "illegal_argument_exception: [explain] is not supported");
  EXPECT_EQ(Error(R"({"explain":false,"profile":false,"script_fields":{},"runtime_mappings":{},"ext":{}})"), "");
}

TEST(RequestTest, KnnClauses) {
  const auto error = [](const char* knn) { return Error(std::string(R"({"knn":)") + knn + "}"); };
  EXPECT_EQ(error("{}"), "illegal_argument_exception: Required [field]");
  EXPECT_EQ(error(R"({"field":"v","k":2})"),
            "illegal_argument_exception: either [query_vector_builder] or [query_vector] must be provided");
  EXPECT_EQ(error(R"({"field":"v","query_vector":[1],"k":0})"),
            "illegal_argument_exception: [k] must be greater than 0");
  EXPECT_EQ(error(R"({"field":"v","query_vector":[1],"k":10,"num_candidates":5})"),
            "illegal_argument_exception: [num_candidates] cannot be less than [k]");
  EXPECT_EQ(error(R"({"field":"v","query_vector":[1],"num_candidates":3})"),
            "illegal_argument_exception: [num_candidates] cannot be less than [k]");
  EXPECT_EQ(error(R"({"field":"v","query_vector":[1],"k":1,"num_candidates":10001})"),
            "illegal_argument_exception: [num_candidates] cannot exceed [10000]");
  EXPECT_EQ(error(R"({"field":"v","query_vector":[1,"a"]})").substr(34),
            "[knn] failed to parse field [query_vector] <- number_format_exception: For input string: \"a\"");
  EXPECT_TRUE(error(R"({"field":"v","query_vector":"zz"})")
                  .ends_with(R"(number_format_exception: not a hexadecimal digit: "z" = 122)"));
  EXPECT_TRUE(error(R"({"field":"v","query_vector":null})")
                  .ends_with("[knn] query_vector doesn't support values of type: VALUE_NULL"));
  EXPECT_TRUE(error(R"({"field":3})").ends_with("[knn] field doesn't support values of type: VALUE_NUMBER"));
  EXPECT_TRUE(error(R"({"nosuch":1})").ends_with("[knn] unknown field [nosuch]"));
  EXPECT_TRUE(error(R"({"field":"v","query_vector":[1],"filter":3})")
                  .ends_with("[knn] filter doesn't support values of type: VALUE_NUMBER"));
  EXPECT_TRUE(error("[3]").ends_with(
      "malformed knn format, within the knn search array only objects are allowed; found VALUE_NUMBER"));
  EXPECT_EQ(error(R"({"field":"v","query_vector_builder":{}})").substr(0, 26), "x_content_parse_exception:");
  EXPECT_EQ(Parse(R"({"knn":{"field":"v","query_vector":["1",2]},"size":3})")->knn[0].k, 3u);
  EXPECT_EQ(Error(R"({"size":0,"knn":{"field":"v","query_vector":[1]}})"),
            "illegal_argument_exception: [k] must be greater than 0");
}

TEST(RequestTest, Retrievers) {
  const auto error = [](const char* retriever, const char* more = "") {
    return Error(std::string(R"({"retriever":)") + retriever + more + "}");
  };
  EXPECT_EQ(error("{}"), "parsing_exception: retriever malformed, empty clause found");
  EXPECT_EQ(error(R"({"nosuch":{}})"), "parsing_exception: unknown retriever [nosuch]");
  EXPECT_EQ(error(R"({"standard":3})"),
            "parsing_exception: [standard] retriever malformed, no [START_OBJECT] after retriever name");
  EXPECT_TRUE(error(R"({"standard":{"nosuch":1}})").ends_with("[standard] unknown field [nosuch]"));
  EXPECT_EQ(error(R"({"knn":{"field":"v","query_vector":[1]}})"),
            "illegal_argument_exception: Required [k, num_candidates]");
  EXPECT_EQ(error(R"({"knn":{"field":"v","query_vector":[1],"k":2}})"),
            "illegal_argument_exception: Required [num_candidates]");
  EXPECT_EQ(
      error(R"({"standard":{}})", R"(,"query":{"match_all":{}},"sort":["id"],"search_after":[1],"terminate_after":3)"),
      "action_request_validation_exception: Validation Failed: 1: cannot specify [retriever] and [query, search_after, "
      "terminate_after, sort];");
  EXPECT_EQ(error(R"({"rrf":{"retrievers":[{"standard":{}},{"standard":{}}],"rank_window_size":5}})"),
            "action_request_validation_exception: Validation Failed: 1: [rrf] requires [rank_window_size: 5] be "
            "greater than or equal to [size: 10];");
  std::string deep = R"({"standard":{}})";
  for (int i = 0; i < 30; ++i) deep = R"({"rrf":{"retrievers":[{"standard":{}},)" + deep + "]}}";
  EXPECT_NE(error(deep.c_str()), "");
}

}  // namespace
}  // namespace tiercel::search
