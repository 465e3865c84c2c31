#include "tiercel/server/http_message.h"

#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>

namespace tiercel::server {
namespace {

constexpr std::array<std::string_view, kHttpMethodCount + 1> kMethodNames = {
    "GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT", ""};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

void AppendNumber(uint64_t number, std::string& out) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// Field values come from requests too (X-Opaque-Id); a line break in one would start a header of the sender's choosing.
void AppendFieldValue(std::string_view value, std::string& out) {
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') out += c;
  }
}

}  // namespace

std::string_view MethodName(HttpMethod method) { return kMethodNames[static_cast<size_t>(method)]; }

HttpMethod ParseMethod(std::string_view name) {
  for (size_t i = 0; i < kHttpMethodCount; ++i) {
    if (kMethodNames[i] == name) return static_cast<HttpMethod>(i);
  }
  return HttpMethod::kOther;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

void HttpHeaders::Clear() {
  text_.clear();
  entries_.clear();
}

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  const auto at = static_cast<uint32_t>(text_.size());
  text_.append(name).append(value);
  entries_.push_back({at, static_cast<uint32_t>(name.size()), at + static_cast<uint32_t>(name.size()),
                      static_cast<uint32_t>(value.size())});
}

std::optional<std::string_view> HttpHeaders::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (EqualsIgnoringCase(Text(entry.name, entry.name_length), name)) return Text(entry.value, entry.value_length);
  }
  return std::nullopt;
}

void HttpRequest::Clear() {
  constexpr size_t kKeptCapacity = 64 << 10;  // an idle connection must not hold the memory of its largest body
  method = HttpMethod::kOther;
  method_text.clear();
  target.clear();
  headers.Clear();
  body.clear();
  if (body.capacity() > kKeptCapacity) body = std::string();
  keep_alive = true;
  charge.Release();
  cancellation.reset();
}

std::string SerializeHead(const HttpResponse& response, uint64_t body_length, bool keep_alive) {
  std::string head;
  head.reserve(256);
  head += "HTTP/1.1 ";
  AppendNumber(static_cast<uint64_t>(response.status), head);
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(response.status));
  head.append(" ").append(reason.data(), reason.size()).append("\r\n");
  for (const auto& [name, value] : response.headers) {
    head.append(name).append(": ");
    AppendFieldValue(value, head);
    head += "\r\n";
  }
  if (!response.type().empty()) {
    head += "content-type: ";
    AppendFieldValue(response.type(), head);
    head += "\r\n";
  }
  head += "content-length: ";
  AppendNumber(body_length, head);
  head += keep_alive ? "\r\n\r\n" : "\r\nconnection: close\r\n\r\n";
  return head;
}

}  // namespace tiercel::server
