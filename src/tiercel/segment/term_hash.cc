#include "tiercel/segment/term_hash.h"

#include <algorithm>
#include <cstring>

#include "tiercel/base/bytes.h"
#include "tiercel/format/checksum.h"

namespace tiercel::segment {
namespace {

constexpr size_t kFirstSlots = 64;

// The first eight bytes as a number that sorts as they do.
uint64_t SortKey(std::string_view term) {
  uint64_t key = 0;
  std::memcpy(&key, term.data(), std::min(term.size(), sizeof key));
  return __builtin_bswap64(key);
}

}  // namespace

uint32_t TermHash::Intern(std::string_view term) {
  if (terms_.size() * 3 >= slots_.size() * 2) Grow();
  const auto hash = static_cast<uint32_t>(format::Checksum(AsBytes(term)));
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t number = slots_[slot] - 1;
    if (terms_[number].hash == hash && this->term(number) == term) return number;
  }
  terms_.push_back({static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(term.size()), hash});
  bytes_ += term;
  slots_[slot] = size();
  return size() - 1;
}

void TermHash::Grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  const size_t mask = slots_.size() - 1;
  for (uint32_t number = 0; number < size(); ++number) {
    size_t slot = terms_[number].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

std::vector<uint32_t> TermHash::Sorted() const {
  struct Keyed {
    uint64_t key;
    uint32_t number;
  };
  std::vector<Keyed> keyed(size());
  for (uint32_t number = 0; number < size(); ++number) keyed[number] = {SortKey(term(number)), number};
  std::sort(keyed.begin(), keyed.end(), [this](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : term(a.number) < term(b.number);
  });
  std::vector<uint32_t> numbers(keyed.size());
  for (size_t i = 0; i < keyed.size(); ++i) numbers[i] = keyed[i].number;
  return numbers;
}

}  // namespace tiercel::segment
