// HttpRequestParser on any bytes, cut into pieces of any size: no crash, no endless loop, no body over the limit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tiercel/base/check.h"
#include "tiercel/server/http_request_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tiercel::server::HttpRequestParser;
  if (size < 1) return 0;
  const size_t piece = data[0] % 64 + 1;
  std::string_view unread(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr uint64_t kBodyMax = 1000;
  HttpRequestParser parser({.request_line_max = 200, .header_max = 500, .content_length_max = kBodyMax});
  tiercel::server::HttpRequest request;
  size_t visible = 0;  // as a connection's buffer: grows by a piece when the parser needs more
  while (!unread.empty()) {
    const auto used = parser.Feed(unread.substr(0, visible), request);
    if (!used.ok()) break;
    TIERCEL_CHECK(*used <= visible, "took more than it was given");
    TIERCEL_CHECK(request.body.size() <= kBodyMax, "body over the limit");
    unread.remove_prefix(*used);
    visible -= *used;
    if (parser.state() == HttpRequestParser::State::kHeaderDone) {
      parser.Continue();
    } else if (parser.state() == HttpRequestParser::State::kDone) {
      request.Clear();
      parser.Reset();
    } else if (visible == unread.size()) {
      break;
    } else {
      visible = std::min(unread.size(), visible + piece);
      continue;
    }
  }
  return 0;
}
