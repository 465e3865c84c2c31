// Search requests from arbitrary text, run over a small index: parse, execute, and check that the response is JSON.
#include <memory>

#include "tiercel/base/check.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/search/search.h"
#include "tiercel/segment/builder.h"

namespace {

using namespace tiercel;

constexpr const char* kMapping =
    R"({"properties":{"title":{"type":"text","fields":{"raw":{"type":"keyword"}}},"tag":{"type":"keyword"},"count":{"type":"long"},
  "price":{"type":"double"},"when":{"type":"date"},"flag":{"type":"boolean"},"addr":{"type":"ip"},"vec":{"type":"dense_vector","dims":3,"similarity":"l2_norm"}}})";

struct Index {
  search::SearchTarget target;
  runtime::ThreadPool pool{"fuzz", 1, 10};
  runtime::MemoryBudget budget{1u << 30};
  FakeClock clock;

  Index() {
    const auto text = json::Document::Parse(kMapping);
    target.index = "index";
    target.mapping = *mapping::Mapping::Parse(text->root());
    auto snapshot = std::make_shared<segment::Snapshot>();
    for (int s = 0; s < 2; ++s) {
      segment::SegmentBuilder builder;
      for (int i = 0; i < 40; ++i) {
        const std::string n = std::to_string(i);
        auto parsed = mapping::DocumentParser().Parse(
            target.mapping, n + "-" + std::to_string(s),
            R"({"title":"alpha bravo )" + n + R"(","tag":["red","t)" + n + R"("],"count":)" + n + R"(,"price":)" + n +
                R"(.5,"when":"2020-01-0)" + std::to_string(i % 9 + 1) + R"(","flag":true,"addr":"10.0.0.)" + n +
                R"(","vec":[1,2,)" + n + "]}");
        TIERCEL_CHECK(parsed.ok() && builder.Add(parsed->document, {s * 40 + i, 1, 1}).ok());
      }
      segment::MemoryUpload upload;
      TIERCEL_CHECK(builder.Finish("s" + std::to_string(s), upload).ok());
      snapshot->segments.push_back({*segment::Segment::Open(std::move(upload).IntoInput("s")), nullptr});
    }
    target.shards.push_back(std::move(snapshot));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Index& index = *new Index;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = json::Document::Parse(text, {.refuse_duplicate_keys = true});
  if (!body.ok()) return 0;
  const auto request = search::ParseSearchRequest(body->root(), {});
  if (!request.ok()) return 0;
  const runtime::Cancellation cancellation(Clock::System(), Clock::System().MonotonicNs() + 2'000'000'000);
  const search::SearchEnvironment environment{&index.pool, &index.budget, &index.clock, &cancellation};
  const auto outcome = search::Execute(**request, std::span(&index.target, 1), environment);
  if (outcome.ok()) TIERCEL_CHECK(json::Document::Parse(outcome->json).ok(), outcome->json);
  TIERCEL_CHECK(index.budget.request().used_bytes() == 0, "memory charges were not given back");
  return 0;
}
