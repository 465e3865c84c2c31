#include "tiercel/store/object_name.h"

#include <algorithm>
#include <string>

namespace tiercel::store {
namespace {

constexpr size_t kNameLengthMax = 1024;
constexpr size_t kSegmentLengthMax = 255;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

Status Bad(std::string_view name, std::string_view why) {
  return InvalidArgument("invalid object name [" + std::string(name.substr(0, kNameLengthMax)) +
                         "]: " + std::string(why));
}

Status CheckSegment(std::string_view name, std::string_view segment) {
  if (segment.front() == '.') return Bad(name, "a segment starts with a dot");
  if (segment.size() > kSegmentLengthMax) return Bad(name, "a segment is longer than 255 bytes");
  if (!std::all_of(segment.begin(), segment.end(), IsNameCharacter))
    return Bad(name, "only [A-Za-z0-9._-] may be used");
  return {};
}

Status Check(std::string_view name, bool last_may_be_empty) {
  if (name.size() > kNameLengthMax) return Bad(name, "longer than 1024 bytes");
  for (std::string_view rest = name;;) {
    const size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (!segment.empty()) {
      TIERCEL_TRY(CheckSegment(name, segment));
    } else if (slash != std::string_view::npos || !last_may_be_empty) {
      return Bad(name, "an empty segment");
    }
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

Status CheckObjectName(std::string_view name) { return Check(name, false); }
Status CheckPrefix(std::string_view prefix) { return Check(prefix, true); }

}  // namespace tiercel::store
