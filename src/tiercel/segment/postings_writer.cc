#include "tiercel/segment/postings_writer.h"

#include <algorithm>
#include <bit>

#include "tiercel/base/check.h"
#include "tiercel/format/bitpack.h"
#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

unsigned WidthOf(std::span<const uint32_t> values) {
  uint32_t all = 0;
  for (const uint32_t value : values) all |= value;
  return format::BitsFor(all);
}

}  // namespace

PostingsWriter::PostingsWriter(format::ContainerWriter& out, PostingsKind kind, ByteSpan norms, uint32_t doc_count)
    : out_(out), kind_(kind), norms_(norms), seen_(doc_count / 64 + 1) {}

void PostingsWriter::Add(DocId doc, std::span<const uint32_t> positions) {
  seen_[doc / 64] |= uint64_t{1} << (doc % 64);
  docs_.push_back(doc);
  ++doc_freq_;
  const uint32_t freq = kind_ == PostingsKind::kPositions ? static_cast<uint32_t>(positions.size()) : 1;
  total_term_freq_ += freq;
  if (kind_ == PostingsKind::kPositions) {
    freqs_.push_back(freq);
    uint32_t previous = 0;
    for (const uint32_t position : positions) {
      deltas_.push_back(position - previous);
      previous = position;
    }
    block_impacts_.Add(freq, norms_[doc]);
    term_impacts_.Add(freq, norms_[doc]);
  }
  if (docs_.size() == kPostingsBlock) FlushBlock();
}

void PostingsWriter::EncodeImpacts(ImpactAccumulator& accumulator, Bytes& out) {
  accumulator.Take(pairs_);
  format::Writer writer(out);
  writer.U8(static_cast<uint8_t>(pairs_.size()));
  uint32_t previous = 0;
  for (const Impact& pair : pairs_) {
    writer.Varint(pair.freq - previous);
    writer.U8(pair.norm);
    previous = pair.freq;
  }
}

void PostingsWriter::FlushBlock() {
  directory_.push_back({docs_.back(), static_cast<uint32_t>(impacts_.size()), positions_.size(), blocks_.size()});
  gaps_.clear();
  for (const DocId doc : docs_) {
    gaps_.push_back(static_cast<uint32_t>(doc - last_doc_ - 1));
    last_doc_ = doc;
  }
  const unsigned width = WidthOf(gaps_);
  blocks_.push_back(static_cast<uint8_t>(width));
  if (kind_ == PostingsKind::kPositions) {
    for (uint32_t& freq : freqs_) --freq;
    const unsigned freq_width = WidthOf(freqs_);
    blocks_.push_back(static_cast<uint8_t>(freq_width));
    format::Pack(std::span<const uint32_t>(gaps_), width, blocks_);
    format::Pack(std::span<const uint32_t>(freqs_), freq_width, blocks_);
    EncodeImpacts(block_impacts_, impacts_);
    for (std::span<const uint32_t> rest(deltas_); !rest.empty();) {
      const auto group = rest.first(std::min<size_t>(rest.size(), kPostingsBlock));
      const unsigned group_width = WidthOf(group);
      positions_.push_back(static_cast<uint8_t>(group_width));
      format::Pack(group, group_width, positions_);
      rest = rest.subspan(group.size());
    }
  } else {
    format::Pack(std::span<const uint32_t>(gaps_), width, blocks_);
  }
  docs_.clear();
  freqs_.clear();
  deltas_.clear();
}

void PostingsWriter::EncodeTail(Bytes& out) {
  format::Writer writer(out);
  for (size_t i = 0; i < docs_.size(); ++i) {
    const auto gap = static_cast<uint64_t>(docs_[i] - last_doc_ - 1);
    last_doc_ = docs_[i];
    if (kind_ == PostingsKind::kDocuments) {
      writer.Varint(gap);
    } else if (freqs_[i] == 1) {
      writer.Varint(gap * 2 + 1);
    } else {
      writer.Varint(gap * 2);
      writer.Varint(freqs_[i]);
    }
  }
  format::Writer positions(positions_);
  for (const uint32_t delta : deltas_) positions.Varint(delta);
}

Status PostingsWriter::WriteBlocks() {
  if (!docs_.empty()) {
    directory_.push_back({docs_.back(), static_cast<uint32_t>(impacts_.size()), positions_.size(), blocks_.size()});
    if (kind_ == PostingsKind::kPositions) EncodeImpacts(block_impacts_, impacts_);
    EncodeTail(blocks_);
  }
  const bool positions = kind_ == PostingsKind::kPositions;
  Bytes whole;
  if (positions) EncodeImpacts(term_impacts_, whole);
  const size_t head = 4 + directory_.size() * (positions ? 20 : 8) + whole.size() + impacts_.size();
  const uint64_t start = out_.offset() + positions_.size();  // of the postings in the object
  laid_out_.clear();
  laid_out_.resize(head);
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < directory_.size(); ++i) {
    const size_t end = i + 1 < directory_.size() ? directory_[i + 1].begin : blocks_.size();
    const ByteSpan block = ByteSpan(blocks_).subspan(directory_[i].begin, end - directory_[i].begin);
    const uint64_t at = start + laid_out_.size();
    if (at / kRegionBytes != (at + block.size() - 1) / kRegionBytes) {
      laid_out_.resize(laid_out_.size() + kRegionBytes - at % kRegionBytes);
    }
    offsets.push_back(laid_out_.size());
    laid_out_.insert(laid_out_.end(), block.begin(), block.end());
  }
  if (laid_out_.size() > UINT32_MAX) return ResourceExhausted("the postings of one term exceed 4 GiB");
  uint8_t* to = laid_out_.data();
  format::StoreU32(static_cast<uint32_t>(whole.size() + impacts_.size()), to);
  to += 4;
  for (size_t i = 0; i < directory_.size(); ++i) {
    format::StoreU32(directory_[i].last, to);
    format::StoreU32(static_cast<uint32_t>(offsets[i]), to + 4);
    to += 8;
    if (!positions) continue;
    format::StoreU32(static_cast<uint32_t>(whole.size() + directory_[i].impacts), to);
    format::StoreU64(directory_[i].positions, to + 4);
    to += 12;
  }
  to = std::copy(whole.begin(), whole.end(), to);
  std::copy(impacts_.begin(), impacts_.end(), to);
  return {};
}

Result<TermEntry> PostingsWriter::FinishTerm() {
  TIERCEL_CHECK(doc_freq_ > 0, "a term without documents");
  TermEntry entry;
  entry.doc_freq = doc_freq_;
  entry.total_term_freq = total_term_freq_;
  entry.offset = out_.section_offset();
  laid_out_.clear();
  if (doc_freq_ >= kPostingsBlock) {
    TIERCEL_TRY(WriteBlocks());
  } else {
    EncodeTail(laid_out_);
    if (doc_freq_ == 1) {
      entry.single = docs_[0];
      laid_out_.clear();
    }
  }
  entry.positions_length = positions_.size();
  entry.postings_length = laid_out_.size();
  TIERCEL_TRY(out_.Append(positions_));
  TIERCEL_TRY(out_.Append(laid_out_));
  tokens_ += total_term_freq_;
  Reset();
  return entry;
}

void PostingsWriter::Reset() {
  docs_.clear();
  freqs_.clear();
  deltas_.clear();
  doc_freq_ = 0;
  total_term_freq_ = 0;
  last_doc_ = -1;
  directory_.clear();
  blocks_.clear();
  positions_.clear();
  impacts_.clear();
  block_impacts_.Take(pairs_);
  term_impacts_.Take(pairs_);
}

uint32_t PostingsWriter::docs_with_term() const {
  uint32_t docs = 0;
  for (const uint64_t word : seen_) docs += static_cast<uint32_t>(std::popcount(word));
  return docs;
}

}  // namespace tiercel::segment
