#include "tiercel/json/diagnosis.h"

#include <cctype>
#include <cstdio>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tiercel/json/number.h"

namespace tiercel::json {
namespace {

constexpr size_t kExcerptMax = 500;
constexpr const char* kTrailing = "Unexpected content after the end of the value";
constexpr const char* kNumberEnds = "Unexpected end-of-input in VALUE_NUMBER_INT";
constexpr std::string_view kValueList = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

// Line and column, from 1, of the byte behind the first `consumed` ones.
std::pair<size_t, size_t> LineColumn(std::string_view text, size_t consumed) {
  size_t line = 1, line_start = 0;
  for (size_t i = 0; i < consumed && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      line_start = i + 1;
    }
  }
  return {line, consumed + 1 - line_start};
}

// "[Source: (byte[])"..."; line: 1, column: 5]"
std::string Where(std::string_view text, size_t line, size_t column) {
  std::string out = "[Source: (byte[])\"";
  for (const char c : text.substr(0, kExcerptMax)) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
  if (text.size() > kExcerptMax) out += "[truncated " + std::to_string(text.size() - kExcerptMax) + " bytes]";
  return out + "; line: " + std::to_string(line) + ", column: " + std::to_string(column) + "]";
}

std::string Where(std::string_view text, size_t consumed) {
  const auto [line, column] = LineColumn(text, consumed);
  return Where(text, line, column);
}

std::string Place(std::string_view text, size_t consumed) {
  const auto [line, column] = LineColumn(text, consumed);
  return "[" + std::to_string(line) + ":" + std::to_string(column) + "] ";
}

class Diagnosis {
 public:
  Diagnosis(std::string_view text, const ParseOptions& options) : text_(text), options_(options) {}

  // Start of the last token read before the error.
  size_t last_token() const { return last_token_; }
  // Whether the text begins with a whole value, so that the error lies behind it.
  bool seen_value() const { return seen_value_; }
  size_t end_of_value() const { return end_of_value_; }

  Status Run() {
    while (!error_ && Step()) {
    }
    if (error_) return std::move(*error_);
    // The fast parser refused what this one accepts: say so rather than guess.
    Fail(text_.size(), "Invalid JSON text");
    return std::move(*error_);
  }

 private:
  enum class Expect { kValue, kFirstElement, kFirstKey, kKey, kSeparator };
  struct Scope {
    bool object;
    size_t start;
    std::unordered_set<std::string> keys;
  };

  // One token; false when the text ends well or an error was found.
  bool Step() {
    SkipSpace();
    if (at_ == text_.size()) return AtEnd();
    const char c = text_[at_];
    const bool root = scopes_.empty();
    const bool may_close =
        root || expect_ == Expect::kFirstElement || expect_ == Expect::kFirstKey || expect_ == Expect::kSeparator;
    if (may_close && (c == ']' || c == '}')) return Close(c);
    switch (expect_) {
      case Expect::kSeparator:
        return Separator(c);
      case Expect::kFirstKey:
      case Expect::kKey:
        return Key(c);
      case Expect::kValue:
      case Expect::kFirstElement:
        return ReadValue(c);
    }
    return false;
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool AtEnd() {
    if (scopes_.empty()) {
      if (!seen_value_) return FailEnd("No content to map due to end-of-input");
      return false;
    }
    const Scope& scope = scopes_.back();
    const std::string kind = scope.object ? "Object" : "Array";
    if (expect_ == Expect::kValue || expect_ == Expect::kKey)
      return FailEnd("Unexpected end-of-input within/between " + kind + " entries");
    return FailEnd("Unexpected end-of-input: expected close marker for " + kind + " (start marker at " +
                   Where(text_, scope.start) + ")");
  }

  bool Close(char c) {
    const bool object = c == '}';
    if (scopes_.empty() || scopes_.back().object != object) {
      const bool root = scopes_.empty();
      const char expected = root ? (object ? ']' : '}') : (scopes_.back().object ? '}' : ']');
      const std::string kind = root ? "root" : scopes_.back().object ? "Object" : "Array";
      return Fail(at_, std::string("Unexpected close marker '") + c + "': expected '" + expected + "' (for " + kind +
                           " starting at " + (root ? Where(text_, 1, 0) : Where(text_, scopes_.back().start)) + ")");
    }
    scopes_.pop_back();
    last_token_ = at_;
    ++at_;
    return AfterValue();
  }

  bool AfterValue() {
    if (scopes_.empty() && seen_value_) return Fail(at_, kTrailing);
    seen_value_ = scopes_.empty();
    if (seen_value_) end_of_value_ = at_;
    expect_ = scopes_.empty() ? Expect::kValue : Expect::kSeparator;
    return true;
  }

  bool Separator(char c) {
    const bool object = scopes_.back().object;
    if (c != ',')
      return Unexpected(
          at_, c,
          object ? "was expecting comma to separate Object entries" : "was expecting comma to separate Array entries");
    ++at_;
    expect_ = object ? Expect::kKey : Expect::kValue;
    return true;
  }

  bool Key(char c) {
    if (c != '"') return Unexpected(at_, c, "was expecting double-quote to start field name");
    const size_t start = at_;
    if (!ReadString("in field name")) return false;
    std::string key(text_.substr(start + 1, at_ - start - 2));
    if (options_.refuse_duplicate_keys && !scopes_.back().keys.insert(key).second)
      return Fail(at_, "Duplicate field '" + key + "'");
    SkipSpace();
    if (at_ == text_.size()) return FailEnd("Unexpected end-of-input within/between Object entries");
    last_token_ = start;
    if (text_[at_] != ':') return Unexpected(at_, text_[at_], "was expecting a colon to separate field name and value");
    ++at_;
    expect_ = Expect::kValue;
    return true;
  }

  bool ReadValue(char c) {
    switch (c) {
      case '{':
      case '[':
        return Open(c == '{');
      case '"':
        return ReadStringValue();
      case ',':
      case '}':
        return Unexpected(at_, c, "expected a value");
      case ']':
        if (!scopes_.empty() && !scopes_.back().object) return Unexpected(at_, c, "expected a value");
        return Unexpected(at_, c, "expected a valid value " + std::string(kValueList));
      case '+':
        return Unexpected(at_ + 1, c,
                          "in numeric value: JSON spec does not allow numbers to have plus signs: enable "
                          "`JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow",
                          "");
      default:
        break;
    }
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) return ReadDigits();
    if (IsIdentifier(c)) return ReadToken();
    return Unexpected(at_, c, "expected a valid value " + std::string(kValueList));
  }

  bool ReadStringValue() {
    last_token_ = at_;  // a reader hands strings out before it looks into them
    return ReadString("in VALUE_STRING") && AfterValue();
  }

  bool Open(bool object) {
    if (scopes_.empty() && seen_value_) return Fail(at_ + 1, kTrailing);
    if (scopes_.size() >= options_.depth_max) {
      return Fail(at_ + 1, "Document nesting depth (" + std::to_string(scopes_.size() + 1) +
                               ") exceeds the maximum allowed (" + std::to_string(options_.depth_max) + ")");
    }
    scopes_.push_back({object, at_, {}});
    ++at_;
    last_token_ = at_ - 1;
    expect_ = object ? Expect::kFirstKey : Expect::kFirstElement;
    return true;
  }

  bool ReadToken() {
    size_t end = at_;
    while (end < text_.size() && IsIdentifier(text_[end])) ++end;
    const std::string_view token = text_.substr(at_, end - at_);
    if (token == "true" || token == "false" || token == "null") {
      last_token_ = at_;
      at_ = end;
      return AfterValue();
    }
    if (token == "NaN")
      return Fail(end, "Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow");
    std::string shown(token.substr(0, 256));
    if (token.size() > 256) shown += "...";
    return Fail(std::min(end + 1, text_.size()),
                "Unrecognized token '" + shown + "': was expecting " + std::string(kValueList));
  }

  bool ReadDigits() {
    const Number number = ReadNumber(text_.substr(at_));
    if (number.type != Type::kNull) {
      last_token_ = at_;
      at_ += number.length;
      const bool apart = at_ == text_.size() || std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos;
      if (scopes_.empty() && !apart) return Unexpected(at_, text_[at_], "Expected space separating root-level values");
      return AfterValue();
    }
    size_t at = at_ + (text_[at_] == '-' ? 1 : 0);
    if (at == text_.size()) return FailEnd(kNumberEnds);
    if (!Digit(at))
      return Unexpected(at, text_[at],
                        "in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value", "");
    if (text_[at] == '0' && Digit(at + 1)) return Fail(at + 1, "Invalid numeric value: Leading zeroes not allowed");
    while (Digit(at)) ++at;
    if (at < text_.size() && text_[at] == '.') {
      ++at;
      if (at == text_.size()) return FailEnd(kNumberEnds);
      if (!Digit(at)) return Unexpected(at, text_[at], "in numeric value: Decimal point not followed by a digit", "");
      while (Digit(at)) ++at;
    }
    ++at;  // the exponent is what is left to be wrong
    if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
    if (at >= text_.size()) return FailEnd(kNumberEnds);
    return Unexpected(at, text_[at], "in numeric value: Exponent indicator not followed by a digit", "");
  }
  bool Digit(size_t at) const { return at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])); }

  // Leaves at_ behind the closing quote.
  bool ReadString(const char* where) {
    size_t at = at_ + 1;
    while (at < text_.size()) {
      const unsigned char c = static_cast<unsigned char>(text_[at]);
      if (c == '"') {
        at_ = at + 1;
        return true;
      }
      if (c == '\\') {
        if (!Escape(at, where)) return false;
      } else if (c < 0x20) {
        return Fail(at, "Illegal unquoted character ((CTRL-CHAR, code " + std::to_string(c) +
                            ")): has to be escaped using backslash to be included in string value");
      } else if (c < 0x80) {
        ++at;
      } else if (!Utf8(at, where)) {
        return false;
      }
    }
    return FailEnd(std::string("Unexpected end-of-input ") + where);
  }

  bool Escape(size_t& at, const char* where) {
    if (at + 1 >= text_.size()) return FailEnd(std::string("Unexpected end-of-input ") + where);
    const char c = text_[at + 1];
    if (c == 'u') {
      for (size_t i = at + 2; i < at + 6; ++i) {
        if (i >= text_.size()) return FailEnd("Unexpected end-of-input in character escape sequence");
        if (!std::isxdigit(static_cast<unsigned char>(text_[i])))
          return Unexpected(i, text_[i], "expected a hex-digit for character escape sequence");
      }
      at += 6;
      return true;
    }
    if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
      return Fail(at + 1, std::string("Unrecognized character escape ") + Shown(c));
    }
    at += 2;
    return true;
  }

  bool Utf8(size_t& at, const char* where) {
    const unsigned char c = static_cast<unsigned char>(text_[at]);
    const int more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
    if (more == 0) return Fail(at + 1, "Invalid UTF-8 start byte " + Hex(c));
    for (int i = 1; i <= more; ++i) {
      if (at + static_cast<size_t>(i) >= text_.size()) return FailEnd(std::string("Unexpected end-of-input ") + where);
      const unsigned char next = static_cast<unsigned char>(text_[at + static_cast<size_t>(i)]);
      const bool overlong = i == 1 && ((c == 0xe0 && next < 0xa0) || (c == 0xf0 && next < 0x90));
      const bool beyond = i == 1 && ((c == 0xed && next >= 0xa0) || (c == 0xf4 && next >= 0x90));
      if ((next & 0xc0) != 0x80 || overlong || beyond) {
        return Fail(at + static_cast<size_t>(i) + 1, "Invalid UTF-8 middle byte " + Hex(next));
      }
    }
    at += static_cast<size_t>(more) + 1;
    return true;
  }

  static std::string Hex(unsigned char c) {
    char out[8];
    std::snprintf(out, sizeof out, "0x%x", c);
    return out;
  }
  static bool IsIdentifier(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
  }
  static std::string Shown(char c) {
    const unsigned code = static_cast<unsigned char>(c);
    if (code < 0x20) return "((CTRL-CHAR, code " + std::to_string(code) + "))";
    return std::string("'") + c + "' (code " + std::to_string(code) + ")";
  }

  bool Unexpected(size_t at, char c, const std::string& why, const char* colon = ":") {
    return Fail(at, "Unexpected character (" + Shown(c) + ")" + colon + " " + why);
  }
  // `at` bytes lie before the reported position.
  bool Fail(size_t at, std::string reason) { return Report(at, std::move(reason), false); }
  bool FailEnd(std::string reason) { return Report(text_.size(), std::move(reason), true); }

  bool Report(size_t consumed, std::string reason, bool end) {
    if (!end) {
      error_ = ErrorAt(text_, consumed, reason, "json_parse_exception");
      return false;
    }
    Status cause = InvalidArgument(reason + "\n at " + Where(text_, consumed)).WithType("json_e_o_f_exception");
    Status outer =
        InvalidArgument(Place(text_, consumed) + "Unexpected end of file").WithType("x_content_e_o_f_exception");
    error_ = std::move(outer).WithCause(std::move(cause));
    return false;
  }

  std::string_view text_;
  ParseOptions options_;
  size_t at_ = 0;
  size_t last_token_ = 0;
  size_t end_of_value_ = 0;
  bool seen_value_ = false;
  Expect expect_ = Expect::kValue;
  std::vector<Scope> scopes_;
  std::optional<Status> error_;
};

}  // namespace

Status ErrorAt(std::string_view text, size_t consumed, std::string_view reason, const char* cause_type) {
  std::string message = std::string(reason) + "\n at " + Where(text, consumed);
  Status outer = InvalidArgument(Place(text, consumed) + message).WithType("x_content_parse_exception");
  return std::move(outer).WithCause(InvalidArgument(std::move(message)).WithType(cause_type));
}

ErrorContext FindErrorContext(std::string_view text, uint32_t depth_max) {
  ParseOptions options;
  options.depth_max = depth_max;
  options.refuse_duplicate_keys = true;
  Diagnosis diagnosis(text, options);
  static_cast<void>(diagnosis.Run());
  const auto [line, column] = LineColumn(text, diagnosis.last_token());
  ErrorContext context{static_cast<uint32_t>(line), static_cast<uint32_t>(column), diagnosis.seen_value(), {}};
  if (!context.after_value) return context;
  const size_t extra = text.find_first_not_of(" \t\r\n", diagnosis.end_of_value());
  if (extra == std::string_view::npos) return context;
  switch (text[extra]) {
    case '{':
      context.trailing_token = TokenName(Type::kObject);
      break;
    case '[':
      context.trailing_token = TokenName(Type::kArray);
      break;
    case '"':
      context.trailing_token = TokenName(Type::kString);
      break;
    default:
      break;
  }
  return context;
}

Status Diagnose(std::string_view text, const ParseOptions& options) { return Diagnosis(text, options).Run(); }

}  // namespace tiercel::json
