// The REST layer without an engine: routing, media types, parameters, error bodies, shapes of answers.

#include <gtest/gtest.h>

#include "tiercel/base/clock.h"
#include "tiercel/json/value.h"
#include "tiercel/server/cat_table.h"
#include "tiercel/server/error_body.h"
#include "tiercel/server/filter_path.h"
#include "tiercel/server/http_compression.h"
#include "tiercel/server/json_layout.h"
#include "tiercel/server/media_type.h"
#include "tiercel/server/parameter_check.h"
#include "tiercel/server/rest_dispatcher.h"
#include "tiercel/server/router.h"
#include "tiercel/server/url.h"

namespace tiercel::server {
namespace {

Route MakeRoute(HttpMethod method, std::string pattern) {
  Route route;
  route.method = method;
  route.pattern = std::move(pattern);
  return route;
}

TEST(RouterTest, PrefersLiteralsAndFallsBackToNames) {
  Router router;
  for (const char* pattern : {"/{index}", "/{index}/_doc/{id}", "/{index}/_search", "/_search", "/_alias/{name}"}) {
    router.Add(MakeRoute(HttpMethod::kGet, pattern));
  }
  router.Add(MakeRoute(HttpMethod::kPost, "/_bulk"));
  const auto pattern = [&](std::string_view path) {
    const auto match = router.Match(HttpMethod::kGet, path);
    return match.ok() && match->route != nullptr ? match->route->pattern : "none";
  };
  EXPECT_EQ(pattern("/_search"), "/_search");
  EXPECT_EQ(pattern("//_search/"), "/_search");
  EXPECT_EQ(pattern("/a"), "/{index}");
  EXPECT_EQ(pattern("/a/_search"), "/{index}/_search");
  EXPECT_EQ(pattern("/_alias/_search"), "/_alias/{name}");
  EXPECT_EQ(pattern("/_search/_doc/1"), "/{index}/_doc/{id}");
  EXPECT_EQ(pattern("/a/b"), "none");
  EXPECT_EQ(pattern("/" + std::string(4000, '/')), "none");
  EXPECT_EQ(pattern("/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"), "none");
}

TEST(RouterTest, DecodesValuesAfterSplitting) {
  Router router;
  router.Add(MakeRoute(HttpMethod::kGet, "/{index}/_doc/{id}"));
  const auto match = router.Match(HttpMethod::kGet, "/i/_doc/a%2Fb%20c+d");
  ASSERT_TRUE(match.ok());
  ASSERT_EQ(match->values.size(), 2u);
  EXPECT_EQ(match->values[1].first, "id");
  EXPECT_EQ(match->values[1].second, "a/b c+d");
  const auto bad = router.Match(HttpMethod::kGet, "/i/_doc/1%2F%zz");
  EXPECT_EQ(bad.status().message(), "invalid escape sequence `%zz' at index 12 of: /i/_doc/1%2F%zz");
  EXPECT_FALSE(router.Match(HttpMethod::kGet, "/i/_doc/%2").ok());
}

TEST(RouterTest, ThePathDecidesWhichMethodsAreAllowed) {
  Router router;
  router.Add(MakeRoute(HttpMethod::kGet, "/{index}"));
  router.Add(MakeRoute(HttpMethod::kPut, "/_bulk"));
  router.Add(MakeRoute(HttpMethod::kPost, "/_bulk"));
  const auto match = router.Match(HttpMethod::kGet, "/_bulk");
  ASSERT_TRUE(match.ok());
  EXPECT_EQ(match->route, nullptr);
  EXPECT_EQ(match->allowed, (std::vector{HttpMethod::kPost, HttpMethod::kPut}));
}

TEST(UrlTest, ParsesQueryStrings) {
  const auto parameters = ParseQueryString("a=1&b&c=x%20y+z&a=2&&=q;d=%26");
  ASSERT_TRUE(parameters.ok());
  EXPECT_EQ(*parameters, (QueryParameters{{"a", "2"}, {"b", ""}, {"c", "x y z"}, {"d", "&"}}));
  EXPECT_EQ(ParseQueryString("a=%zz").status().type(), "bad_parameter_exception");
}

TEST(MediaTypeTest, EchoesWhatAcceptAskedFor) {
  const auto type = [](std::optional<std::string_view> content, std::optional<std::string_view> accept,
                       std::optional<std::string_view> format) {
    const auto media = Negotiate(content, accept, format);
    if (!media.ok()) return std::string(media.error().type());
    return media->ResponseType(media->format.value_or(MediaFormat::kJson));
  };
  EXPECT_EQ(type({}, {}, {}), "application/json");
  EXPECT_EQ(type({}, "application/json", {}), "application/json");
  for (const char* version : {"7", "8", "9"}) {
    const std::string vendored = "application/vnd.elasticsearch+json;compatible-with=" + std::string(version);
    EXPECT_EQ(type({}, "application/vnd.elasticsearch+json; compatible-with=" + std::string(version), {}), vendored);
    EXPECT_EQ(type("application/json", vendored, {}), vendored);  // the mix is tolerated
    EXPECT_EQ(type(vendored, {}, {}), "application/json");
  }
  EXPECT_EQ(type({}, "application/vnd.elasticsearch+json", {}), "application/vnd.elasticsearch+json");
  EXPECT_EQ(type({}, "application/vnd.elasticsearch+json;compatible-with=9,text/plain", {}), "application/json");
  EXPECT_EQ(type({}, "*/*", {}), "application/json");
  EXPECT_EQ(type({}, "application/yaml", {}), "application/yaml");
  EXPECT_EQ(type({}, "application/json", "yaml"), "application/yaml");
  EXPECT_EQ(type({}, "text/plain", {}), "text/plain; charset=UTF-8");
  EXPECT_EQ(type({}, "application/nonsense", {}), "application/json");
  EXPECT_EQ(type({}, "application/vnd.elasticsearch+json;compatible-with=6", {}), "media_type_header_exception");
  EXPECT_EQ(type("application/vnd.elasticsearch+json;compatible-with=x", {}, {}), "media_type_header_exception");
}

std::string Filtered(std::string_view json, std::string_view patterns) {
  const auto document = json::Document::Parse(json);
  return FilterPath(patterns).Apply(document->root());
}

TEST(FilterPathTest, KeepsWhatMatches) {
  constexpr std::string_view kJson =
      R"({"took":1,"hits":{"total":{"value":3},"hits":[{"_id":"1","_source":{"a":1,"b":2}},{"_id":"2"}]},"e":[],"o":{}})";
  EXPECT_EQ(Filtered(kJson, "took"), R"({"took":1})");
  EXPECT_EQ(Filtered(kJson, "hits.hits._id"), R"({"hits":{"hits":[{"_id":"1"},{"_id":"2"}]}})");
  EXPECT_EQ(Filtered(kJson, "hits.hits._source.b"), R"({"hits":{"hits":[{"_source":{"b":2}}]}})");
  EXPECT_EQ(Filtered(kJson, "hits.t*"), R"({"hits":{"total":{"value":3}}})");
  EXPECT_EQ(Filtered(kJson, "**.value"), R"({"hits":{"total":{"value":3}}})");
  EXPECT_EQ(Filtered(kJson, "*.*.value,to*k"), R"({"took":1,"hits":{"total":{"value":3}}})");
  EXPECT_EQ(Filtered(kJson, "-hits"), R"({"took":1,"e":[],"o":{}})");
  EXPECT_EQ(Filtered(kJson, "hits,-hits.hits._source,-**.value"), R"({"hits":{"hits":[{"_id":"1"},{"_id":"2"}]}})");
  EXPECT_EQ(Filtered(kJson, "hits.total.value,-hits.total"), "{}");
  EXPECT_EQ(Filtered(kJson, "nosuch"), "{}");
  EXPECT_EQ(Filtered(kJson, "e,o"), R"({"e":[],"o":{}})");
  EXPECT_EQ(Filtered(R"([{"a":1,"b":2},{"b":3}])", "a"), R"([{"a":1}])");
  EXPECT_EQ(Filtered(R"({"a.b":1,"a":{"b":2}})", "a\\.b"), R"({"a.b":1})");
  EXPECT_EQ(Filtered(kJson, ",,"), kJson);
}

TEST(JsonLayoutTest, IndentsAsElasticsearchDoes) {
  const auto document = json::Document::Parse(R"({"a":{"b":[1,{"c":"x"}]},"e":{},"f":[]})");
  EXPECT_EQ(PrettyJson(document->root()),
            "{\n  \"a\" : {\n    \"b\" : [\n      1,\n      {\n        \"c\" : \"x\"\n      }\n    ]\n  },\n  \"e\" : "
            "{ },\n  \"f\" : [ ]\n}\n");
}

TEST(JsonLayoutTest, WritesYaml) {
  const auto document = json::Document::Parse(R"({"a":{"b":[{"c":"x","d":1},2]},"e f":{},"g":[],"h":null})");
  EXPECT_EQ(Yaml(document->root()), "---\na:\n  b:\n  - c: \"x\"\n    d: 1\n  - 2\n\"e f\": {}\ng: []\nh: null\n");
}

TEST(JsonLayoutTest, AddsTypesForVersion7OutsideOfSources) {
  const auto document =
      json::Document::Parse(R"({"hits":[{"_index":"i","_id":"1","_source":{"_index":"x","_id":"y"}}],"_index":"i"})");
  EXPECT_EQ(WithTypes(document->root()),
            R"({"hits":[{"_index":"i","_type":"_doc","_id":"1","_source":{"_index":"x","_id":"y"}}],"_index":"i"})");
}

TEST(ErrorBodyTest, RendersAttributesAndCauses) {
  const Status missing =
      NotFound("no such index [x]").WithType("index_not_found_exception").With("resource.id", "x").With("line", "3");
  EXPECT_EQ(
      ErrorBody(missing, 404),
      R"({"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [x]","resource.id":"x","line":3}],)"
      R"("type":"index_not_found_exception","reason":"no such index [x]","resource.id":"x","line":3},"status":404})");
}

TEST(ErrorBodyTest, RootCauseIsTheDeepestThatIsNotJavas) {
  const Status java = InvalidArgument("For input").WithType("number_format_exception");
  const Status outer = InvalidArgument("failed to parse").WithType("mapper_parsing_exception");
  EXPECT_NE(ErrorBody(Status(outer).WithCause(java), 400).find(R"("root_cause":[{"type":"mapper_parsing_exception")"),
            std::string::npos);
  const Status inner = Status(outer).WithCause(java);
  const Status two = InvalidArgument("[1:2] failed").WithType("x_content_parse_exception").WithCause(inner);
  EXPECT_NE(ErrorBody(two, 400).find(R"("root_cause":[{"type":"mapper_parsing_exception")"), std::string::npos);
  EXPECT_NE(ErrorBody(two, 400).find(R"("caused_by":{"type":"number_format_exception","reason":"For input"})"),
            std::string::npos);
}

TEST(ErrorBodyTest, SearchPhaseFailuresListTheirShards) {
  const Status shard = InvalidArgument("failed to create query").WithType("query_shard_exception").With("index", "i");
  const Status search =
      InvalidArgument("all shards failed").WithType("search_phase_execution_exception").WithCause(shard);
  EXPECT_EQ(
      ErrorBody(search, 400),
      R"({"error":{"root_cause":[{"type":"query_shard_exception","reason":"failed to create query","index":"i"}],)"
      R"("type":"search_phase_execution_exception","reason":"all shards failed","phase":"query","grouped":true,)"
      R"("failed_shards":[{"shard":0,"index":"i","reason":)"
      R"({"type":"query_shard_exception","reason":"failed to create query","index":"i"}}]},)"
      R"("status":400})");
}

TEST(ParameterCheckTest, SuggestsWhatWasMeant) {
  RestRequest request;
  HttpRequest http;
  http.target = "/i/_doc/1?_soruce=a&zzz=1&pretty";
  request.http = &http;
  request.parameters = *ParseQueryString("_soruce=a&zzz=1&pretty");
  const std::string_view known[] = {"_source", "routing"};
  EXPECT_EQ(CheckParameters(request, known).message(),
            "request [/i/_doc/1] contains unrecognized parameters: [_soruce] -> did you mean [_source]?, [zzz]");
  request.parameters = *ParseQueryString("routing=1&filter_path=a");
  EXPECT_TRUE(CheckParameters(request, known).ok());
}

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() {
    router_.Add({.method = HttpMethod::kPost,
                 .pattern = "/echo",
                 .parameters = {"size"},
                 .body = BodyRule::kAllowed,
                 .handler = [](const RestRequest& request) -> Result<RestResponse> {
                   TIERCEL_TRY_ASSIGN(const int64_t size, request.Int("size", 1));
                   return RestResponse::Json("{\"size\":" + std::to_string(size) + ",\"_index\":\"i\",\"_id\":\"1\"}");
                 }});
    router_.Add({.method = HttpMethod::kGet,
                 .pattern = "/fail",
                 .cost = RouteCost::kCheap,
                 .blocking_parameter = "refresh",
                 .handler = [](const RestRequest&) -> Result<RestResponse> { return Forbidden("no"); }});
    dispatcher_ = std::make_unique<RestDispatcher>(router_, clock_);
  }
  HttpResponse Send(HttpMethod method, std::string target,
                    std::vector<std::pair<std::string, std::string>> headers = {}, std::string body = {}) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    request.body = std::move(body);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    return dispatcher_->Handle(request);
  }
  static std::string Header(const HttpResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return {};
  }
  FakeClock clock_;
  Router router_;
  std::unique_ptr<RestDispatcher> dispatcher_;
};

TEST_F(DispatcherTest, SendsTheProductHeaderAndTheOpaqueIdAlways) {
  for (const auto& response : {Send(HttpMethod::kPost, "/echo", {{"X-Opaque-Id", "42"}}),
                               Send(HttpMethod::kGet, "/nosuch", {{"x-opaque-id", "42"}}),
                               Send(HttpMethod::kGet, "/fail", {{"x-opaque-id", "42"}})}) {
    EXPECT_EQ(Header(response, "X-elastic-product"), "Elasticsearch");
    EXPECT_EQ(Header(response, "X-Opaque-Id"), "42");
  }
}

TEST_F(DispatcherTest, AnswersRoutingFailuresWithStrings) {
  const auto none = Send(HttpMethod::kGet, "/nosuch?a=1");
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.body, R"({"error":"no handler found for uri [/nosuch?a=1] and method [GET]"})");
  const auto method = Send(HttpMethod::kDelete, "/echo");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.body,
            R"({"error":"Incorrect HTTP method for uri [/echo] and method [DELETE], allowed: [POST]","status":405})");
  EXPECT_EQ(Header(method, "Allow"), "POST");
  const auto options = Send(HttpMethod::kOptions, "/echo");
  EXPECT_EQ(options.status, 200);
  EXPECT_EQ(Header(options, "Allow"), "POST");
}

TEST_F(DispatcherTest, ChecksContentTypesOfBodies) {
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo", {}, "{}").body,
            R"({"error":"Content-Type header [] is not supported","status":406})");
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo", {{"content-type", "text/plain"}}, "{}").status, 406);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo", {{"content-type", ""}}, "{}").status, 400);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo", {{"content-type", "application/json; charset=UTF-8"}}, "{}").status, 200);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo", {{"content-type", "application/x-ndjson"}}, "{}").status, 200);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo", {{"content-type", "text/plain"}}).status, 200);
  const auto body = Send(HttpMethod::kGet, "/fail", {{"content-type", "application/json"}}, "{}");
  EXPECT_EQ(body.status, 400);
  EXPECT_NE(body.body.find("request [GET /fail] does not support having a body"), std::string::npos);
}

TEST_F(DispatcherTest, ShapesAnswers) {
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo?filter_path=size").body, R"({"size":1})");
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo?filter_path=size&pretty").body, "{\n  \"size\" : 1\n}\n");
  const auto yaml = Send(HttpMethod::kPost, "/echo?format=yaml&filter_path=size");
  EXPECT_EQ(yaml.body, "---\nsize: 1\n");
  EXPECT_EQ(yaml.type(), "application/yaml");
  const auto seven =
      Send(HttpMethod::kPost, "/echo", {{"accept", "application/vnd.elasticsearch+json; compatible-with=7"}});
  EXPECT_EQ(seven.body, R"({"size":1,"_index":"i","_type":"_doc","_id":"1"})");
  EXPECT_EQ(seven.type(), "application/vnd.elasticsearch+json;compatible-with=7");
}

TEST_F(DispatcherTest, RefusesBadParameters) {
  const auto size = Send(HttpMethod::kPost, "/echo?size=abc");
  EXPECT_EQ(size.status, 400);
  EXPECT_NE(
      size.body.find(
          R"("reason":"Failed to parse int parameter [size] with value [abc]","caused_by":{"type":"number_format_exception")"),
      std::string::npos);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo?pretty=maybe").status, 400);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo?sizes=1").status, 400);
  EXPECT_EQ(Send(HttpMethod::kPost, "/echo?size=%zz").status, 400);
  EXPECT_EQ(Send(HttpMethod::kGet, "/fail?filter_path=nosuch").status, 403);
  EXPECT_NE(Send(HttpMethod::kGet, "/fail?error_trace").body.find("stack_trace"), std::string::npos);
}

TEST_F(DispatcherTest, AnswersOnlyCheapRequestsInline) {
  const auto inline_answer = [&](HttpMethod method, std::string target) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    return dispatcher_->TryInline(request);
  };
  EXPECT_EQ(inline_answer(HttpMethod::kGet, "/fail")->status, 403);
  EXPECT_EQ(inline_answer(HttpMethod::kGet, "/nosuch")->status, 400);
  EXPECT_FALSE(inline_answer(HttpMethod::kGet, "/fail?refresh=true").has_value());
  EXPECT_FALSE(inline_answer(HttpMethod::kPost, "/echo").has_value());
}

TEST_F(DispatcherTest, CountsRequestsByRoute) {
  Send(HttpMethod::kPost, "/echo");
  Send(HttpMethod::kGet, "/fail");
  MetricsPage page;
  dispatcher_->Describe(page);
  EXPECT_NE(page.Serialize().find(R"(tiercel_http_requests_total{route="/echo",method="POST",status="2xx"} 1)"),
            std::string::npos);
  EXPECT_NE(page.Serialize().find(R"(tiercel_http_requests_total{route="/fail",method="GET",status="4xx"} 1)"),
            std::string::npos);
}

class CatTableTest : public ::testing::Test {
 protected:
  CatTableTest()
      : table_({{"name", "n", "the name"},
                {"size", "s,sz", "how large", true, true},
                {"age", "", "how old", false, true}}) {
    table_.AddRow({CatCell::Text("b"), CatCell::Bytes(9900), CatCell::TimeMs(61'000)});
    table_.AddRow({CatCell::Text("long"), CatCell::Bytes(10), CatCell::TimeMs(5)});
  }
  std::string Render(std::string_view query) {
    RestRequest request;
    HttpRequest http;
    request.http = &http;
    request.parameters = *ParseQueryString(query);
    request.media = *Negotiate({}, {}, request.Get("format"));
    const auto response = table_.Render(request);
    return response.ok() ? response->body : response.error().message();
  }
  CatTable table_;
};

TEST_F(CatTableTest, AlignsColumns) {
  EXPECT_EQ(Render(""), "b    9.6kb\nlong   10b\n");
  EXPECT_EQ(Render("v"), "name  size\nb    9.6kb\nlong   10b\n");
  EXPECT_EQ(Render("h=sz,name&v&bytes=b"), "  sz name\n9900 b\n  10 long\n");
  EXPECT_EQ(Render("h=*a*&time=s"), "b    61\nlong  0\n");
  EXPECT_EQ(Render("h=nosuch"), "");
}

TEST_F(CatTableTest, SortsByValueAndWritesJson) {
  EXPECT_EQ(Render("s=size&h=name"), "long\nb\n");
  EXPECT_EQ(Render("s=size:desc&h=name"), "b\nlong\n");
  EXPECT_EQ(Render("s=foo"), "Unable to sort by unknown sort key `foo`");
  EXPECT_EQ(Render("format=json&h=n,age"), R"([{"n":"b","age":"1m"},{"n":"long","age":"5ms"}])");
  EXPECT_EQ(table_.Help().body, "name | n    | the name \nsize | s,sz | how large\nage  |      | how old  \n");
}

TEST(CompressionTest, RefusesBombsAndRubbish) {
  runtime::MemoryBudget budget(1 << 20);
  runtime::MemoryCharge charge;
  const std::string bomb = GzipCompress(std::string(50 << 20, 'a'));
  EXPECT_LT(bomb.size(), 300u << 10);
  EXPECT_EQ(Decompress(bomb, 10 << 20, nullptr, charge).status().type(), "content_too_long_exception");
  EXPECT_EQ(Decompress(bomb, 100 << 20, &budget.in_flight(), charge).status().code(), Code::kResourceExhausted);
  charge.Release();
  EXPECT_EQ(budget.in_flight().used_bytes(), 0u);
  EXPECT_FALSE(Decompress("rubbish", 100, nullptr, charge).ok());
  EXPECT_FALSE(Decompress(bomb.substr(0, 1000), 100 << 20, nullptr, charge).ok());
  EXPECT_EQ(*Decompress(GzipCompress("a") + GzipCompress("b"), 100, nullptr, charge), "ab");
  EXPECT_EQ(*Decompress(GzipCompress(""), 100, nullptr, charge), "");
}

TEST(CompressionTest, ReadsAcceptEncoding) {
  for (const char* yes : {"gzip", "deflate, gzip", "GZIP;q=0.5", "*", "br, *;q=0.1"})
    EXPECT_TRUE(AcceptsGzip(yes)) << yes;
  for (const char* no : {"", "identity", "gzip;q=0", "gzip; q=0.0", "br"}) EXPECT_FALSE(AcceptsGzip(no)) << no;
}

}  // namespace
}  // namespace tiercel::server
