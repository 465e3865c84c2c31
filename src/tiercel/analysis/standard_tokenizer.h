// The word boundaries of the standard analyzer: Unicode Annex 29 as Lucene's StandardTokenizer applies it.
//
// Letters, digits and Katakana form words with the joiners Annex 29 allows inside them ("don't", "3.14", "foo_bar");
// ideographs and Hiragana are tokens one by one, scripts without spaces are tokens run by run, emoji sequences are
// tokens; everything else separates. A word of more than 255 UTF-16 units is cut.
//
// Thread safety: one thread. Lifetime: borrows the text. Cost: one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tiercel/analysis/character_class.h"

namespace tiercel::analysis {

class StandardTokenizer {
 public:
  explicit StandardTokenizer(std::string_view text) : text_(text) {}

  // Moves to the next token; false at the end.
  bool Next();
  uint32_t start() const { return start_; }
  uint32_t end() const { return end_; }

 private:
  struct Unit {
    CharacterClass kind;
    int32_t code;
    size_t end;
  };
  Unit Read(size_t at, size_t limit) const;
  size_t Limit(size_t at) const;
  size_t MatchCommon(size_t at) const;
  size_t MatchPlain(size_t at, size_t limit) const;
  size_t MatchWord(size_t at, size_t limit) const;
  size_t Join(CharacterClass before, size_t at, size_t limit, CharacterClass& after) const;
  size_t MatchRun(size_t at, size_t limit, CharacterClass kind) const;
  size_t MatchEmoji(size_t at, size_t limit) const;
  size_t MatchKeycap(size_t at, size_t limit) const;
  size_t Match(size_t at) const;
  size_t MatchWithin(size_t at, size_t limit) const;

  std::string_view text_;
  size_t at_ = 0;
  uint32_t start_ = 0;
  uint32_t end_ = 0;
};

}  // namespace tiercel::analysis
