#include "tiercel/shard/object_kind.h"

#include <charconv>
#include <optional>
#include <string>

#include "tiercel/shard/segment_registry.h"

namespace tiercel::shard {

ObjectKind KindOf(std::string_view relative) {
  const size_t slash = relative.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view directory = relative.substr(0, slash);
  const std::string_view name = relative.substr(slash + 1);
  if (directory == "segments") {
    const auto number = SegmentNumber(name);
    return number ? ObjectKind{ObjectKind::Kind::kSegment, *number} : ObjectKind{};
  }
  if (directory == "live") {
    const size_t dot = name.find('.');
    const auto number =
        dot == std::string_view::npos ? std::nullopt : SegmentNumber("_" + std::string(name.substr(dot + 1)));
    return number ? ObjectKind{ObjectKind::Kind::kLiveDocs, *number} : ObjectKind{};
  }
  uint64_t generation = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), generation, 16);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  if (directory == "manifest") return {ObjectKind::Kind::kManifest, generation};
  if (directory == "log") return {ObjectKind::Kind::kLog, generation};
  return {};
}

}  // namespace tiercel::shard
