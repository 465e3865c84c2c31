#include "tiercel/segment/byte_chains.h"

#include <algorithm>

#include "tiercel/format/coding.h"

namespace tiercel::segment {

uint32_t ByteChains::Allocate(uint32_t bytes) {
  if (kPage - page_used_ < bytes) {
    pages_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kPage));
    page_used_ = 0;
  }
  const uint32_t position = (static_cast<uint32_t>(pages_.size()) - 1) * kPage + page_used_;
  page_used_ += bytes;
  return position;
}

void ByteChains::Extend(Chain& chain) {
  if (!chain.started) {
    chain.started = true;
    chain.head = Allocate(SliceBytes(0));
    chain.position = chain.head;
  } else {
    const uint8_t level = std::min<uint8_t>(chain.level + 1, kLastLevel);
    const uint32_t next = Allocate(SliceBytes(level));
    format::StoreU32(next, At(chain.limit));
    chain.level = level;
    chain.position = next;
  }
  chain.limit = chain.position + SliceBytes(chain.level) - kLink;
}

ByteChains::Reader::Reader(const ByteChains& chains, const Chain& chain)
    : chains_(chains), position_(chain.head), limit_(chain.head + SliceBytes(0) - kLink), end_(chain.position) {}

void ByteChains::Reader::Follow() {
  position_ = format::LoadU32(chains_.At(limit_));
  level_ = std::min<uint8_t>(level_ + 1, kLastLevel);
  limit_ = position_ + SliceBytes(level_) - kLink;
}

}  // namespace tiercel::segment
