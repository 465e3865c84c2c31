// StoredPostings: the PostingsCursor over stored postings. Bytes: docs/format/segment.md.
//
// Thread safety: one thread. Lifetime: borrows the segment's Input and norms. Cost: one allocation to open; a block of
// 128 documents decodes at about a nanosecond a document, frequencies and positions only when asked for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tiercel/segment/dictionary.h"
#include "tiercel/segment/impacts.h"
#include "tiercel/segment/postings_writer.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

// What the postings of a field have in common.
struct PostingsField {
  InputSlice section;
  PostingsKind kind = PostingsKind::kDocuments;
  uint32_t doc_count = 0;        // of the segment
  const Norms* norms = nullptr;  // kPositions
};

class StoredPostings final : public PostingsCursor {
 public:
  static Result<std::unique_ptr<StoredPostings>> Open(const PostingsField& field, const TermEntry& entry);

  DocId doc() const override { return doc_; }
  DocId Next() override;
  DocId Advance(DocId target) override;
  uint32_t freq() const override;
  uint32_t cost() const override { return entry_.doc_freq; }
  const Status& status() const override { return status_; }
  std::span<const uint32_t> Positions() override;
  DocId BlockLast(DocId target) override;
  std::span<const Impact> BlockImpacts(DocId target) override;
  uint32_t NextBatch(std::span<DocId> docs, std::span<uint32_t> freqs) override;

  // Walks everything: order, counts, positions and impacts.
  Status Verify();

 private:
  static constexpr uint32_t kNoBlock = UINT32_MAX;

  StoredPostings(const PostingsField& field, const TermEntry& entry) : field_(field), entry_(entry) {}
  Status Prepare();
  Status PrepareTable();

  bool with_positions() const { return field_.kind == PostingsKind::kPositions; }
  bool small() const { return entry_.doc_freq < kPostingsBlock; }
  DocId TableLast(uint32_t block) const;
  // First block from `from` on whose last document is >= target; block_count_ when none.
  uint32_t FindBlock(uint32_t from, DocId target) const;
  DocId Fail(Status status);
  DocId EnterBlock(uint32_t block);
  Status LoadBlock(uint32_t block);
  Status DecodeFull(uint32_t block, const cache::Borrowed& bytes, uint64_t offset);
  Status DecodeTail(const cache::Borrowed& bytes, uint64_t offset, uint32_t count, int64_t previous);
  void DecodeFreqs() const;
  Status LoadPositions();
  Status DecodeDeltas(const cache::Borrowed& bytes, uint64_t total);
  Status ReadImpacts(uint64_t offset);
  void ComputeSmallImpacts();

  const PostingsField field_;
  const TermEntry entry_;
  InputSlice postings_;
  InputSlice positions_;
  cache::Borrowed table_;
  uint32_t block_count_ = 1;
  uint32_t impacts_length_ = 0;
  Status status_;

  // The block the cursor is in.
  uint32_t block_ = kNoBlock;
  uint32_t index_ = 0;
  uint32_t count_ = 0;
  DocId doc_ = kNoMoreDocs;
  std::array<DocId, kPostingsBlock> docs_;
  cache::Borrowed bytes_;
  const uint8_t* packed_freqs_ = nullptr;  // not yet decoded when not null
  unsigned freq_width_ = 0;
  mutable std::array<uint32_t, kPostingsBlock> freqs_;
  mutable bool freqs_ready_ = false;

  // Positions of the block, once asked for: those of document i are [position_starts_[i], position_starts_[i + 1]).
  uint32_t positions_block_ = kNoBlock;
  std::vector<uint32_t> position_values_;
  std::array<uint32_t, kPostingsBlock + 1> position_starts_;

  uint64_t impacts_at_ = UINT64_MAX;  // what impacts_ holds
  uint32_t impact_count_ = 0;
  std::array<Impact, ImpactAccumulator::kMaxImpacts> impacts_;
  uint32_t shallow_block_ = 0;
};

}  // namespace tiercel::segment
