// Aggregations as a whole: random documents against plain loops, independence from how documents are spread, limits.
#include "tiercel/search/aggregation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tiercel/base/random.h"
#include "tiercel/search/aggs/aggregation_fixture.h"

namespace tiercel::search::aggs {
namespace {

constexpr char kMapping[] =
    R"({"properties":{"n":{"type":"long"},"wide":{"type":"long"},"x":{"type":"double"},"t":{"type":"keyword"},
"d":{"type":"date"},"b":{"type":"boolean"}}})";

struct RandomDocument {
  std::vector<int64_t> n, wide;
  std::vector<double> x;
  std::vector<std::string> t;
  std::vector<int64_t> d;
  bool deleted = false;
};

template <typename T, typename Write>
void AppendField(std::string& json, const char* name, const std::vector<T>& values, Write&& write) {
  if (values.empty()) return;
  json += (json.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":[";
  for (size_t i = 0; i < values.size(); ++i) json += (i > 0 ? "," : "") + write(values[i]);
  json += "]";
}

std::string ToJson(const RandomDocument& document) {
  std::string json = "{";
  const auto number = [](int64_t value) { return std::to_string(value); };
  AppendField(json, "n", document.n, number);
  AppendField(json, "wide", document.wide, number);
  AppendField(json, "x", document.x, [](double value) { return std::to_string(value); });
  AppendField(json, "t", document.t, [](const std::string& value) { return "\"" + value + "\""; });
  AppendField(json, "d", document.d, number);
  return json + "}";
}

// `multi`: some documents have several values and some none; otherwise every field has exactly one.
std::vector<RandomDocument> MakeDocuments(uint64_t seed, size_t count, bool multi) {
  Random random(seed);
  std::vector<RandomDocument> documents(count);
  const auto times = [&] { return multi ? random.Below(4) : 1; };
  for (RandomDocument& document : documents) {
    for (uint64_t i = times(); i > 0; --i) document.n.push_back(static_cast<int64_t>(random.Below(40)) - 20);
    for (uint64_t i = times(); i > 0; --i)
      document.wide.push_back(static_cast<int64_t>(random.Below(50)) * 1'000'000'007 - 7);
    for (uint64_t i = times(); i > 0; --i)
      document.x.push_back(static_cast<double>(random.Below(2'000'000)) / 1000 - 1000);
    for (uint64_t i = times(); i > 0; --i) document.t.push_back("t" + std::to_string(random.Below(30)));
    for (uint64_t i = times(); i > 0; --i)
      document.d.push_back(1'500'000'000'000 + static_cast<int64_t>(random.Below(100'000'000'000)));
    document.deleted = random.OneIn(9);
  }
  return documents;
}

// The same documents in segments of random sizes.
IndexFixture Spread(const std::vector<RandomDocument>& documents, size_t segments, uint64_t seed) {
  Random random(seed);
  IndexFixture index(kMapping);
  size_t begin = 0;
  for (size_t s = 0; s < segments && begin < documents.size(); ++s) {
    const size_t left = documents.size() - begin;
    const size_t take =
        s + 1 == segments ? left : std::min<size_t>(left, 1 + random.Below(2 * documents.size() / segments));
    std::vector<std::string> sources;
    for (size_t i = begin; i < begin + take; ++i) sources.push_back(ToJson(documents[i]));
    index.AddSegment(sources);
    begin += take;
  }
  for (size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].deleted) index.Delete(std::to_string(i));
  }
  return index;
}

const char* const kTrees[] = {
    R"({"a":{"terms":{"field":"t","size":5},"aggs":{"s":{"stats":{"field":"x"}},"c":{"cardinality":{"field":"n"}}}}})",
    R"({"a":{"terms":{"field":"wide","size":50,"order":{"m":"desc"}},"aggs":{"m":{"max":{"field":"x"}},"t":{"terms":{"field":"t"}}}}})",
    R"({"a":{"histogram":{"field":"n","interval":7,"missing":100},"aggs":{"h":{"date_histogram":{"field":"d","calendar_interval":"month",
        "time_zone":"Europe/Paris"},"aggs":{"p":{"percentiles":{"field":"x"}}}}}}})",
    R"({"a":{"range":{"field":"x","ranges":[{"to":0},{"from":-500,"to":500},{"from":100}]},"aggs":{"t":{"terms":{"field":"n","missing":2.5,
        "size":100},"aggs":{"v":{"value_count":{"field":"t"}},"a":{"avg":{"field":"wide"}}}}}}})",
    R"({"a":{"terms":{"field":"t","min_doc_count":0,"size":100,"exclude":["t3"]},"aggs":{"m":{"missing":{"field":"x"},"aggs":{"s":
        {"sum":{"field":"n"}}}}}},"g":{"global":{},"aggs":{"u":{"cardinality":{"field":"t"}}}}})",
    R"({"a":{"histogram":{"field":"wide","interval":1000,"min_doc_count":1},"aggs":{"m":{"min":{"field":"d"}}}}})",
};

TEST(AggregationTest, AnswersDoNotDependOnHowDocumentsAreSpread) {
  for (const bool multi : {false, true}) {
    const auto documents = MakeDocuments(multi ? 11 : 12, 900, multi);
    const IndexFixture whole = Spread(documents, 1, 0);
    for (const char* tree : kTrees) {
      const std::string expected = Aggregate(whole, tree).value();
      for (const size_t segments : {2, 7, 40}) {
        const IndexFixture parts = Spread(documents, segments, segments);
        EXPECT_EQ(JsonDifference(expected, Aggregate(parts, tree).value()), "") << tree << " in " << segments;
      }
      AggregateOptions small_batches{.batch_docs = 3};
      EXPECT_EQ(JsonDifference(expected, Aggregate(whole, tree, small_batches).value()), "") << tree;
    }
  }
}

// ---- plain loops ----

struct Sums {
  uint64_t docs = 0;
  double sum = 0;
};

template <typename Keys>
std::map<int64_t, Sums> Group(const std::vector<RandomDocument>& documents, Keys&& keys_of) {
  std::map<int64_t, Sums> groups;
  for (const RandomDocument& document : documents) {
    if (document.deleted) continue;
    for (const int64_t key : keys_of(document)) {
      Sums& group = groups[key];
      ++group.docs;
      for (const double x : document.x) group.sum += x;
    }
  }
  return groups;
}

void ExpectBuckets(const std::map<int64_t, Sums>& expected, const std::string& answer) {
  const auto parsed = json::Document::Parse(answer).value();
  const json::Value buckets = parsed.root()["a"]["buckets"];
  size_t found = 0;
  for (const json::Value bucket : buckets.elements()) {
    if (bucket["doc_count"].as_int64() == 0) continue;
    const auto group = expected.find(std::llround(bucket["key"].as_double()));
    ASSERT_NE(group, expected.end()) << bucket.raw();
    EXPECT_EQ(static_cast<uint64_t>(bucket["doc_count"].as_int64()), group->second.docs) << bucket.raw();
    EXPECT_NEAR(bucket["s"]["value"].as_double(), group->second.sum, 1e-6) << bucket.raw();
    ++found;
  }
  EXPECT_EQ(found, expected.size());
}

TEST(AggregationTest, GroupsAsPlainLoopsDo) {
  for (const bool multi : {false, true}) {
    const auto documents = MakeDocuments(multi ? 21 : 22, 1500, multi);
    const IndexFixture index = Spread(documents, 3, 5);
    const std::string sum = R"("aggs":{"s":{"sum":{"field":"x"}}}}})";
    for (const char* field : {"n", "wide"}) {
      const auto values = [&](const RandomDocument& d) {
        const auto& v = field == std::string("n") ? d.n : d.wide;
        return std::set<int64_t>(v.begin(), v.end());
      };
      ExpectBuckets(
          Group(documents, values),
          Aggregate(index, R"({"a":{"terms":{"size":1000,"field":")" + std::string(field) + "\"}," + sum).value());
    }
    const auto sevens = [](const RandomDocument& d) {
      std::set<int64_t> keys;
      for (const int64_t n : d.n)
        keys.insert(static_cast<int64_t>(std::floor((static_cast<double>(n) - 2) / 7)) * 7 + 2);
      return keys;
    };
    ExpectBuckets(Group(documents, sevens),
                  Aggregate(index, R"({"a":{"histogram":{"field":"n","interval":7,"offset":2},)" + sum).value());
    const auto days = [](const RandomDocument& d) {
      std::set<int64_t> keys;
      for (const int64_t ms : d.d) keys.insert(ms / 86'400'000 * 86'400'000);
      return keys;
    };
    ExpectBuckets(Group(documents, days),
                  Aggregate(index, R"({"a":{"date_histogram":{"field":"d","calendar_interval":"day"},)" + sum).value());
  }
}

TEST(AggregationTest, TermsAreCutAndOrdered) {
  const auto documents = MakeDocuments(31, 2000, true);
  const IndexFixture index = Spread(documents, 4, 9);
  std::map<std::string, uint64_t> counts;
  for (const RandomDocument& document : documents) {
    if (document.deleted) continue;
    for (const std::string& term : std::set<std::string>(document.t.begin(), document.t.end())) ++counts[term];
  }
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  uint64_t other = 0;
  for (size_t i = 4; i < sorted.size(); ++i) other += sorted[i].second;
  const auto parsed =
      json::Document::ParseOwned(Aggregate(index, R"({"a":{"terms":{"field":"t","size":4}}})").value()).value();
  const json::Value answer = parsed.root()["a"];
  EXPECT_EQ(static_cast<uint64_t>(answer["sum_other_doc_count"].as_int64()), other);
  ASSERT_EQ(answer["buckets"].size(), 4u);
  size_t i = 0;
  for (const json::Value bucket : answer["buckets"].elements()) {
    EXPECT_EQ(bucket["key"].as_string(), sorted[i].first);
    EXPECT_EQ(static_cast<uint64_t>(bucket["doc_count"].as_int64()), sorted[i].second);
    ++i;
  }
}

// ---- forms and limits ----

TEST(AggregationTest, WritesEmptyFormsWithoutSegments) {
  const IndexFixture index(kMapping);
  EXPECT_EQ(
      JsonDifference(
          R"({"t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[]},"h":{"buckets":[{"key":0.0,
"doc_count":0,"s":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0}}]},"r":{"buckets":[{"key":"1.0-*","from":1.0,"doc_count":0}]},
"m":{"value":null},"u":{"value":0.0},"c":{"value":0},"v":{"value":0},"p":{"values":{"50.0":null}},"g":{"doc_count":0}})",
          Aggregate(
              index,
              R"({"t":{"terms":{"field":"t"}},"h":{"histogram":{"field":"n","interval":5,"extended_bounds":{"min":0,
"max":4}},"aggs":{"s":{"stats":{"field":"x"}}}},"r":{"range":{"field":"n","ranges":[{"from":1}]}},"m":{"min":{"field":"d"}},
"u":{"sum":{"field":"d"}},"c":{"cardinality":{"field":"t"}},"v":{"value_count":{"field":"t"}},"p":{"percentiles":{"field":"n",
"percents":[50]}},"g":{"global":{}}})")
              .value()),
      "");
}

TEST(AggregationTest, PrefixesNamesWithTypes) {
  IndexFixture index(kMapping);
  index.AddSegment({R"({"n":1,"x":2,"t":"a"})"});
  EXPECT_EQ(
      Aggregate(index, R"({"a":{"terms":{"field":"n"},"aggs":{"b":{"avg":{"field":"x"}}}},"c":{"terms":{"field":"x"}},
"d":{"terms":{"field":"t"}},"e":{"percentiles":{"field":"n","percents":[1]}}})",
                {.typed_keys = true})
          .value(),
      R"({"lterms#a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":1,"doc_count":1,"avg#b":{"value":2.0}}]},)"
      R"("dterms#c":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":2.0,"doc_count":1}]},)"
      R"("sterms#d":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"a","doc_count":1}]},)"
      R"("tdigest_percentiles#e":{"values":{"1.0":1.0}}})");
}

TEST(AggregationTest, SumsDoNotDrift) {
  IndexFixture index(kMapping);
  std::vector<std::string> sources = {R"({"x":1e16})"};
  for (int i = 0; i < 1000; ++i) sources.push_back(R"({"x":1})");
  index.AddSegment(sources);
  EXPECT_EQ(Aggregate(index, R"({"s":{"sum":{"field":"x"}}})").value(), R"({"s":{"value":1.0000000000001E16}})");
}

TEST(AggregationTest, RefusesTooManyBuckets) {
  IndexFixture index(kMapping);
  index.AddSegment({R"({"n":0,"d":0})", R"({"n":1000000,"d":1600000000000})"});
  for (const char* tree : {R"({"a":{"histogram":{"field":"n","interval":1}}})",
                           R"({"a":{"date_histogram":{"field":"d","fixed_interval":"1s"}}})",
                           R"({"a":{"histogram":{"field":"n","interval":1e-300}}})"}) {
    const auto answer = Aggregate(index, tree);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.status().type(), "too_many_buckets_exception");
    EXPECT_EQ(answer.status().code(), Code::kInvalidArgument);
  }
}

TEST(AggregationTest, ChargesTheRequestBreaker) {
  const auto documents = MakeDocuments(41, 3000, false);
  const IndexFixture index = Spread(documents, 1, 0);
  runtime::MemoryBudget budget(600'000);
  const auto answer = Aggregate(index, R"({"a":{"terms":{"field":"x"},"aggs":{"p":{"percentiles":{"field":"x"}}}}})",
                                {.budget = &budget});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.status().code(), Code::kResourceExhausted);
  EXPECT_EQ(budget.request().used_bytes(), 0u) << "everything is given back";
  EXPECT_TRUE(Aggregate(index, R"({"a":{"terms":{"field":"t"}}})", {.budget = &budget}).ok());
  EXPECT_EQ(budget.request().used_bytes(), 0u);
}

TEST(AggregationTest, LimitsTheDepth) {
  std::string tree = R"({"a":{"min":{"field":"n"}}})";
  for (int i = 0; i < 31; ++i) tree = R"({"a":{"terms":{"field":"n"},"aggs":)" + tree + "}}";
  const IndexFixture index(kMapping);
  EXPECT_TRUE(Aggregate(index, tree).ok());
  EXPECT_FALSE(Aggregate(index, R"({"a":{"terms":{"field":"n"},"aggs":)" + tree + "}}").ok());
}

}  // namespace
}  // namespace tiercel::search::aggs
