// json::Document::Parse on arbitrary text: never crashes, and what parses prints back to something that parses to the
// same text.
#include <cstdint>
#include <string_view>

#include "tiercel/base/check.h"
#include "tiercel/json/value.h"

namespace {

// Touches every node, so that bad offsets or lengths are seen by the sanitizers.
size_t Walk(tiercel::json::Value value) {
  size_t sum = value.raw().size() + value.offset();
  if (value.is_string()) sum += value.as_string().size();
  for (const tiercel::json::Value element : value.elements()) sum += Walk(element);
  for (const auto [key, member] : value.members()) sum += key.size() + Walk(member);
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool refuse : {false, true}) {
    const auto document = tiercel::json::Document::Parse(text, {.refuse_duplicate_keys = refuse});
    if (!document.ok()) continue;
    static_cast<void>(Walk(document->root()));
    const auto again = tiercel::json::Document::Parse(document->root().raw());
    TIERCEL_CHECK(again.ok() && again->root().raw() == document->root().raw());
  }
  return 0;
}
