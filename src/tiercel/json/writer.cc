#include "tiercel/json/writer.h"

#include <charconv>
#include <cmath>

namespace tiercel::json {
namespace {

// Bytes of the UTF-8 character `text` starts with, 0 when it is not one.
size_t Utf8Length(std::string_view text) {
  const auto byte = [text](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [byte](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned c = byte(0);
  if (c >= 0xc2 && c < 0xe0) return continues(1) ? 2 : 0;
  if (c >= 0xe0 && c < 0xf0) {
    const bool bad = (c == 0xe0 && byte(1) < 0xa0) || (c == 0xed && byte(1) >= 0xa0);
    return !bad && continues(1) && continues(2) ? 3 : 0;
  }
  if (c >= 0xf0 && c < 0xf5) {
    const bool bad = (c == 0xf0 && byte(1) < 0x90) || (c == 0xf4 && byte(1) >= 0x90);
    return !bad && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

void AppendEscape(unsigned char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      break;
  }
  constexpr char kHex[] = "0123456789ABCDEF";
  out += "\\u00";
  out += kHex[c >> 4];
  out += kHex[c & 15];
}

template <typename Real>
void AppendReal(Real value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
    return;
  }
  char buffer[64];
  const Real magnitude = std::fabs(value);
  // Java's rule: plain digits from 10^-3 up to 10^7, scientific notation with a one-digit integer part outside.
  const bool plain = magnitude == 0 || (magnitude >= Real(1e-3) && magnitude < Real(1e7));
  char* end = std::to_chars(buffer, buffer + sizeof buffer, value,
                            plain ? std::chars_format::fixed : std::chars_format::scientific)
                  .ptr;
  // Java never prints fewer than two digits and picks the closest such number (4.9E-324, not 5.0E-324).
  if (!plain && buffer[value < 0 ? 2 : 1] == 'e')
    end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 1).ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  if (plain) {
    out += text;
    if (text.find('.') == std::string_view::npos) out += ".0";
    return;
  }
  const size_t e = text.find('e');
  out += text.substr(0, e);
  out += 'E';
  std::string_view exponent = text.substr(e + 1);
  if (exponent[0] == '-') out += '-';
  exponent.remove_prefix(1);
  while (exponent.size() > 1 && exponent[0] == '0') exponent.remove_prefix(1);
  out += exponent;
}

template <typename Integer>
void AppendInteger(Integer value, std::string& out) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  size_t copied = 0;
  for (size_t at = 0; at < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c < 0x80 && c >= 0x20 && c != '"' && c != '\\') {
      ++at;
      continue;
    }
    if (c >= 0x80) {
      if (const size_t length = Utf8Length(text.substr(at)); length != 0) {
        at += length;
        continue;
      }
    }
    out += text.substr(copied, at - copied);
    if (c >= 0x80)
      out += "\xef\xbf\xbd";
    else
      AppendEscape(c, out);
    copied = ++at;
  }
  out += text.substr(copied);
  out += '"';
}

void AppendDouble(double value, std::string& out) { AppendReal(value, out); }
void AppendFloat(float value, std::string& out) { AppendReal(value, out); }

void Writer::Separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

Writer& Writer::Key(std::string_view key) {
  Separate();
  AppendQuoted(key, out_);
  out_ += ':';
  comma_ = false;
  return *this;
}

Writer& Writer::Null() { return Raw("null"); }
Writer& Writer::Bool(bool value) { return Raw(value ? "true" : "false"); }

Writer& Writer::Int(int64_t value) {
  Separate();
  AppendInteger(value, out_);
  return *this;
}

Writer& Writer::Uint(uint64_t value) {
  Separate();
  AppendInteger(value, out_);
  return *this;
}

Writer& Writer::Float(float value) {
  Separate();
  if (std::isfinite(value))
    AppendFloat(value, out_);
  else {
    out_ += '"';
    AppendFloat(value, out_);
    out_ += '"';
  }
  return *this;
}

Writer& Writer::Double(double value) {
  Separate();
  if (std::isfinite(value))
    AppendDouble(value, out_);
  else {
    out_ += '"';
    AppendDouble(value, out_);
    out_ += '"';
  }
  return *this;
}

Writer& Writer::String(std::string_view value) {
  Separate();
  AppendQuoted(value, out_);
  return *this;
}

Writer& Writer::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

Writer& Writer::CopyCompact(Value value) {
  if (value.is_object()) {
    return Object([&] {
      for (const auto [key, member] : value.members()) Key(key).CopyCompact(member);
    });
  }
  if (value.is_array()) {
    return Array([&] {
      for (const Value element : value.elements()) CopyCompact(element);
    });
  }
  return Copy(value);
}

Writer& Writer::BeginObject() {
  Separate();
  out_ += '{';
  comma_ = false;
  return *this;
}

Writer& Writer::EndObject() {
  out_ += '}';
  comma_ = true;
  return *this;
}

Writer& Writer::BeginArray() {
  Separate();
  out_ += '[';
  comma_ = false;
  return *this;
}

Writer& Writer::EndArray() {
  out_ += ']';
  comma_ = true;
  return *this;
}

}  // namespace tiercel::json
