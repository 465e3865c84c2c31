// Positions of StoredPostings, and its verification.
#include <algorithm>

#include "tiercel/format/bitpack.h"
#include "tiercel/format/coding.h"
#include "tiercel/segment/postings_cursor.h"

namespace tiercel::segment {

std::span<const uint32_t> StoredPostings::Positions() {
  if (!with_positions() || count_ == 0) return {};
  if (positions_block_ != block_) {
    if (Status status = LoadPositions(); !status.ok()) {
      Fail(std::move(status));
      return {};
    }
  }
  const uint32_t begin = position_starts_[index_];
  return std::span(position_values_).subspan(begin, position_starts_[index_ + 1] - begin);
}

Status StoredPostings::LoadPositions() {
  uint64_t begin = 0;
  uint64_t end = positions_.size();
  if (!small()) {
    const uint8_t* row = table_.data() + 4 + block_ * size_t{20} + 12;
    begin = format::LoadU64(row);
    if (block_ + 1 < block_count_) end = format::LoadU64(row + 20);
    if (begin > end) return positions_.Bad(0, "positions out of range");
  }
  TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, positions_.Borrow(begin, end - begin));
  if (!freqs_ready_) DecodeFreqs();
  // 128 positions take a byte at least, which bounds what damaged frequencies can make us allocate.
  uint64_t total = 0;
  for (uint32_t i = 0; i < count_; ++i) total += freqs_[i];
  if (total > bytes.size() * uint64_t{kPostingsBlock})
    return positions_.Bad(begin, "fewer positions than frequencies say");
  uint32_t at = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    position_starts_[i] = at;
    at += freqs_[i];
  }
  position_starts_[count_] = at;
  position_values_.resize(total);
  if (Status status = DecodeDeltas(bytes, total); !status.ok()) return status;
  for (uint32_t i = 0; i < count_; ++i) {
    uint32_t position = 0;
    for (uint32_t j = position_starts_[i]; j < position_starts_[i + 1]; ++j)
      position_values_[j] = position += position_values_[j];
  }
  positions_block_ = block_;
  return {};
}

Status StoredPostings::DecodeDeltas(const cache::Borrowed& bytes, uint64_t total) {
  const uint8_t* at = bytes.data();
  const uint8_t* end = at + bytes.size();
  if (count_ < kPostingsBlock) {
    for (uint32_t& value : position_values_) {
      uint64_t delta = 0;
      at = format::DecodeVarint(at, end, delta);
      if (at == nullptr || delta > UINT32_MAX) return positions_.Bad(0, "damaged positions");
      value = static_cast<uint32_t>(delta);
    }
    return {};
  }
  for (uint64_t done = 0; done < total;) {
    const uint64_t count = std::min<uint64_t>(total - done, kPostingsBlock);
    if (at == end) return positions_.Bad(0, "truncated positions");
    const unsigned width = *at++;
    const uint64_t length = format::PackedBytes(count, width);
    if (width > 32 || length > static_cast<uint64_t>(end - at)) return positions_.Bad(0, "truncated positions");
    format::Unpack(at, count, width, position_values_.data() + done);
    at += length;
    done += count;
  }
  return {};
}

Status StoredPostings::Verify() {
  uint64_t docs = 0;
  uint64_t tokens = 0;
  DocId previous = 0;
  for (DocId current = Next(); current != kNoMoreDocs; current = Next()) {
    if (docs > 0 && current <= previous) return postings_.Bad(0, "documents out of order");
    previous = current;
    ++docs;
    tokens += freq();
    if (!with_positions()) continue;
    const std::span<const uint32_t> positions = Positions();
    TIERCEL_TRY(status_);
    if (positions.size() != freq() || !std::is_sorted(positions.begin(), positions.end())) {
      return positions_.Bad(0, "positions out of order");
    }
    const uint8_t norm = field_.norms == nullptr ? 1 : field_.norms->bytes()[current];
    const uint32_t frequency = freq();
    const auto bounded = [&](std::span<const Impact> impacts) {
      return std::any_of(impacts.begin(), impacts.end(),
                         [&](const Impact& i) { return i.freq >= frequency && i.norm <= norm; });
    };
    const bool sound = bounded(BlockImpacts(current)) && bounded(BlockImpacts(kNoMoreDocs));
    TIERCEL_TRY(status_);
    if (!sound) return postings_.Bad(0, "impacts do not bound document " + std::to_string(current));
  }
  TIERCEL_TRY(status_);
  if (docs != entry_.doc_freq || tokens != entry_.total_term_freq) return postings_.Bad(0, "wrong number of postings");
  return {};
}

}  // namespace tiercel::segment
