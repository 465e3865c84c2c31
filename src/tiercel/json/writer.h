// json::Writer: appends JSON to a string, keeping track of commas.
//
//   json::Writer w(out);
//   w.Object([&] { w.Key("took").Int(3); w.Key("hits").Array([&] { ... }); });
//
// Floats print as the shortest text that reads back to the same value of their own width, always with a '.' or exponent
// (0.2876821, 1.0, 1.0E10 as Java would). NaN and infinities print as the strings "NaN", "Infinity", "-Infinity".
//
// Thread safety: one thread. Lifetime: borrows the string. Cost: amortised append.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tiercel/json/value.h"

namespace tiercel::json {

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  Writer& Key(std::string_view key);
  Writer& Null();
  Writer& Bool(bool value);
  Writer& Int(int64_t value);
  Writer& Uint(uint64_t value);
  Writer& Float(float value);
  Writer& Double(double value);
  Writer& String(std::string_view value);
  // Text that is JSON already, copied as it is.
  Writer& Raw(std::string_view json);
  // A parsed value, copied as it stands in its source.
  Writer& Copy(Value value) { return Raw(value.raw()); }
  // A parsed value without the white space its source may have.
  Writer& CopyCompact(Value value);

  Writer& BeginObject();
  Writer& EndObject();
  Writer& BeginArray();
  Writer& EndArray();
  template <typename F>
  Writer& Object(F&& fill) {
    BeginObject();
    fill();
    return EndObject();
  }
  template <typename F>
  Writer& Array(F&& fill) {
    BeginArray();
    fill();
    return EndArray();
  }

  // Key and value in one call.
  Writer& Member(std::string_view key, std::string_view value) { return Key(key).String(value); }
  Writer& Member(std::string_view key, const char* value) { return Key(key).String(value); }
  Writer& Member(std::string_view key, bool value) { return Key(key).Bool(value); }
  Writer& Member(std::string_view key, double value) { return Key(key).Double(value); }
  Writer& Member(std::string_view key, float value) { return Key(key).Float(value); }
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Writer& Member(std::string_view key, T value) {
    if constexpr (std::is_signed_v<T>)
      return Key(key).Int(value);
    else
      return Key(key).Uint(value);
  }

  std::string& out() { return out_; }

 private:
  void Separate();
  std::string& out_;
  bool comma_ = false;
};

// Appends `text` to `out` as a quoted JSON string.
void AppendQuoted(std::string_view text, std::string& out);
// Shortest text that reads back to the same value; used by Writer and for Java-like messages.
void AppendDouble(double value, std::string& out);
void AppendFloat(float value, std::string& out);

}  // namespace tiercel::json
