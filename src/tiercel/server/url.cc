#include "tiercel/server/url.h"

#include <algorithm>

namespace tiercel::server {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Status BadParameter(const Status& cause) {
  return InvalidArgument("java.lang.IllegalArgumentException: " + cause.message())
      .WithType("bad_parameter_exception")
      .WithCause(cause);
}

void Put(QueryParameters& parameters, std::string name, std::string value) {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == name; });
  if (found == parameters.end()) {
    parameters.emplace_back(std::move(name), std::move(value));
  } else {
    found->second = std::move(value);
  }
}

}  // namespace

Target SplitTarget(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  if (question == std::string_view::npos) return {target, {}};
  return {target.substr(0, question), target.substr(question + 1)};
}

Result<std::string> PercentDecode(std::string_view part, std::string_view whole, bool plus_is_space) {
  std::string out;
  out.reserve(part.size());
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == '+' && plus_is_space) {
      out += ' ';
    } else if (c != '%') {
      out += c;
    } else if (i + 2 >= part.size()) {
      return InvalidArgument("unterminated escape sequence at end of string: " + std::string(whole));
    } else {
      const int high = HexDigit(part[i + 1]), low = HexDigit(part[i + 2]);
      if (high < 0 || low < 0) {
        return InvalidArgument("invalid escape sequence `" + std::string(part.substr(i, 3)) + "' at index " +
                               std::to_string(part.data() + i - whole.data()) + " of: " + std::string(whole));
      }
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

Result<QueryParameters> ParseQueryString(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const size_t end = query.find_first_of("&;");
    const std::string_view item = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    const size_t equals = item.find('=');
    const std::string_view name_text = item.substr(0, equals);
    const std::string_view value_text = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    if (name_text.empty()) continue;
    Result<std::string> name = PercentDecode(name_text, name_text, true);
    if (!name.ok()) return BadParameter(name.error());
    Result<std::string> value = PercentDecode(value_text, value_text, true);
    if (!value.ok()) return BadParameter(value.error());
    Put(parameters, std::move(name).value(), std::move(value).value());
  }
  return parameters;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (const std::string_view item = text.substr(0, comma); !item.empty()) items.emplace_back(item);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return items;
}

}  // namespace tiercel::server
