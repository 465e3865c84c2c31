#include <benchmark/benchmark.h>

#include <string>

#include "tiercel/analysis/analyzer.h"
#include "tiercel/base/check.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping.h"

namespace tiercel::mapping {
namespace {

std::string DocumentText(size_t body_bytes) {
  std::string text;
  json::Writer w(text);
  constexpr const char* kWords[] = {"alpha",  "bravo",  "charlie", "don't", "segment",
                                    "vector", "Engine", "search",  "merge", "3.14"};
  std::string body;
  for (size_t i = 0; body.size() < body_bytes; ++i) body += std::string(kWords[i * 7 % 10]) + " ";
  w.Object([&] {
    w.Member("id", 123456).Member("title", "alpha bravo charlie").Member("tag", "red").Member("price", 12.75);
    w.Member("when", "2020-01-02T03:04:05Z").Member("flag", true).Member("addr", "10.0.0.7");
    w.Key("obj").Object([&] { w.Member("kind", "a").Member("size", 17); });
    w.Member("body", body);
  });
  return text;
}

std::shared_ptr<const Mapping> TestMapping() {
  const json::Document document =
      json::Document::Parse(
          R"({"properties":{"id":{"type":"long"},"title":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":24}}},
          "body":{"type":"text"},"tag":{"type":"keyword"},"price":{"type":"double"},"when":{"type":"date"},"flag":{"type":"boolean"},
          "addr":{"type":"ip"},"obj":{"properties":{"kind":{"type":"keyword"},"size":{"type":"integer"}}},
          "v":{"type":"dense_vector","dims":768}}})")
          .value();
  return Mapping::Parse(document.root()).value();
}

void BM_ParseDocument(benchmark::State& state) {
  const auto mapping = TestMapping();
  const DocumentParser parser;
  const std::string text = DocumentText(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    auto result = parser.Parse(mapping, "1", text);
    TIERCEL_CHECK(result.ok() && !result->mapping_update_json);
    benchmark::DoNotOptimize(result->document.tokens.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_ParseDocument)->Arg(0)->Arg(800);

void BM_ParseVectorDocument(benchmark::State& state) {
  const auto mapping = TestMapping();
  const DocumentParser parser;
  std::string text;
  json::Writer w(text);
  w.Object([&] {
    w.Key("v").Array([&] {
      for (int i = 0; i < 768; ++i) w.Float(static_cast<float>(i % 97) / 97.0f - 0.5f);
    });
  });
  for (auto _ : state) benchmark::DoNotOptimize(parser.Parse(mapping, "1", text).ok());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_ParseVectorDocument);

void BM_StandardAnalyzer(benchmark::State& state) {
  const analysis::Analyzer* analyzer = analysis::FindAnalyzer("standard");
  std::string text;
  for (int i = 0; i < 100; ++i) text += state.range(0) == 0 ? "search Engine " : "naïve Übung ";
  analysis::TokenBuffer tokens;
  for (auto _ : state) {
    tokens.Clear();
    analyzer->Analyze(text, tokens);
    benchmark::DoNotOptimize(tokens.tokens.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_StandardAnalyzer)->Arg(0)->Arg(1);

}  // namespace
}  // namespace tiercel::mapping

BENCHMARK_MAIN();
