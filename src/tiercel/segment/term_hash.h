// TermHash: distinct byte strings of one field of the write buffer, numbered in order of arrival.
//
// Thread safety: one thread. Cost: one probe and, for a new term, a copy of its bytes. Limits: 4 GiB of term bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tiercel::segment {

class TermHash {
 public:
  // The number of `term`, new or not.
  uint32_t Intern(std::string_view term);
  std::string_view term(uint32_t number) const {
    return std::string_view(bytes_).substr(terms_[number].offset, terms_[number].length);
  }
  uint32_t size() const { return static_cast<uint32_t>(terms_.size()); }
  // Numbers in byte order of their terms.
  std::vector<uint32_t> Sorted() const;
  uint64_t byte_count() const { return bytes_.size(); }
  uint64_t memory_bytes() const {
    return bytes_.capacity() + terms_.capacity() * sizeof(Term) + slots_.capacity() * sizeof(uint32_t);
  }

 private:
  struct Term {
    uint32_t offset;
    uint32_t length;
    uint32_t hash;
  };
  void Grow();

  std::string bytes_;
  std::vector<Term> terms_;
  std::vector<uint32_t> slots_;  // number + 1, 0 when free
};

}  // namespace tiercel::segment
