#include "tiercel/analysis/analyzer.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "tiercel/analysis/character_class.h"
#include "tiercel/analysis/standard_tokenizer.h"

namespace tiercel::analysis {
namespace {

constexpr uint32_t kUnitsMax = 255;

constexpr std::string_view kStopWords[] = {"a",    "an",   "and",  "are",  "as",   "at",    "be",   "but",   "by",
                                           "for",  "if",   "in",   "into", "is",   "it",    "no",   "not",   "of",
                                           "on",   "or",   "such", "that", "the",  "their", "then", "there", "these",
                                           "they", "this", "to",   "was",  "will", "with"};

void Append(std::string_view text, uint32_t start, uint32_t end, bool lower, TokenBuffer& out) {
  const uint32_t offset = static_cast<uint32_t>(out.terms.size());
  const std::string_view term = text.substr(start, end - start);
  if (lower)
    AppendLowerCase(term, out.terms);
  else
    out.terms += term;
  out.tokens.push_back({offset, static_cast<uint32_t>(out.terms.size()) - offset, out.position++, start, end});
}

class StandardAnalyzer final : public Analyzer {
 public:
  std::string_view name() const override { return "standard"; }
  void Analyze(std::string_view text, TokenBuffer& out) const override {
    StandardTokenizer tokenizer(text);
    while (tokenizer.Next()) Append(text, tokenizer.start(), tokenizer.end(), true, out);
  }
};

// Runs of the characters a predicate accepts, cut once they reach 255 UTF-16 units.
template <typename Accept>
void AnalyzeRuns(std::string_view text, bool lower, Accept accept, TokenBuffer& out) {
  uint32_t start = 0, units = 0;
  for (uint32_t at = 0; at < text.size();) {
    const Character next = Decode(text, at);
    const bool inside = accept(next.code);
    if (inside) {
      if (units == 0) start = at;
      units += next.code > 0xffff ? 2 : 1;
    }
    const uint32_t end = inside ? at + next.length : at;
    if (units >= kUnitsMax || (!inside && units != 0)) {
      Append(text, start, end, lower, out);
      units = 0;
    }
    at += next.length;
  }
  if (units != 0) Append(text, start, static_cast<uint32_t>(text.size()), lower, out);
}

bool IsWordLetter(int32_t code) { return code >= 0 && u_isalpha(code) != 0; }

class SimpleAnalyzer final : public Analyzer {
 public:
  std::string_view name() const override { return "simple"; }
  void Analyze(std::string_view text, TokenBuffer& out) const override { AnalyzeRuns(text, true, IsWordLetter, out); }
};

class WhitespaceAnalyzer final : public Analyzer {
 public:
  std::string_view name() const override { return "whitespace"; }
  void Analyze(std::string_view text, TokenBuffer& out) const override {
    AnalyzeRuns(text, false, [](int32_t code) { return code >= 0 && u_isWhitespace(code) == 0; }, out);
  }
};

// As simple, without English stop words; they leave holes in the positions.
class StopAnalyzer final : public Analyzer {
 public:
  std::string_view name() const override { return "stop"; }
  void Analyze(std::string_view text, TokenBuffer& out) const override {
    const size_t first = out.tokens.size();
    AnalyzeRuns(text, true, IsWordLetter, out);
    const auto stops = [&out](const Token& token) {
      const std::string_view term = out.term(token);
      return std::find(std::begin(kStopWords), std::end(kStopWords), term) != std::end(kStopWords);
    };
    const auto from = out.tokens.begin() + static_cast<std::ptrdiff_t>(first);
    out.tokens.erase(std::remove_if(from, out.tokens.end(), stops), out.tokens.end());
  }
};

class KeywordAnalyzer final : public Analyzer {
 public:
  std::string_view name() const override { return "keyword"; }
  void Analyze(std::string_view text, TokenBuffer& out) const override {
    if (!text.empty()) Append(text, 0, static_cast<uint32_t>(text.size()), false, out);
  }
};

}  // namespace

const Analyzer* FindAnalyzer(std::string_view name) {
  static const StandardAnalyzer standard;
  static const SimpleAnalyzer simple;
  static const WhitespaceAnalyzer whitespace;
  static const StopAnalyzer stop;
  static const KeywordAnalyzer keyword;
  for (const Analyzer* analyzer : {static_cast<const Analyzer*>(&standard), static_cast<const Analyzer*>(&simple),
                                   static_cast<const Analyzer*>(&whitespace), static_cast<const Analyzer*>(&stop),
                                   static_cast<const Analyzer*>(&keyword)}) {
    if (analyzer->name() == name) return analyzer;
  }
  return name == "default" ? &standard : nullptr;
}

void AppendLowerCase(std::string_view text, std::string& out) {
  const size_t before = out.size();
  out.resize(before + text.size());
  char* to = out.data() + before;
  unsigned char seen = 0;
  for (const char byte : text) {
    const unsigned char c = static_cast<unsigned char>(byte);
    seen |= c;
    *to++ = static_cast<char>(c + (static_cast<unsigned char>(c - 'A') < 26 ? 32 : 0));
  }
  if (seen < 0x80) return;
  out.resize(before);
  for (size_t at = 0; at < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) {
      out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      ++at;
      continue;
    }
    const Character next = DecodeNonAscii(text, at);
    const UChar32 lower = next.code < 0 ? next.code : u_tolower(next.code);
    if (lower == next.code) {
      out += text.substr(at, next.length);
    } else {
      char bytes[U8_MAX_LENGTH];
      int32_t length = 0;
      U8_APPEND_UNSAFE(bytes, length, lower);
      out.append(bytes, static_cast<size_t>(length));
    }
    at += next.length;
  }
}

uint32_t Utf16Length(std::string_view text) {
  uint32_t units = 0;
  for (const char byte : text) {
    const unsigned char c = static_cast<unsigned char>(byte);
    units += (c & 0xc0) == 0x80 ? 0 : c >= 0xf0 ? 2 : 1;
  }
  return units;
}

}  // namespace tiercel::analysis
