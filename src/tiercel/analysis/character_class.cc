#include "tiercel/analysis/character_class.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <array>
#include <vector>

namespace tiercel::analysis {
namespace {

constexpr std::array<CharacterClass, 128> MakeAsciiClasses() {
  std::array<CharacterClass, 128> classes{};
  for (int c = 'a'; c <= 'z'; ++c)
    classes[static_cast<size_t>(c)] = classes[static_cast<size_t>(c - 32)] = CharacterClass::kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = CharacterClass::kNumeric;
  classes['_'] = CharacterClass::kExtendNumLet;
  classes[':'] = CharacterClass::kMidLetter;
  classes[','] = classes[';'] = CharacterClass::kMidNum;
  classes['.'] = CharacterClass::kMidNumLet;
  classes['\''] = CharacterClass::kSingleQuote;
  classes['"'] = CharacterClass::kDoubleQuote;
  return classes;
}

CharacterClass ClassWithoutWordBreak(int32_t code) {
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(code, &error);
  if (script == USCRIPT_HAN) return CharacterClass::kIdeograph;
  if (script == USCRIPT_HIRAGANA) return CharacterClass::kHiragana;
  if (u_getIntPropertyValue(code, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) return CharacterClass::kComplexContext;
  if (u_hasBinaryProperty(code, UCHAR_EXTENDED_PICTOGRAPHIC) || u_hasBinaryProperty(code, UCHAR_EMOJI))
    return CharacterClass::kEmoji;
  return CharacterClass::kOther;
}

}  // namespace

constexpr std::array<CharacterClass, 128> kAsciiClasses = MakeAsciiClasses();

Character DecodeNonAscii(std::string_view text, size_t at) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t end = at;
  UChar32 code = 0;
  U8_NEXT(bytes, end, text.size(), code);
  if (code < 0) return {-1, 1};
  return {code, static_cast<uint32_t>(end - at)};
}

namespace {

CharacterClass LookUpClass(int32_t code) {
  switch (u_getIntPropertyValue(code, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return CharacterClass::kLetter;
    case U_WB_HEBREW_LETTER:
      return CharacterClass::kHebrewLetter;
    case U_WB_NUMERIC:
      return CharacterClass::kNumeric;
    case U_WB_KATAKANA:
      return CharacterClass::kKatakana;
    case U_WB_EXTENDNUMLET:
      return CharacterClass::kExtendNumLet;
    case U_WB_MIDLETTER:
      return CharacterClass::kMidLetter;
    case U_WB_MIDNUM:
      return CharacterClass::kMidNum;
    case U_WB_MIDNUMLET:
      return CharacterClass::kMidNumLet;
    case U_WB_SINGLE_QUOTE:
      return CharacterClass::kSingleQuote;
    case U_WB_DOUBLE_QUOTE:
      return CharacterClass::kDoubleQuote;
    case U_WB_REGIONAL_INDICATOR:
      return CharacterClass::kRegionalIndicator;
    case U_WB_FORMAT:
    case U_WB_EXTEND:
    case U_WB_ZWJ:
      return CharacterClass::kExtend;
    default:
      return ClassWithoutWordBreak(code);
  }
}

// The classes of the basic multilingual plane, looked up once: three property look-ups a character would dominate
// analysis.
constexpr int32_t kTableSize = 0x10000;
std::vector<CharacterClass> MakeTable() {
  std::vector<CharacterClass> table(kTableSize);
  for (int32_t code = 0x80; code < kTableSize; ++code) table[static_cast<size_t>(code)] = LookUpClass(code);
  return table;
}

}  // namespace

CharacterClass ClassOfNonAscii(int32_t code) {
  if (code < 0) return CharacterClass::kOther;
  static const std::vector<CharacterClass> table = MakeTable();
  return code < kTableSize ? table[static_cast<size_t>(code)] : LookUpClass(code);
}

}  // namespace tiercel::analysis
