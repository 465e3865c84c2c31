// TermIndexReader: the stored TermIndex of one field, from its dictionary, postings and norms.
//
// Thread safety: immutable. Lifetime: borrows the segment's Input and norms.
#pragma once

#include <memory>

#include "tiercel/segment/dictionary.h"
#include "tiercel/segment/postings_cursor.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

class TermIndexReader final : public TermIndex {
 public:
  // `dictionary` outlives the reader.
  TermIndexReader(const DictionaryReader* dictionary, PostingsField field, uint32_t doc_count, uint64_t tokens)
      : dictionary_(dictionary), field_(field), doc_count_(doc_count), tokens_(tokens) {}

  uint32_t term_count() const override { return dictionary_->term_count(); }
  bool has_positions() const override { return field_.kind == PostingsKind::kPositions; }
  uint32_t doc_count() const override { return doc_count_; }
  uint64_t sum_total_term_freq() const override { return tokens_; }
  Result<std::optional<TermStats>> Find(std::string_view term) const override;
  Result<std::unique_ptr<PostingsCursor>> Postings(std::string_view term) const override;
  Result<std::unique_ptr<TermsCursor>> Terms(std::string_view from) const override;
  Result<std::unique_ptr<PostingsCursor>> Postings(const TermsCursor& at) const override;

  const PostingsField& postings_field() const { return field_; }
  // Walks every term and posting.
  Status Verify() const;

 private:
  const DictionaryReader* dictionary_;
  PostingsField field_;
  uint32_t doc_count_;
  uint64_t tokens_;
};

}  // namespace tiercel::segment
