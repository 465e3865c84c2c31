// How fast segments are built, merged and read. Documents are small: two numbers, a keyword, a text of a dozen words.
#include <benchmark/benchmark.h>

#include "tiercel/base/random.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/segment/builder.h"

namespace tiercel::segment {
namespace {

constexpr uint32_t kDocs = 50'000;

std::vector<mapping::ParsedDocument> MakeDocuments(uint32_t count) {
  const auto json = json::Document::Parse(R"({"properties": {"n": {"type": "long"}, "m": {"type": "long"},
      "k": {"type": "keyword"}, "t": {"type": "text"}}})");
  const auto mapping = mapping::Mapping::Parse(json->root()).value();
  Random random(1);
  std::vector<mapping::ParsedDocument> documents(count);
  for (uint32_t i = 0; i < count; ++i) {
    mapping::ParsedDocument& doc = documents[i];
    doc.mapping = mapping;
    doc.id = random.Uuid();
    doc.source = R"({"n": )" + std::to_string(i) + R"(, "t": ")";
    doc.numerics = {{mapping->Find("n")->id, i}, {mapping->Find("m")->id, static_cast<int64_t>(random.Below(100'000))}};
    const auto term = [&](const std::string& text) {
      const auto offset = static_cast<uint32_t>(doc.term_bytes.size());
      doc.term_bytes += text;
      return offset;
    };
    const std::string keyword = "key-" + std::to_string(random.Below(1000));
    doc.keywords = {{mapping->Find("k")->id, term(keyword), static_cast<uint32_t>(keyword.size())}};
    for (uint32_t j = 0; j < 12; ++j) {
      // Words by a square law: some in most documents, most in few.
      const std::string word = "word" + std::to_string(random.Below(1 + random.Below(20'000)));
      doc.tokens.push_back({term(word), static_cast<uint32_t>(word.size()), j});
      doc.source += word + " ";
    }
    doc.texts = {{mapping->Find("t")->id, 0, 12}};
    doc.source += "\"}";
  }
  return documents;
}

const std::vector<mapping::ParsedDocument>& Documents() {
  static const auto documents = MakeDocuments(kDocs);
  return documents;
}

std::shared_ptr<const cache::Input> BuildImage() {
  SegmentBuilder builder;
  for (const auto& document : Documents()) benchmark::DoNotOptimize(builder.Add(document, {}).ok());
  MemoryUpload upload;
  benchmark::DoNotOptimize(builder.Finish("bench", upload).ok());
  return std::move(upload).IntoInput("bench");
}

std::shared_ptr<const Segment> BenchSegment() {
  static const auto segment = Segment::Open(BuildImage()).value();
  return segment;
}

void BM_Build(benchmark::State& state) {
  Documents();
  uint64_t bytes = 0;
  for (auto _ : state) bytes = BuildImage()->size();
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kDocs);
  state.counters["bytes_per_doc"] = static_cast<double>(bytes) / kDocs;
}
BENCHMARK(BM_Build)->Unit(benchmark::kMillisecond);

void BM_Merge(benchmark::State& state) {
  const SegmentView views[] = {{BenchSegment(), nullptr}, {BenchSegment(), nullptr}};
  for (auto _ : state) {
    MemoryUpload upload;
    benchmark::DoNotOptimize(MergeSegments(views, "m", {}, upload, runtime::Cancellation(), nullptr).ok());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * 2 * kDocs);
}
BENCHMARK(BM_Merge)->Unit(benchmark::kMillisecond);

void BM_ReadNumericBlocks(benchmark::State& state) {
  const auto segment = BenchSegment();
  const NumericColumn* column = segment->numeric("m");
  NumericColumn::Block block;
  for (auto _ : state) {
    for (uint32_t i = 0; i < column->block_count(); ++i) benchmark::DoNotOptimize(column->ReadBlock(i, block).ok());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kDocs);
}
BENCHMARK(BM_ReadNumericBlocks);

void BM_ReadOrdinalBlocks(benchmark::State& state) {
  const auto segment = BenchSegment();
  const KeywordColumn* column = segment->keyword("k");
  KeywordColumn::Block block;
  for (auto _ : state) {
    for (uint32_t i = 0; i * KeywordColumn::kBlock < kDocs; ++i)
      benchmark::DoNotOptimize(column->ReadBlock(i, block).ok());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kDocs);
}
BENCHMARK(BM_ReadOrdinalBlocks);

void BM_PostingsBatch(benchmark::State& state) {
  const auto segment = BenchSegment();
  const TermIndex* index = segment->terms("t");
  std::vector<DocId> docs(256);
  std::vector<uint32_t> freqs(state.range(0) ? 256 : 0);
  uint64_t postings = 0;
  for (auto _ : state) {
    const auto cursor = index->Postings("word0").value();
    while (const uint32_t got = cursor->NextBatch(docs, freqs)) postings += got;
  }
  state.SetItemsProcessed(static_cast<int64_t>(postings));
}
BENCHMARK(BM_PostingsBatch)->Arg(0)->Arg(1)->ArgName("freqs");

void BM_FindTerm(benchmark::State& state) {
  const auto segment = BenchSegment();
  const TermIndex* index = segment->terms("t");
  Random random(2);
  std::vector<std::string> words;
  for (int i = 0; i < 1024; ++i) words.push_back("word" + std::to_string(random.Below(20'000)));
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(index->Find(words[next++ % words.size()]).ok());
}
BENCHMARK(BM_FindTerm);

void BM_FindId(benchmark::State& state) {
  const auto segment = BenchSegment();
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(segment->FindId(Documents()[next++ * 7919 % kDocs].id).ok());
}
BENCHMARK(BM_FindId);

void BM_RandomSource(benchmark::State& state) {
  const auto segment = BenchSegment();
  Random random(3);
  for (auto _ : state) benchmark::DoNotOptimize(segment->Source(static_cast<DocId>(random.Below(kDocs))).ok());
}
BENCHMARK(BM_RandomSource);

}  // namespace
}  // namespace tiercel::segment

BENCHMARK_MAIN();
