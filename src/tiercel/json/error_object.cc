#include "tiercel/json/error_object.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace tiercel::json {
namespace {

constexpr std::array<std::string_view, 5> kNumericAttributes = {"line", "col", "bytes_wanted", "bytes_limit",
                                                                "max_buckets"};

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void WriteErrorMembers(const Status& status, Writer& writer) {
  writer.Member("type", status.type()).Member("reason", status.message());
  for (const auto& [key, value] : status.attributes()) {
    const bool numeric =
        std::find(kNumericAttributes.begin(), kNumericAttributes.end(), key) != kNumericAttributes.end();
    if (const auto number = numeric ? Number(value) : std::nullopt) {
      writer.Member(key, *number);
    } else {
      writer.Member(key, value);
    }
  }
}

void WriteErrorObject(const Status& status, Writer& writer) {
  writer.Object([&] {
    WriteErrorMembers(status, writer);
    if (status.cause() == nullptr) return;
    writer.Key("caused_by");
    WriteErrorObject(*status.cause(), writer);
  });
}

}  // namespace tiercel::json
