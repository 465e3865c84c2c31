// How often a phrase occurs in one document: exactly, or with slop.
//
// Slop follows Lucene: every way the terms line up within `slop` moves counts 1 / (1 + moves needed), walking through
// the positions once; two places of the phrase that hold the same term never share a position.
//
// Thread safety: a SloppyMatcher belongs to one thread. Cost: linear in the positions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tiercel::search {

// One place of a phrase: which term it wants, and how far from the phrase's start.
struct PhrasePlace {
  uint32_t term;  // equal numbers mean equal terms
  uint32_t offset;
};

// positions[i] are those of places[i]'s term, ascending. Stops counting at `limit`.
uint32_t ExactPhraseFreq(std::span<const PhrasePlace> places, std::span<const std::span<const uint32_t>> positions,
                         uint32_t limit);

class SloppyMatcher {
 public:
  SloppyMatcher(std::span<const PhrasePlace> places, uint32_t slop);
  float Freq(std::span<const std::span<const uint32_t>> positions);

 private:
  struct Place {
    uint32_t offset = 0;
    int64_t position = 0;  // of the document, less the offset: equal in all places of an exact occurrence
    std::span<const uint32_t> positions;
    size_t next = 0;
    std::vector<Place*> rivals;  // the other places with the same term
  };

  bool Start(std::span<const std::span<const uint32_t>> positions);
  static bool Step(Place& place);
  bool Advance(Place& place);
  // Moves places of one term apart that landed on the same position; false when one runs out.
  bool Separate(Place& place);
  Place* Leftmost(const Place* except);

  std::vector<Place> places_;
  std::vector<std::vector<Place*>> repeats_;  // places of each term that occurs more than once, by offset
  int64_t slop_;
  int64_t end_ = 0;  // the rightmost position
};

}  // namespace tiercel::search
