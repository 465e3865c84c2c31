#include <benchmark/benchmark.h>

#include <string>

#include "tiercel/base/check.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"

namespace tiercel::json {
namespace {

std::string DocumentText() {
  std::string text;
  Writer w(text);
  w.Object([&] {
    w.Member("id", 123456)
        .Member("title", "alpha bravo charlie")
        .Member("tag", "red")
        .Member("price", 12.75)
        .Member("flag", true);
    w.Key("obj").Object([&] { w.Member("kind", "a").Member("size", 17); });
    std::string body;
    while (body.size() < 800) body += "search engine segment vector merge ";
    w.Member("body", body);
  });
  return text;
}

void BM_ParseDocument(benchmark::State& state) {
  const std::string text = DocumentText();
  for (auto _ : state) benchmark::DoNotOptimize(Document::Parse(text).ok());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_ParseDocument);

void BM_ParseVector(benchmark::State& state) {
  std::string text;
  Writer w(text);
  w.Array([&] {
    for (int i = 0; i < 768; ++i) w.Float(static_cast<float>(i % 97) / 97.0f - 0.5f);
  });
  for (auto _ : state) benchmark::DoNotOptimize(Document::Parse(text).ok());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_ParseVector);

}  // namespace
}  // namespace tiercel::json

BENCHMARK_MAIN();
