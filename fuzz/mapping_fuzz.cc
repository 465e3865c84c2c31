// Mappings and documents from arbitrary text: the first line is a mapping, the second a mapping to merge, the rest a
// document.
#include <string>
#include <string_view>

#include "tiercel/base/check.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"

namespace {

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

std::shared_ptr<const tiercel::mapping::Mapping> ReadMapping(std::string_view& text) {
  using tiercel::json::Document;
  auto mapping = tiercel::mapping::Mapping::Empty();
  if (const auto first = Document::Parse(TakeLine(text)); first.ok()) {
    if (auto parsed = tiercel::mapping::Mapping::Parse(first->root()); parsed.ok()) mapping = *parsed;
  }
  if (const auto second = Document::Parse(TakeLine(text)); second.ok()) {
    if (auto merged = mapping->Merge(second->root()); merged.ok()) mapping = *merged;
  }
  return mapping;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto mapping = ReadMapping(text);
  // What a mapping prints, it reads back to the same.
  const std::string printed = mapping->ToJson();
  const auto document = tiercel::json::Document::Parse(printed);
  TIERCEL_CHECK(document.ok(), printed);
  const auto again = tiercel::mapping::Mapping::Parse(document->root());
  TIERCEL_CHECK(again.ok(), printed + " " + again.status().ToString());
  TIERCEL_CHECK((*again)->ToJson() == printed, printed + " != " + (*again)->ToJson());

  const tiercel::mapping::DocumentParser parser;
  auto parsed = parser.Parse(mapping, "id", std::string(text));
  if (parsed.ok() && parsed->mapping_update_json) {  // a document that brings fields fits the mapping it asks for
    const auto update = tiercel::json::Document::Parse(*parsed->mapping_update_json);
    TIERCEL_CHECK(update.ok(), *parsed->mapping_update_json);
    if (auto merged = mapping->Merge(update->root()); merged.ok())
      static_cast<void>(parser.Parse(*merged, "id", std::string(text)).ok());
  }
  return 0;
}
