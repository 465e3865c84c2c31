// ByteChains: many byte strings that grow at once, in one arena: the postings of the write buffer.
//
// A chain is a list of slices that double in size; the last 4 bytes of a full slice say where the next one is. Short
// chains, of which there are most, cost 16 bytes.
//
// Thread safety: one thread. Lifetime: readers borrow the arena. Limits: 4 GiB in all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tiercel::segment {

class ByteChains {
 public:
  struct Chain {
    uint32_t head = 0;
    uint32_t position = 0;  // of the next byte
    uint32_t limit = 0;     // where the slice's link begins
    uint8_t level = 0;
    bool started = false;
  };

  void Append(Chain& chain, uint8_t byte) {
    if (chain.position == chain.limit) [[unlikely]]
      Extend(chain);
    *At(chain.position++) = byte;
  }
  void AppendVarint(Chain& chain, uint64_t value) {
    for (; value >= 0x80; value >>= 7) Append(chain, static_cast<uint8_t>(value | 0x80));
    Append(chain, static_cast<uint8_t>(value));
  }

  // Reads a chain from its first byte to its last.
  class Reader {
   public:
    Reader(const ByteChains& chains, const Chain& chain);
    bool AtEnd() const { return position_ == end_; }
    uint8_t Next() {
      if (position_ == limit_) [[unlikely]]
        Follow();
      return *chains_.At(position_++);
    }
    uint64_t NextVarint() {
      uint64_t value = 0;
      for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = Next();
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    }

   private:
    void Follow();

    const ByteChains& chains_;
    uint32_t position_;
    uint32_t limit_;
    uint32_t end_;
    uint8_t level_ = 0;
  };

  uint64_t memory_bytes() const { return pages_.size() * uint64_t{kPage}; }

 private:
  static constexpr uint32_t kPage = 32 * 1024;
  static constexpr uint32_t kFirstSlice = 16;
  static constexpr uint8_t kLastLevel = 8;
  static constexpr uint32_t kLink = 4;

  static uint32_t SliceBytes(uint8_t level) { return kFirstSlice << level; }
  uint8_t* At(uint32_t position) const { return pages_[position / kPage].get() + position % kPage; }
  uint32_t Allocate(uint32_t bytes);
  void Extend(Chain& chain);

  std::vector<std::unique_ptr<uint8_t[]>> pages_;
  uint32_t page_used_ = kPage;
};

}  // namespace tiercel::segment
