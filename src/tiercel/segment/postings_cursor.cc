#include "tiercel/segment/postings_cursor.h"

#include <algorithm>

#include "tiercel/format/bitpack.h"
#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

size_t TableEntryBytes(bool with_positions) { return with_positions ? 20 : 8; }

}  // namespace

Result<std::unique_ptr<StoredPostings>> StoredPostings::Open(const PostingsField& field, const TermEntry& entry) {
  std::unique_ptr<StoredPostings> cursor(new StoredPostings(field, entry));
  TIERCEL_TRY(cursor->Prepare());
  return cursor;
}

Status StoredPostings::Prepare() {
  TIERCEL_TRY_ASSIGN(positions_, field_.section.Part(entry_.offset, entry_.positions_length));
  TIERCEL_TRY_ASSIGN(postings_, field_.section.Part(entry_.offset + entry_.positions_length, entry_.postings_length));
  if (entry_.doc_freq > field_.doc_count || entry_.total_term_freq < entry_.doc_freq) {
    return postings_.Bad(0, "impossible document frequency");
  }
  if (!small()) return PrepareTable();
  if (entry_.doc_freq > 1) {
    TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, postings_.Borrow(0, postings_.size()));
    return DecodeTail(bytes, 0, entry_.doc_freq, -1);
  }
  if (entry_.single >= field_.doc_count || entry_.total_term_freq > UINT32_MAX)
    return postings_.Bad(0, "impossible single document");
  docs_[0] = entry_.single;
  freqs_[0] = static_cast<uint32_t>(entry_.total_term_freq);
  freqs_ready_ = true;
  return {};
}

Status StoredPostings::PrepareTable() {
  block_count_ = (entry_.doc_freq + kPostingsBlock - 1) / kPostingsBlock;
  TIERCEL_TRY_ASSIGN(table_, postings_.Borrow(0, 4 + block_count_ * TableEntryBytes(with_positions())));
  impacts_length_ = format::LoadU32(table_.data());
  return {};
}

DocId StoredPostings::TableLast(uint32_t block) const {
  return format::LoadU32(table_.data() + 4 + block * TableEntryBytes(with_positions()));
}

uint32_t StoredPostings::FindBlock(uint32_t from, DocId target) const {
  if (small()) return from == 0 && docs_[entry_.doc_freq - 1] >= target ? 0 : block_count_;
  uint32_t step = 1;
  uint32_t low = from;
  uint32_t high = from;
  while (high < block_count_ && TableLast(high) < target) {
    low = high + 1;
    high = std::min<uint64_t>(uint64_t{high} + step, block_count_);
    step = std::min(step * 2, 1u << 20);
  }
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (TableLast(middle) < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

DocId StoredPostings::Fail(Status status) {
  status_ = std::move(status);
  count_ = index_ = 0;
  block_ = block_count_;
  return doc_ = kNoMoreDocs;
}

DocId StoredPostings::EnterBlock(uint32_t block) {
  if (block >= block_count_) {
    count_ = index_ = 0;
    block_ = block_count_;
    return doc_ = kNoMoreDocs;
  }
  // The table is not to be trusted: a block that goes back would make its readers go round for ever.
  const bool moved = count_ > 0;
  const DocId before = doc_;
  if (Status status = LoadBlock(block); !status.ok()) return Fail(std::move(status));
  if (moved && docs_[0] <= before) return Fail(postings_.Bad(0, "postings go back in block " + std::to_string(block)));
  index_ = 0;
  return doc_ = docs_[0];
}

DocId StoredPostings::Next() {
  if (++index_ < count_) return doc_ = docs_[index_];
  if (block_ == kNoBlock) return EnterBlock(0);
  return EnterBlock(std::min(block_ + 1, block_count_));
}

DocId StoredPostings::Advance(DocId target) {
  if (index_ + 1 >= count_ || docs_[count_ - 1] < target) {
    const uint32_t from = block_ == kNoBlock ? 0 : std::min(block_ + 1, block_count_);
    if (EnterBlock(FindBlock(from, target)) >= target) return doc_;
  }
  // The last document of the block is >= target.
  const DocId* found = std::lower_bound(docs_.data() + index_, docs_.data() + count_, target);
  index_ = static_cast<uint32_t>(found - docs_.data());
  if (index_ >= count_) return Fail(postings_.Bad(0, "wrong last document of a block"));
  return doc_ = docs_[index_];
}

Status StoredPostings::LoadBlock(uint32_t block) {
  block_ = block;
  if (small()) {
    count_ = entry_.doc_freq;
    return {};
  }
  const size_t stride = TableEntryBytes(with_positions());
  const uint8_t* row = table_.data() + 4 + block * stride;
  const uint64_t begin = format::LoadU32(row + 4);
  const uint64_t end = block + 1 < block_count_ ? format::LoadU32(row + stride + 4) : postings_.size();
  if (begin > end) return postings_.Bad(4 + block * stride, "postings block out of range");
  TIERCEL_TRY_ASSIGN(bytes_, postings_.Borrow(begin, end - begin));
  const uint32_t left = entry_.doc_freq - block * kPostingsBlock;
  if (left >= kPostingsBlock) {
    TIERCEL_TRY(DecodeFull(block, bytes_, begin));
  } else {
    const int64_t previous = block == 0 ? -1 : TableLast(block - 1);
    TIERCEL_TRY(DecodeTail(bytes_, begin, left, previous));
  }
  if (docs_[count_ - 1] != TableLast(block))
    return postings_.Bad(begin, "wrong last document of block " + std::to_string(block));
  return {};
}

Status StoredPostings::DecodeFull(uint32_t block, const cache::Borrowed& bytes, uint64_t offset) {
  const size_t head = with_positions() ? 2 : 1;
  if (bytes.size() < head) return postings_.Bad(offset, "truncated postings block");
  const unsigned width = bytes.data()[0];
  freq_width_ = with_positions() ? bytes.data()[1] : 0;
  const uint64_t gaps_bytes = format::PackedBytes(kPostingsBlock, width);
  if (width > 32 || freq_width_ > 32 ||
      bytes.size() < head + gaps_bytes + format::PackedBytes(kPostingsBlock, freq_width_)) {
    return postings_.Bad(offset, "impossible widths of a postings block");
  }
  format::Unpack(bytes.data() + head, kPostingsBlock, width, docs_.data());
  const DocId previous = block == 0 ? UINT32_MAX : TableLast(block - 1);  // wraps to -1
  if (block > 0 && previous >= field_.doc_count) return postings_.Bad(offset, "postings past the last document");
  if (width > 24) {
    // Only here can the sum exceed 32 bits: counts of documents stay below 2^28.
    uint64_t sum = uint64_t{previous + 1};
    for (const uint32_t gap : docs_) sum += uint64_t{gap} + 1;
    if (sum > field_.doc_count) return postings_.Bad(offset, "postings past the last document");
  }
  DocId doc = previous;
  for (DocId& slot : docs_) slot = doc += slot + 1;
  if (docs_.back() >= field_.doc_count) return postings_.Bad(offset, "postings past the last document");
  count_ = kPostingsBlock;
  packed_freqs_ = bytes.data() + head + gaps_bytes;
  freqs_ready_ = !with_positions();
  if (freqs_ready_) freqs_.fill(1);
  return {};
}

Status StoredPostings::DecodeTail(const cache::Borrowed& bytes, uint64_t offset, uint32_t count, int64_t previous) {
  const uint8_t* at = bytes.data();
  const uint8_t* end = at + bytes.size();
  int64_t doc = previous;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t gap = 0;
    uint64_t freq = 1;
    at = format::DecodeVarint(at, end, gap);
    if (at != nullptr && with_positions()) {
      const bool once = gap & 1;
      gap >>= 1;
      if (!once) at = format::DecodeVarint(at, end, freq);
    }
    if (at == nullptr || freq == 0 || freq > UINT32_MAX || gap >= field_.doc_count)
      return postings_.Bad(offset, "damaged tail of postings");
    doc += static_cast<int64_t>(gap) + 1;
    if (doc >= field_.doc_count) return postings_.Bad(offset, "postings past the last document");
    docs_[i] = static_cast<DocId>(doc);
    freqs_[i] = static_cast<uint32_t>(freq);
  }
  if (!small()) count_ = count;
  freqs_ready_ = true;
  return {};
}

void StoredPostings::DecodeFreqs() const {
  format::Unpack(packed_freqs_, kPostingsBlock, freq_width_, freqs_.data());
  for (uint32_t& freq : freqs_) ++freq;
  freqs_ready_ = true;
}

uint32_t StoredPostings::freq() const {
  if (!with_positions()) return 1;
  if (!freqs_ready_) DecodeFreqs();
  return freqs_[index_];
}

uint32_t StoredPostings::NextBatch(std::span<DocId> docs, std::span<uint32_t> freqs) {
  if (block_ == kNoBlock) Next();
  size_t filled = 0;
  while (filled < docs.size() && doc_ != kNoMoreDocs) {
    const size_t take = std::min<size_t>(docs.size() - filled, count_ - index_);
    std::copy_n(docs_.data() + index_, take, docs.data() + filled);
    if (!freqs.empty()) {
      if (!freqs_ready_) DecodeFreqs();
      std::copy_n(freqs_.data() + index_, take, freqs.data() + filled);
    }
    filled += take;
    index_ += static_cast<uint32_t>(take) - 1;
    doc_ = docs_[index_];
    Next();
  }
  return static_cast<uint32_t>(filled);
}

DocId StoredPostings::BlockLast(DocId target) {
  const uint32_t from = shallow_block_ > 0 && !small() && TableLast(shallow_block_ - 1) < target ? shallow_block_ : 0;
  const uint32_t block = FindBlock(from, target);
  if (block >= block_count_) return kNoMoreDocs;
  shallow_block_ = block;
  return small() ? docs_[entry_.doc_freq - 1] : TableLast(block);
}

std::span<const Impact> StoredPostings::BlockImpacts(DocId target) {
  uint64_t at = 0;
  if (target != kNoMoreDocs) {
    if (BlockLast(target) == kNoMoreDocs) return {};
    if (!small() && with_positions())
      at = format::LoadU32(table_.data() + 4 + shallow_block_ * TableEntryBytes(true) + 8);
  }
  if (at != impacts_at_) {
    if (!with_positions()) {
      impacts_[0] = {1, 1};
      impact_count_ = 1;
    } else if (small()) {
      ComputeSmallImpacts();
    } else if (Status status = ReadImpacts(at); !status.ok()) {
      Fail(std::move(status));
      return {};
    }
    impacts_at_ = at;
  }
  return {impacts_.data(), impact_count_};
}

void StoredPostings::ComputeSmallImpacts() {
  ImpactAccumulator accumulator;
  const ByteSpan norms = field_.norms == nullptr ? ByteSpan() : field_.norms->bytes();
  for (uint32_t i = 0; i < entry_.doc_freq; ++i)
    accumulator.Add(freqs_[i], docs_[i] < norms.size() ? norms[docs_[i]] : 1);
  std::vector<Impact> pairs;
  accumulator.Take(pairs);
  std::copy(pairs.begin(), pairs.end(), impacts_.begin());
  impact_count_ = static_cast<uint32_t>(pairs.size());
}

Status StoredPostings::ReadImpacts(uint64_t offset) {
  const uint64_t start = table_.size();
  if (offset >= impacts_length_) return postings_.Bad(start, "impacts out of range");
  // At most a count and 8 pairs of a varint of 32 bits and a byte.
  const uint64_t limit = std::min<uint64_t>(impacts_length_ - offset, 1 + ImpactAccumulator::kMaxImpacts * 6);
  TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, postings_.Borrow(start + offset, limit));
  const uint8_t* at = bytes.data();
  const uint8_t* end = at + bytes.size();
  const uint32_t count = *at++;
  if (count == 0 || count > ImpactAccumulator::kMaxImpacts)
    return postings_.Bad(start + offset, "impossible number of impacts");
  uint64_t freq = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t more = 0;
    at = format::DecodeVarint(at, end, more);
    if (at == nullptr || at == end || more > UINT32_MAX || freq + more > UINT32_MAX)
      return postings_.Bad(start + offset, "damaged impacts");
    freq += more;
    impacts_[i] = {static_cast<uint32_t>(freq), *at++};
  }
  impact_count_ = count;
  return {};
}

}  // namespace tiercel::segment
