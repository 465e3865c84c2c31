// What the word break rules of Unicode Annex 29 want to know of a character, as Lucene's tokenizer reads them.
//
// Thread safety: pure functions over constant tables. Cost: a table look-up; two or three ICU property look-ups beyond
// the basic multilingual plane, and once for all of it (some milliseconds) when its first character is met.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tiercel::analysis {

enum class CharacterClass : uint8_t {
  kOther,  // separates words
  kLetter,
  kHebrewLetter,
  kNumeric,
  kKatakana,
  kExtendNumLet,    // joins words: '_'
  kMidLetter,       // joins letters: ':'
  kMidNum,          // joins digits: ','
  kMidNumLet,       // joins either: '.'
  kSingleQuote,     // joins either
  kDoubleQuote,     // joins Hebrew letters
  kExtend,          // belongs to the character before it
  kIdeograph,       // a token of its own
  kHiragana,        // a token of its own
  kComplexContext,  // scripts without spaces (Thai, Khmer, ...): runs are tokens
  kRegionalIndicator,
  kEmoji,
};

// A character of a UTF-8 text and the bytes it takes; invalid bytes are one-byte characters of value -1.
struct Character {
  int32_t code;
  uint32_t length;
};

Character DecodeNonAscii(std::string_view text, size_t at);
inline Character Decode(std::string_view text, size_t at) {
  const unsigned char c = static_cast<unsigned char>(text[at]);
  return c < 0x80 ? Character{c, 1} : DecodeNonAscii(text, at);
}

extern const std::array<CharacterClass, 128> kAsciiClasses;
CharacterClass ClassOfNonAscii(int32_t code);
inline CharacterClass ClassOf(int32_t code) {
  return code >= 0 && code < 0x80 ? kAsciiClasses[static_cast<size_t>(code)] : ClassOfNonAscii(code);
}

}  // namespace tiercel::analysis
