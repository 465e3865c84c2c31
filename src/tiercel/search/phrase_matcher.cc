#include "tiercel/search/phrase_matcher.h"

#include <algorithm>
#include <map>

namespace tiercel::search {

uint32_t ExactPhraseFreq(std::span<const PhrasePlace> places, std::span<const std::span<const uint32_t>> positions,
                         uint32_t limit) {
  size_t lead = 0;
  for (size_t i = 1; i < places.size(); ++i) {
    if (positions[i].size() < positions[lead].size()) lead = i;
  }
  std::vector<size_t> at(places.size());
  uint32_t freq = 0;
  for (const uint32_t position : positions[lead]) {
    const int64_t start = int64_t{position} - places[lead].offset;
    bool matches = true;
    for (size_t i = 0; i < places.size() && matches; ++i) {
      const int64_t wanted = start + places[i].offset;
      while (at[i] < positions[i].size() && positions[i][at[i]] < wanted) ++at[i];
      if (at[i] == positions[i].size()) return freq;
      matches = positions[i][at[i]] == wanted;
    }
    if (matches && ++freq == limit) return freq;
  }
  return freq;
}

SloppyMatcher::SloppyMatcher(std::span<const PhrasePlace> places, uint32_t slop) : places_(places.size()), slop_(slop) {
  std::map<uint32_t, std::vector<Place*>> by_term;
  for (size_t i = 0; i < places.size(); ++i) {
    places_[i].offset = places[i].offset;
    by_term[places[i].term].push_back(&places_[i]);
  }
  for (auto& [term, same] : by_term) {
    if (same.size() < 2) continue;
    std::stable_sort(same.begin(), same.end(), [](const Place* a, const Place* b) { return a->offset < b->offset; });
    for (Place* place : same) {
      for (Place* other : same) {
        if (other != place) place->rivals.push_back(other);
      }
    }
    repeats_.push_back(std::move(same));
  }
}

bool SloppyMatcher::Step(Place& place) {
  if (place.next == place.positions.size()) return false;
  place.position = int64_t{place.positions[place.next++]} - place.offset;
  return true;
}

bool SloppyMatcher::Advance(Place& place) {
  if (!Step(place)) return false;
  end_ = std::max(end_, place.position);
  return true;
}

bool SloppyMatcher::Start(std::span<const std::span<const uint32_t>> positions) {
  for (size_t i = 0; i < places_.size(); ++i) {
    places_[i].positions = positions[i];
    places_[i].next = 0;
    if (!Step(places_[i])) return false;
  }
  // The n-th place of a repeated term starts at the term's n-th position.
  for (const auto& same : repeats_) {
    for (size_t i = 1; i < same.size(); ++i) {
      for (size_t steps = 0; steps < i; ++steps) {
        if (!Step(*same[i])) return false;
      }
    }
  }
  end_ = places_[0].position;
  for (const Place& place : places_) end_ = std::max(end_, place.position);
  return true;
}

bool SloppyMatcher::Separate(Place& place) {
  Place* moving = &place;
  while (true) {
    const int64_t taken = moving->position + moving->offset;
    const auto rival = std::find_if(moving->rivals.begin(), moving->rivals.end(),
                                    [taken](const Place* other) { return other->position + other->offset == taken; });
    if (rival == moving->rivals.end()) return true;
    // Of the two that collide, the one further left moves on.
    Place* other = *rival;
    const bool keep =
        moving->position < other->position || (moving->position == other->position && moving->offset < other->offset);
    if (!keep) moving = other;
    if (!Advance(*moving)) return false;
  }
}

SloppyMatcher::Place* SloppyMatcher::Leftmost(const Place* except) {
  Place* best = nullptr;
  for (Place& place : places_) {
    if (&place == except) continue;
    if (best == nullptr || place.position < best->position ||
        (place.position == best->position && place.offset < best->offset))
      best = &place;
  }
  return best;
}

float SloppyMatcher::Freq(std::span<const std::span<const uint32_t>> positions) {
  if (!Start(positions)) return 0;
  float freq = 0;
  const auto count = [&](int64_t moves) {
    if (moves <= slop_) freq += 1.0f / (1.0f + static_cast<float>(moves));
  };
  // Always moves the leftmost place: while it stays left of the others, the span between it and the rightmost only
  // shrinks; once it passes the next one, the smallest span seen is an occurrence.
  Place* place = Leftmost(nullptr);
  int64_t next = Leftmost(place)->position;
  int64_t moves = end_ - place->position;
  while (Advance(*place) && Separate(*place)) {
    if (place->position > next) {
      count(moves);
      place = Leftmost(nullptr);
      next = Leftmost(place)->position;
      moves = end_ - place->position;
    } else {
      moves = std::min(moves, end_ - place->position);
    }
  }
  count(moves);
  return freq;
}

}  // namespace tiercel::search
