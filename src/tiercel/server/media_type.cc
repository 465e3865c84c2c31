#include "tiercel/server/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tiercel/server/http_message.h"

namespace tiercel::server {
namespace {

struct FormatRow {
  MediaFormat format;
  std::string_view name;     // ?format=
  std::string_view subtype;  // of application/
};
constexpr std::array<FormatRow, 5> kFormats = {{{MediaFormat::kJson, "json", "json"},
                                                {MediaFormat::kNdjson, "x-ndjson", "x-ndjson"},
                                                {MediaFormat::kYaml, "yaml", "yaml"},
                                                {MediaFormat::kCbor, "cbor", "cbor"},
                                                {MediaFormat::kSmile, "smile", "smile"}}};
constexpr std::string_view kVendor = "vnd.elasticsearch+";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool ConsumePrefix(std::string_view& text, std::string_view prefix) {
  if (!EqualsIgnoringCase(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

int CompatibleWith(std::string_view parameters) {
  while (!parameters.empty()) {
    const size_t semicolon = parameters.find(';');
    std::string_view item = Trim(parameters.substr(0, semicolon));
    parameters = semicolon == std::string_view::npos ? std::string_view() : parameters.substr(semicolon + 1);
    if (ConsumePrefix(item, "compatible-with="))
      return item.size() == 1 && item[0] >= '0' && item[0] <= '9' ? item[0] - '0' : -1;
  }
  return 0;
}

Status CheckVersion(const std::optional<MediaType>& type, std::string_view header, std::string_view value) {
  if (!type || type->compatible_with == 0 || (type->compatible_with >= 7 && type->compatible_with <= 9)) return {};
  return InvalidArgument("Invalid media-type value on headers [" + std::string(header) + "]")
      .WithType("media_type_header_exception")
      .WithCause(InvalidArgument(std::string(header) + " version must be 7, 8 or 9: " + std::string(header) + "=" +
                                 std::string(value))
                     .WithType("status_exception"));
}

}  // namespace

std::optional<MediaType> ParseMediaType(std::string_view text) {
  const size_t semicolon = text.find(';');
  std::string_view type = Trim(text.substr(0, semicolon));
  MediaType media;
  if (semicolon != std::string_view::npos) media.compatible_with = CompatibleWith(text.substr(semicolon + 1));
  if (EqualsIgnoringCase(type, "text/plain")) {
    media.format = MediaFormat::kText;
    return media;
  }
  if (!ConsumePrefix(type, "application/")) return std::nullopt;
  media.vendored = ConsumePrefix(type, kVendor);
  for (const FormatRow& row : kFormats) {
    if (!EqualsIgnoringCase(type, row.subtype)) continue;
    media.format = row.format;
    return media;
  }
  return std::nullopt;
}

std::string Negotiated::ResponseType(MediaFormat response_format) const {
  if (response_format == MediaFormat::kText) return "text/plain; charset=UTF-8";
  const auto row =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const FormatRow& r) { return r.format == response_format; });
  std::string type = "application/";
  if (vendored) type += kVendor;
  type += row->subtype;
  if (vendored && compatible_with != 0) type += ";compatible-with=" + std::to_string(compatible_with);
  return type;
}

Result<Negotiated> Negotiate(std::optional<std::string_view> content_type, std::optional<std::string_view> accept,
                             std::optional<std::string_view> format_parameter) {
  Negotiated result;
  if (content_type) result.body = ParseMediaType(*content_type);
  TIERCEL_TRY(CheckVersion(result.body, "Content-Type", content_type.value_or("")));
  if (result.body) result.compatible_with = result.body->compatible_with;
  if (accept && accept->find(',') == std::string_view::npos && accept->find("*/*") == std::string_view::npos) {
    const std::optional<MediaType> wanted = ParseMediaType(*accept);
    TIERCEL_TRY(CheckVersion(wanted, "Accept", *accept));
    if (wanted) {
      result.format = wanted->format;
      result.vendored = wanted->vendored;
      if (wanted->compatible_with != 0) result.compatible_with = wanted->compatible_with;
    }
  }
  if (format_parameter) {
    for (const FormatRow& row : kFormats) {
      if (row.name == *format_parameter) result.format = row.format;
    }
    if (*format_parameter == "text" || *format_parameter == "txt") result.format = MediaFormat::kText;
  }
  return result;
}

}  // namespace tiercel::server
