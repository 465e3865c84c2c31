#include "tiercel/segment/term_index.h"

namespace tiercel::segment {
namespace {

class StoredTerms final : public TermsCursor {
 public:
  explicit StoredTerms(const DictionaryReader* dictionary) : cursor_(dictionary) {}
  Status Seek(Ordinal ordinal) { return cursor_.Seek(ordinal); }

  bool valid() const override { return cursor_.valid(); }
  std::string_view term() const override { return cursor_.term(); }
  Ordinal ordinal() const override { return cursor_.ordinal(); }
  TermStats stats() const override { return {cursor_.entry().doc_freq, cursor_.entry().total_term_freq}; }
  Status Next() override { return cursor_.Next(); }
  const TermEntry& entry() const { return cursor_.entry(); }

 private:
  DictionaryCursor cursor_;
};

}  // namespace

Result<std::optional<TermStats>> TermIndexReader::Find(std::string_view term) const {
  TIERCEL_TRY_ASSIGN(const std::optional<TermEntry> entry, dictionary_->Find(term));
  if (!entry) return std::optional<TermStats>();
  return std::optional<TermStats>(TermStats{entry->doc_freq, entry->total_term_freq});
}

Result<std::unique_ptr<PostingsCursor>> TermIndexReader::Postings(std::string_view term) const {
  TIERCEL_TRY_ASSIGN(const std::optional<TermEntry> entry, dictionary_->Find(term));
  if (!entry) return std::unique_ptr<PostingsCursor>();
  TIERCEL_TRY_ASSIGN(std::unique_ptr<PostingsCursor> cursor, StoredPostings::Open(field_, *entry));
  return cursor;
}

Result<std::unique_ptr<TermsCursor>> TermIndexReader::Terms(std::string_view from) const {
  TIERCEL_TRY_ASSIGN(const auto found, dictionary_->LowerBound(from));
  auto cursor = std::make_unique<StoredTerms>(dictionary_);
  TIERCEL_TRY(cursor->Seek(found.first));
  return std::unique_ptr<TermsCursor>(std::move(cursor));
}

Result<std::unique_ptr<PostingsCursor>> TermIndexReader::Postings(const TermsCursor& at) const {
  const auto* cursor = dynamic_cast<const StoredTerms*>(&at);
  if (cursor == nullptr || !cursor->valid())
    return InvalidArgument("a terms cursor that stands on no term of this index");
  TIERCEL_TRY_ASSIGN(std::unique_ptr<PostingsCursor> postings, StoredPostings::Open(field_, cursor->entry()));
  return postings;
}

Status TermIndexReader::Verify() const {
  DictionaryCursor cursor(dictionary_);
  TIERCEL_TRY(cursor.Seek(0));
  std::string previous;
  uint64_t tokens = 0;
  while (cursor.valid()) {
    if (cursor.ordinal() > 0 && cursor.term() <= previous) {
      return dictionary_->section().Bad(0, "term " + std::to_string(cursor.ordinal()) + " out of order");
    }
    previous = cursor.term();
    tokens += cursor.entry().total_term_freq;
    TIERCEL_TRY_ASSIGN(const auto postings, StoredPostings::Open(field_, cursor.entry()));
    TIERCEL_TRY(postings->Verify());
    TIERCEL_TRY(cursor.Next());
  }
  if (tokens != tokens_) return dictionary_->section().Bad(0, "wrong number of tokens");
  return {};
}

}  // namespace tiercel::segment
