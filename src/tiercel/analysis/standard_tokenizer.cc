#include "tiercel/analysis/standard_tokenizer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

namespace tiercel::analysis {
namespace {

constexpr size_t kUnitsMax = 255;  // UTF-16 units of one token
constexpr int32_t kZeroWidthJoiner = 0x200d;
constexpr int32_t kTextPresentation = 0xfe0e;
constexpr int32_t kEmojiPresentation = 0xfe0f;
constexpr int32_t kKeycap = 0x20e3;

// What the common case needs to know of a byte.
enum class Plain : uint8_t { kRare, kWord, kSeparator };

constexpr std::array<Plain, 256> MakePlain() {
  std::array<Plain, 256> plain{};
  for (size_t c = 0; c < 128; ++c) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool joins = c == '_' || c == ':' || c == ',' || c == ';' || c == '.' || c == '\'' || c == '"';
    plain[c] = word ? Plain::kWord : joins ? Plain::kRare : Plain::kSeparator;
  }
  return plain;
}
constexpr std::array<Plain, 256> kPlain = MakePlain();

bool IsLetter(CharacterClass kind) { return kind == CharacterClass::kLetter || kind == CharacterClass::kHebrewLetter; }
bool IsCore(CharacterClass kind) {
  return IsLetter(kind) || kind == CharacterClass::kNumeric || kind == CharacterClass::kKatakana;
}
bool JoinsLetters(CharacterClass kind) {
  return kind == CharacterClass::kMidLetter || kind == CharacterClass::kMidNumLet ||
         kind == CharacterClass::kSingleQuote;
}
bool JoinsDigits(CharacterClass kind) {
  return kind == CharacterClass::kMidNum || kind == CharacterClass::kMidNumLet || kind == CharacterClass::kSingleQuote;
}

// Whether a word goes on when `next` follows `before` directly (rules WB5, 8 to 10, 13 to 13b).
bool Adjoins(CharacterClass before, CharacterClass next) {
  if (next == CharacterClass::kExtendNumLet) return true;
  if (before == CharacterClass::kExtendNumLet) return IsCore(next);
  if (before == CharacterClass::kKatakana) return next == CharacterClass::kKatakana;
  return IsLetter(next) || next == CharacterClass::kNumeric;
}

}  // namespace

// A character together with the combining marks behind it.
StandardTokenizer::Unit StandardTokenizer::Read(size_t at, size_t limit) const {
  if (at >= limit) return {CharacterClass::kOther, -1, at};
  const Character first = Decode(text_, at);
  Unit unit{ClassOf(first.code), first.code, at + first.length};
  while (unit.end < limit && static_cast<unsigned char>(text_[unit.end]) >= 0x80) {
    const Character next = DecodeNonAscii(text_, unit.end);
    if (ClassOfNonAscii(next.code) != CharacterClass::kExtend) break;
    unit.end += next.length;
  }
  return unit;
}

// The farthest byte a token that starts at `at` may reach.
size_t StandardTokenizer::Limit(size_t at) const {
  if (text_.size() - at <= kUnitsMax) return text_.size();
  size_t units = 0;
  while (at < text_.size()) {
    const Character next = Decode(text_, at);
    units += next.code > 0xffff ? 2 : 1;
    if (units > kUnitsMax) break;
    at += next.length;
  }
  return at;
}

// The end of a run of ASCII letters and digits, the case that matters for speed.
size_t StandardTokenizer::MatchPlain(size_t at, size_t limit) const {
  while (at < limit) {
    const unsigned char c = static_cast<unsigned char>(text_[at]);
    if (c >= 0x80 || (kAsciiClasses[c] != CharacterClass::kLetter && kAsciiClasses[c] != CharacterClass::kNumeric))
      break;
    ++at;
  }
  return at;
}

// What follows the character of class `before` that ends at `at`, if the word goes on there: the end of the next part
// and its class; `at` when the word ends.
size_t StandardTokenizer::Join(CharacterClass before, size_t at, size_t limit, CharacterClass& after) const {
  const Unit next = Read(at, limit);
  after = next.kind;
  if (Adjoins(before, next.kind)) return next.end;
  const bool letters = IsLetter(before) && JoinsLetters(next.kind);
  const bool digits = before == CharacterClass::kNumeric && JoinsDigits(next.kind);
  const bool hebrew = before == CharacterClass::kHebrewLetter && next.kind == CharacterClass::kDoubleQuote;
  if (letters || digits || hebrew) {
    const Unit beyond = Read(next.end, limit);
    after = beyond.kind;
    if (letters && IsLetter(beyond.kind)) return beyond.end;
    if (digits && beyond.kind == CharacterClass::kNumeric) return beyond.end;
    if (hebrew && beyond.kind == CharacterClass::kHebrewLetter) return beyond.end;
  }
  // A Hebrew letter keeps the geresh behind it even at the end of a word.
  const bool geresh = before == CharacterClass::kHebrewLetter && next.kind == CharacterClass::kSingleQuote;
  after = geresh ? CharacterClass::kSingleQuote : before;
  return geresh ? next.end : at;
}

// The end of the longest word at `at`; `at` when there is none.
size_t StandardTokenizer::MatchWord(size_t at, size_t limit) const {
  const Unit first = Read(at, limit);
  CharacterClass kind = first.kind;
  bool core = IsCore(kind);
  size_t end = first.end;
  for (;;) {
    if (IsLetter(kind) || kind == CharacterClass::kNumeric) {
      const size_t plain = MatchPlain(end, limit);
      if (plain != end) {
        // Combining marks may follow the last of the run.
        const Unit last = Read(plain - 1, limit);
        kind = last.kind;
        end = last.end;
      }
    }
    CharacterClass after = kind;
    const size_t next = Join(kind, end, limit, after);
    if (next == end) break;
    end = next;
    kind = after;
    core = core || IsCore(kind);
  }
  return core ? end : at;
}

size_t StandardTokenizer::MatchRun(size_t at, size_t limit, CharacterClass kind) const {
  for (Unit unit = Read(at, limit); unit.kind == kind && at < limit; unit = Read(at, limit)) at = unit.end;
  return at;
}

// An emoji with what modifies it (presentation, skin tone, tags, marks), and others joined to it by zero-width joiners.
// A request to be shown as text (U+FE0E) ends it.
size_t StandardTokenizer::MatchEmoji(size_t at, size_t limit) const {
  at += Decode(text_, at).length;
  bool joined = false;
  while (at < limit) {
    const Character next = Decode(text_, at);
    const CharacterClass kind = ClassOf(next.code);
    const bool modifies = kind == CharacterClass::kExtend && next.code != kTextPresentation;
    if (!modifies && !(joined && kind == CharacterClass::kEmoji)) break;
    joined = next.code == kZeroWidthJoiner;
    at += next.length;
  }
  return at;
}

// '#', '*' or a digit under a keycap.
size_t StandardTokenizer::MatchKeycap(size_t at, size_t limit) const {
  const char c = text_[at];
  if (c != '#' && c != '*') return at;
  size_t end = at + 1;
  if (end < limit && Decode(text_, end).code == kEmojiPresentation) end += 3;
  return end < limit && Decode(text_, end).code == kKeycap ? end + 3 : at;
}

// The end of the token at `at`; `at` when none starts there.
size_t StandardTokenizer::Match(size_t at) const {
  // Counting units is dear, and a token of few bytes has few of them. Nor may a run without end be read to its end.
  size_t limit = std::min(text_.size(), at + kUnitsMax * 4);
  while (limit < text_.size() && (static_cast<unsigned char>(text_[limit]) & 0xc0) == 0x80) ++limit;
  const size_t end = MatchWithin(at, limit);
  return end - at <= kUnitsMax ? end : MatchWithin(at, Limit(at));
}

size_t StandardTokenizer::MatchWithin(size_t at, size_t limit) const {
  const Character first = Decode(text_, at);
  const CharacterClass kind = ClassOf(first.code);
  switch (kind) {
    case CharacterClass::kLetter:
    case CharacterClass::kHebrewLetter:
    case CharacterClass::kNumeric:
    case CharacterClass::kKatakana:
    case CharacterClass::kExtendNumLet:
      return MatchWord(at, limit);
    case CharacterClass::kIdeograph:
    case CharacterClass::kHiragana:
      return Read(at, limit).end;
    case CharacterClass::kComplexContext:
      return MatchRun(at, limit, kind);
    case CharacterClass::kEmoji:
      return MatchEmoji(at, limit);
    case CharacterClass::kRegionalIndicator: {
      const Unit one = Read(at, limit);
      const Unit two = Read(one.end, text_.size());
      return two.kind == CharacterClass::kRegionalIndicator ? two.end : at;
    }
    case CharacterClass::kExtend: {
      // A skin tone alone is an emoji, and a joiner belongs to the emoji it stands before.
      if (u_hasBinaryProperty(first.code, UCHAR_EMOJI_MODIFIER)) return MatchEmoji(at, limit);
      const size_t next = at + first.length;
      const bool joins = first.code == kZeroWidthJoiner && next < text_.size();
      return joins && ClassOf(Decode(text_, next).code) == CharacterClass::kEmoji ? MatchEmoji(next, limit) : at;
    }
    default:
      return MatchKeycap(at, text_.size());
  }
}

// Nearly all text in practice: letters and digits up to a character that can join nothing. The end of such a word; `at`
// when the general rules are needed.
size_t StandardTokenizer::MatchCommon(size_t at) const {
  size_t end = at;
  while (end < text_.size() && kPlain[static_cast<unsigned char>(text_[end])] == Plain::kWord) ++end;
  const bool separated = end == text_.size() || kPlain[static_cast<unsigned char>(text_[end])] == Plain::kSeparator;
  return separated && end - at <= kUnitsMax ? end : at;
}

bool StandardTokenizer::Next() {
  while (at_ < text_.size()) {
    // '#' and '*' separate unless a keycap makes an emoji of them, which the general rules see.
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (kPlain[c] == Plain::kSeparator && c != '#' && c != '*') {
      ++at_;
      continue;
    }
    size_t end = MatchCommon(at_);
    if (end == at_) end = Match(at_);
    if (end != at_) {
      start_ = static_cast<uint32_t>(at_);
      end_ = static_cast<uint32_t>(end);
      at_ = end;
      return true;
    }
    at_ += Decode(text_, at_).length;
  }
  return false;
}

}  // namespace tiercel::analysis
