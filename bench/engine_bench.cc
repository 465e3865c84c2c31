// The engine without HTTP: how fast it indexes, and how near its exact kNN scan comes to the machine's read bandwidth.
//
// usage: engine_bench DATA_DIR DOCUMENTS.ndjson INDEX_BODY.json THREADS QUERY_VECTORS.f32 DIMS
// Prints one JSON object: documents/s, bytes/s of the scan and of a plain read loop over as many bytes, on the same
// threads, in turns. The documents are indexed again under new ids until their vectors are twice the last cache.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tiercel/engine/engine.h"
#include "tiercel/store/directory_store.h"

namespace {

using namespace std::chrono;
using namespace tiercel;

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "engine_bench: %s\n", what.c_str());
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) Die(result.error().ToString());
  return std::move(result).value();
}

double SecondsSince(steady_clock::time_point start) { return duration<double>(steady_clock::now() - start).count(); }

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Die(std::string("cannot read ") + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Bulk bodies of 500 documents, as a client would send them; ids go on from *documents.
std::vector<std::string> BulkBodies(const std::string& text, size_t* documents) {
  std::vector<std::string> bodies;
  size_t in_body = 500;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (in_body == 500) {
      bodies.emplace_back();
      in_body = 0;
    }
    bodies.back() += "{\"index\":{\"_id\":\"" + std::to_string(*documents) + "\"}}\n";
    bodies.back().append(text, at, end - at);
    bodies.back() += '\n';
    ++in_body, ++*documents;
    at = end + 1;
  }
  return bodies;
}

// Documents a second.
double IndexAll(engine::Engine& engine, const std::vector<std::string>& bodies, size_t documents, size_t threads) {
  std::atomic<size_t> next{0};
  const auto start = steady_clock::now();
  std::vector<std::thread> workers;
  for (size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (size_t i; (i = next++) < bodies.size();) {
        engine::BulkRequest request = Must(engine::ParseBulk(bodies[i], {.index = "bench"}));
        if (engine.Bulk(std::move(request), engine::RefreshPolicy::kNone).has_errors()) Die("a document was refused");
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(documents) / SecondsSince(start);
}

using Line = uint64_t __attribute__((vector_size(64)));

// The fastest of the loops tried (1 to 16 streams a thread): two streams, whole lines, the widest registers there are.
__attribute__((target_clones("avx512f", "avx2", "default"))) uint64_t ReadAll(const Line* lines, size_t count) {
  const size_t half = count / 2;
  Line a = {}, b = {};
  for (size_t i = 0; i < half; ++i) {
    a ^= lines[i];
    b ^= lines[half + i];
  }
  a += b;
  uint64_t sum = 0;
  for (size_t i = 0; i < 8; ++i) sum += a[i];
  return sum;
}

// Bytes a second of reading the buffer once on `threads` threads.
double ReadBandwidth(const std::vector<Line>& buffer, size_t threads) {
  std::atomic<uint64_t> sink{0};
  const auto start = steady_clock::now();
  std::vector<std::thread> workers;
  const size_t share = buffer.size() / threads;
  for (size_t t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { sink += ReadAll(buffer.data() + t * share, share); });
  for (std::thread& worker : workers) worker.join();
  const double seconds = SecondsSince(start);
  return sink == 1 ? 0 : static_cast<double>(share * threads * sizeof(Line)) / seconds;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) Die("usage: engine_bench DATA_DIR DOCUMENTS.ndjson INDEX_BODY.json THREADS QUERY_VECTORS.f32 DIMS");
  const size_t threads = std::strtoul(argv[4], nullptr, 10), dims = std::strtoul(argv[6], nullptr, 10);
  auto store = Must(store::DirectoryStore::Open(argv[1]));
  runtime::ThreadPool search_pool("search", threads, 1000), write_pool("write", threads, 1000),
      merge_pool("merge", 1, 100);
  runtime::MemoryBudget budget(runtime::MemoryBudget::PhysicalMemoryBytes());
  auto engine = Must(engine::Engine::Open({.store = store.get(),
                                           .search_pool = &search_pool,
                                           .write_pool = &write_pool,
                                           .merge_pool = &merge_pool,
                                           .budget = &budget,
                                           .clock = &Clock::System()}));
  const json::Document body = Must(json::Document::ParseOwned(ReadFile(argv[3])));
  Must(engine->CreateIndex("bench", body.root()));

  size_t documents = 0;
  const std::string text = ReadFile(argv[2]);
  const std::vector<std::string> bodies = BulkBodies(text, &documents);
  const double index_rate = IndexAll(*engine, bodies, documents, threads);
  // The scan must not fit the last level of cache, which on a rented machine is larger than what is rented of it.
  const long cache_bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 64L << 20);
  while (documents * dims * 4 < 2 * static_cast<size_t>(cache_bytes)) {
    size_t total = documents;
    const std::vector<std::string> copies = BulkBodies(text, &total);
    IndexAll(*engine, copies, total - documents, threads);
    documents = total;
  }
  Must(engine->ForceMerge("bench", {}, {.max_num_segments = 1}));
  Must(engine->Refresh("bench", {}));

  const std::string raw = ReadFile(argv[5]);
  const float* vectors = reinterpret_cast<const float*>(raw.data());
  const size_t queries = raw.size() / 4 / dims;
  const size_t scan_bytes = documents * dims * 4;
  const std::vector<Line> buffer(scan_bytes / sizeof(Line), Line{1, 2, 3, 4, 5, 6, 7, 8});
  std::vector<double> scans, reads;
  for (size_t round = 0; round < 60; ++round) {
    reads.push_back(ReadBandwidth(buffer, threads));
    std::string query =
        R"({"_source":false,"size":10,"knn":{"field":"embedding","k":10,"num_candidates":10,"query_vector":[)";
    for (size_t i = 0; i < dims; ++i) query += (i ? "," : "") + std::to_string(vectors[(round % queries) * dims + i]);
    query += "]}}";
    const json::Document request = Must(json::Document::Parse(query));
    const auto start = steady_clock::now();
    Must(engine->Search({.indices = "bench", .body = request.root()}));
    scans.push_back(static_cast<double>(scan_bytes) / SecondsSince(start));
  }
  std::printf(
      "{\"scan_documents\":%zu,\"threads\":%zu,\"index_docs_per_s\":%.1f,\"scan_bytes_per_s\":%.0f,\"read_bytes_per_"
      "s\":%."
      "0f}\n",
      documents, threads, index_rate, Median(scans), Median(reads));
  return 0;
}
