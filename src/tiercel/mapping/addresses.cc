#include <arpa/inet.h>

#include <charconv>
#include <cstring>

#include "tiercel/mapping/values.h"

namespace tiercel::mapping {
namespace {

constexpr size_t kAddressBytes = 16;
constexpr char kMappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\xff', '\xff'};

bool IsMapped(std::string_view address) {
  return std::memcmp(address.data(), kMappedPrefix, sizeof kMappedPrefix) == 0;
}

}  // namespace

Result<std::string> ParseIp(std::string_view text) {
  const std::string terminated(text.substr(0, 64));
  char bytes[kAddressBytes];
  if (text.size() < 64 && terminated.find(':') != std::string::npos) {
    if (inet_pton(AF_INET6, terminated.c_str(), bytes) == 1) return std::string(bytes, kAddressBytes);
  } else if (text.size() < 64) {
    std::memcpy(bytes, kMappedPrefix, sizeof kMappedPrefix);
    if (inet_pton(AF_INET, terminated.c_str(), bytes + sizeof kMappedPrefix) == 1)
      return std::string(bytes, kAddressBytes);
  }
  return InvalidArgument("'" + std::string(text) + "' is not an IP string literal.")
      .WithType("illegal_argument_exception");
}

std::string FormatIp(std::string_view sixteen_bytes) {
  if (sixteen_bytes.size() != kAddressBytes) return {};
  char text[INET6_ADDRSTRLEN];
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(sixteen_bytes.data());
  if (IsMapped(sixteen_bytes)) return inet_ntop(AF_INET, bytes + sizeof kMappedPrefix, text, sizeof text);
  // As Java's libraries print it: the longest run of two or more zero groups is "::", and no group is printed as IPv4.
  unsigned groups[8];
  for (size_t i = 0; i < 8; ++i) groups[i] = bytes[2 * i] * 256u + bytes[2 * i + 1];
  size_t best = 8, best_length = 1;
  for (size_t i = 0; i < 8;) {
    size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > best_length) {
      best = i;
      best_length = end - i;
    }
    i = end == i ? i + 1 : end;
  }
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += best_length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    char hex[8];
    out.append(hex, std::to_chars(hex, hex + sizeof hex, groups[i], 16).ptr);
  }
  return out;
}

Result<IpRange> ParseCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return InvalidArgument("Expected [ip/prefix] but was [" + std::string(text) + "]")
        .WithType("illegal_argument_exception");
  }
  const std::string_view address = text.substr(0, slash), prefix = text.substr(slash + 1);
  TIERCEL_TRY_ASSIGN(std::string bytes, ParseIp(address));
  const bool v4 = address.find(':') == std::string_view::npos;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), bits);
  if (error != std::errc() || end != prefix.data() + prefix.size()) {
    return InvalidArgument("For input string: \"" + std::string(prefix) + "\"").WithType("number_format_exception");
  }
  if (bits > (v4 ? 32u : 128u)) {
    return InvalidArgument("Illegal prefix length [" + std::string(prefix) + "] in [" + std::string(text) +
                           "]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges")
        .WithType("illegal_argument_exception");
  }
  if (v4) bits += 96;
  IpRange range{bytes, bytes};
  for (size_t i = 0; i < kAddressBytes; ++i) {
    const size_t kept = bits > i * 8 ? std::min<size_t>(bits - i * 8, 8) : 0;
    const unsigned char host = static_cast<unsigned char>(0xff >> kept);
    range.low[i] = static_cast<char>(range.low[i] & ~host);
    range.high[i] = static_cast<char>(range.high[i] | host);
  }
  return range;
}

}  // namespace tiercel::mapping
