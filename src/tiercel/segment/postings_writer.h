// PostingsWriter: the documents, frequencies, positions and impacts of the terms of one field, into the section
// `terms/F`. Bytes: docs/format/segment.md.
//
// Thread safety: one thread. Memory: the encoded postings of one term, and a bit per document.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/dictionary.h"
#include "tiercel/segment/impacts.h"

namespace tiercel::segment {

inline constexpr uint32_t kPostingsBlock = 128;
// No vector and no block of postings crosses a multiple of this in the object.
inline constexpr uint64_t kRegionBytes = 16 * 1024 * 1024;

class PostingsWriter {
 public:
  // Writes into the section that `out` has begun. `norms` has a byte per document (kPositions only) and is borrowed.
  PostingsWriter(format::ContainerWriter& out, PostingsKind kind, ByteSpan norms, uint32_t doc_count);

  // Next document of the term; its positions ascend (kPositions: at least one; kDocuments: none).
  void Add(DocId doc, std::span<const uint32_t> positions);
  // Writes the term's data. The term has at least one document.
  Result<TermEntry> FinishTerm();

  uint32_t docs_with_term() const;
  uint64_t tokens() const { return tokens_; }

 private:
  struct Block {
    DocId last;
    uint32_t impacts;    // offset
    uint64_t positions;  // offset
    size_t begin;        // in blocks_
  };
  void FlushBlock();
  void EncodeTail(Bytes& out);
  void EncodeImpacts(ImpactAccumulator& accumulator, Bytes& out);
  Status WriteBlocks();
  void Reset();

  format::ContainerWriter& out_;
  const PostingsKind kind_;
  const ByteSpan norms_;
  std::vector<uint64_t> seen_;  // a bit per document with any term
  uint64_t tokens_ = 0;

  // The documents not yet in a block.
  std::vector<uint32_t> docs_;
  std::vector<uint32_t> freqs_;
  std::vector<uint32_t> deltas_;  // of their positions
  std::vector<uint32_t> gaps_;

  // The term so far.
  uint32_t doc_freq_ = 0;
  uint64_t total_term_freq_ = 0;
  int64_t last_doc_ = -1;  // of the last block
  std::vector<Block> directory_;
  Bytes blocks_;
  Bytes positions_;
  Bytes impacts_;
  Bytes laid_out_;
  ImpactAccumulator block_impacts_;
  ImpactAccumulator term_impacts_;
  std::vector<Impact> pairs_;
};

}  // namespace tiercel::segment
