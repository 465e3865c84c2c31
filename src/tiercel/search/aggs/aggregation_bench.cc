// Aggregations over one segment of 65,536 documents, fed as a search feeds them: whole, and every tenth document.
//
// Items per second are documents collected. The columns lie in memory, packed as in a stored segment.
#include <benchmark/benchmark.h>

#include <cmath>

#include "tiercel/base/check.h"
#include "tiercel/base/random.h"
#include "tiercel/search/aggregation.h"
#include "tiercel/segment/builder.h"

namespace tiercel::search {
namespace {

constexpr uint32_t kDocuments = 1 << 16;

struct Corpus {
  SearchTarget target;
  segment::SegmentView view;
};

const Corpus& TheCorpus() {
  static const Corpus corpus = [] {
    Corpus made;
    const auto mapping = json::Document::Parse(R"({"properties":{"tag":{"type":"keyword"},"size":{"type":"long"},
"price":{"type":"double"},"when":{"type":"date"},"id":{"type":"long"}}})");
    made.target.index = "bench";
    made.target.mapping = mapping::Mapping::Parse(mapping.value().root()).value();
    Random random(1);
    segment::SegmentBuilder builder;
    const mapping::DocumentParser parser;
    for (uint32_t i = 0; i < kDocuments; ++i) {
      const std::string source = R"({"tag":"section-)" + std::to_string(random.Below(random.Below(60) + 1)) +
                                 R"(","size":)" + std::to_string(random.Below(100'000)) + R"(,"price":)" +
                                 std::to_string(random.Unit() * 100) + R"(,"when":)" +
                                 std::to_string(1'400'000'000'000 + random.Below(300'000'000'000)) + R"(,"id":)" +
                                 std::to_string(random.Next() >> 20) + "}";
      const auto parsed = parser.Parse(made.target.mapping, std::to_string(i), source);
      TIERCEL_CHECK(builder.Add(parsed.value().document, {}).ok());
    }
    segment::MemoryUpload upload;
    TIERCEL_CHECK(builder.Finish("bench", upload).ok());
    made.view.segment = segment::Segment::Open(std::move(upload).IntoInput("bench")).value();
    return made;
  }();
  return corpus;
}

void Run(benchmark::State& state, const char* aggs_json) {
  const Corpus& corpus = TheCorpus();
  const auto parsed = json::Document::Parse(aggs_json);
  const auto set = AggregationSet::Parse(parsed.value().root()).value();
  const auto step = static_cast<uint32_t>(state.range(0));
  std::vector<segment::DocId> docs;
  for (uint32_t doc = 0; doc < kDocuments; doc += step) docs.push_back(doc);
  const SearchEnvironment environment;
  for (auto _ : state) {
    auto collector = set->NewCollector(corpus.target, corpus.view, environment).value();
    for (size_t i = 0; i < docs.size(); i += 256) {
      TIERCEL_CHECK(collector->Collect(std::span(docs).subspan(i, std::min<size_t>(256, docs.size() - i))).ok());
    }
    std::vector<std::unique_ptr<AggregationPartial>> partials;
    partials.push_back(collector->Finish().value());
    std::string out;
    json::Writer writer(out);
    TIERCEL_CHECK(set->Reduce(std::move(partials), *corpus.target.mapping, false, environment, writer).ok());
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * docs.size()));
}

#define TIERCEL_AGGREGATION_BENCH(name, json)              \
  void name(benchmark::State& state) { Run(state, json); } \
  BENCHMARK(name)->Arg(1)->Arg(10)->Unit(benchmark::kMicrosecond)

TIERCEL_AGGREGATION_BENCH(Terms, R"({"a":{"terms":{"field":"tag"}}})");
TIERCEL_AGGREGATION_BENCH(TermsAndSum, R"({"a":{"terms":{"field":"tag"},"aggs":{"s":{"sum":{"field":"size"}}}}})");
TIERCEL_AGGREGATION_BENCH(TermsAndDoubleSum,
                          R"({"a":{"terms":{"field":"tag"},"aggs":{"s":{"sum":{"field":"price"}}}}})");
TIERCEL_AGGREGATION_BENCH(
    HistogramAndTerms,
    R"({"a":{"histogram":{"field":"size","interval":5000},"aggs":{"t":{"terms":{"field":"tag"}}}}})");
TIERCEL_AGGREGATION_BENCH(DateHistogram, R"({"a":{"date_histogram":{"field":"when","calendar_interval":"month"}}})");
TIERCEL_AGGREGATION_BENCH(
    DateHistogramInZone,
    R"({"a":{"date_histogram":{"field":"when","calendar_interval":"day","time_zone":"Europe/Paris"}}})");
TIERCEL_AGGREGATION_BENCH(NumericTerms, R"({"a":{"terms":{"field":"size"}}})");
TIERCEL_AGGREGATION_BENCH(NumericTermsHashed, R"({"a":{"terms":{"field":"id"}}})");
TIERCEL_AGGREGATION_BENCH(Range,
                          R"({"a":{"range":{"field":"price","ranges":[{"to":10},{"from":10,"to":50},{"from":50}]}}})");
TIERCEL_AGGREGATION_BENCH(Stats, R"({"a":{"stats":{"field":"price"}}})");
TIERCEL_AGGREGATION_BENCH(Cardinality, R"({"a":{"cardinality":{"field":"id"}}})");
TIERCEL_AGGREGATION_BENCH(Percentiles, R"({"a":{"percentiles":{"field":"price"}}})");

}  // namespace
}  // namespace tiercel::search

BENCHMARK_MAIN();
