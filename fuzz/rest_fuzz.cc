// What a request line and the shaping parameters are made of: targets, media types, filter_path, pretty, YAML.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tiercel/base/check.h"
#include "tiercel/json/value.h"
#include "tiercel/server/filter_path.h"
#include "tiercel/server/http_compression.h"
#include "tiercel/server/json_layout.h"
#include "tiercel/server/media_type.h"
#include "tiercel/server/rest_message.h"
#include "tiercel/server/url.h"

namespace tiercel::server {
namespace {

void Run(std::string_view input) {
  const size_t line = input.find('\n');
  const std::string_view first = input.substr(0, line);
  const std::string_view rest = line == std::string_view::npos ? std::string_view() : input.substr(line + 1);
  const Target target = SplitTarget(first);
  (void)PercentDecode(target.path, target.path, false);
  (void)ParseQueryString(target.query);
  (void)Negotiate(first, rest, target.query);
  (void)ParseTimeMs(first);
  (void)AcceptsGzip(first);
  runtime::MemoryCharge charge;
  (void)Decompress(rest, 1 << 20, nullptr, charge);
  const Result<json::Document> document = json::Document::Parse(rest);
  if (!document.ok()) return;
  const std::string kept = FilterPath(first).Apply(document->root());
  if (document->root().is_object() || document->root().is_array()) {
    TIERCEL_CHECK(json::Document::Parse(kept).ok(), "filter_path made bad JSON");
  }
  const std::string pretty = PrettyJson(document->root());
  TIERCEL_CHECK(json::Document::Parse(pretty).ok(), "pretty made bad JSON");
  TIERCEL_CHECK(json::Document::Parse(WithTypes(document->root())).ok(), "typed made bad JSON");
  (void)Yaml(document->root());
}

}  // namespace
}  // namespace tiercel::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tiercel::server::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
