#include "tiercel/analysis/standard_tokenizer.h"

#include <unicode/uchar.h>

namespace tiercel::analysis {
namespace {

constexpr size_t kUnitsMax = 255;  // UTF-16 units of one token
constexpr int32_t kZeroWidthJoiner = 0x200d;
constexpr int32_t kEmojiPresentation = 0xfe0f;
constexpr int32_t kKeycap = 0x20e3;

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
bool IsTag(int32_t code) { return code >= 0xe0020 && code <= 0xe007f; }

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
  after = before;
  // A Hebrew letter keeps the geresh behind it even at the end of a word.
  return before == CharacterClass::kHebrewLetter && next.kind == CharacterClass::kSingleQuote ? next.end : at;
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
    const bool geresh = after == kind && kind == CharacterClass::kHebrewLetter && Read(end, limit).end == next;
    end = next;
    kind = after;
    core = core || IsCore(kind);
    if (geresh && Read(next - 1, next).kind == CharacterClass::kSingleQuote) break;
  }
  return core ? end : at;
}

size_t StandardTokenizer::MatchRun(size_t at, size_t limit, CharacterClass kind) const {
  for (Unit unit = Read(at, limit); unit.kind == kind && at < limit; unit = Read(at, limit)) at = unit.end;
  return at;
}

// An emoji with its presentation, skin tone or tags, and others joined to it by zero-width joiners.
size_t StandardTokenizer::MatchEmoji(size_t at, size_t limit) const {
  for (;;) {
    at += Decode(text_, at).length;
    const auto take = [&](auto&& matches) {
      if (at >= limit) return false;
      const Character next = Decode(text_, at);
      if (!matches(next.code)) return false;
      at += next.length;
      return true;
    };
    take([](int32_t code) { return code == kEmojiPresentation; });
    take([](int32_t code) { return u_hasBinaryProperty(code, UCHAR_EMOJI_MODIFIER) != 0; });
    while (take(IsTag)) {
    }
    if (at >= limit) return at;
    const Character joiner = Decode(text_, at);
    if (joiner.code != kZeroWidthJoiner || at + joiner.length >= limit) return at;
    if (ClassOf(Decode(text_, at + joiner.length).code) != CharacterClass::kEmoji) return at;
    at += joiner.length;
  }
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
  const Character first = Decode(text_, at);
  const CharacterClass kind = ClassOf(first.code);
  switch (kind) {
    case CharacterClass::kLetter:
    case CharacterClass::kHebrewLetter:
    case CharacterClass::kNumeric:
    case CharacterClass::kKatakana:
    case CharacterClass::kExtendNumLet:
      return MatchWord(at, Limit(at));
    case CharacterClass::kIdeograph:
    case CharacterClass::kHiragana:
      return Read(at, Limit(at)).end;
    case CharacterClass::kComplexContext:
      return MatchRun(at, Limit(at), kind);
    case CharacterClass::kEmoji:
      return MatchEmoji(at, Limit(at));
    case CharacterClass::kRegionalIndicator: {
      const Unit one = Read(at, text_.size());
      const Unit two = Read(one.end, text_.size());
      return two.kind == CharacterClass::kRegionalIndicator ? two.end : at;
    }
    default:
      return MatchKeycap(at, text_.size());
  }
}

bool StandardTokenizer::Next() {
  while (at_ < text_.size()) {
    const size_t end = Match(at_);
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
