#include "tiercel/segment/merge_terms.h"

#include <algorithm>

#include "tiercel/segment/postings_cursor.h"

namespace tiercel::segment {
namespace {

constexpr uint32_t kTermsBetweenChecks = 1024;
constexpr Ordinal kDropped = UINT32_MAX;

// One input's side of the merge.
struct Source {
  const FieldReaders* field;
  const MergeInput* input;
  DictionaryCursor cursor;
  std::vector<Ordinal> ordinals;  // new ones by old; kDropped for terms that only dropped documents have
};

class TermMerger {
 public:
  TermMerger(std::span<const MergeInput> inputs, std::span<const FieldReaders* const> parts,
             const runtime::Cancellation& cancellation)
      : cancellation_(cancellation) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (parts[i] == nullptr || !parts[i]->dictionary) continue;
      sources_.push_back({parts[i], &inputs[i], DictionaryCursor(parts[i]->dictionary.get()), {}});
      has_ordinals_ |= parts[i]->keyword != nullptr;
    }
  }

  bool has_ordinals() const { return has_ordinals_; }
  Result<PostingsKind> Kind() const;
  Status Start();
  Status MergeDictionary(DictionaryWriter& dictionary, PostingsWriter* postings);
  Status MergeOrdinals(ValueBlocksWriter& writer) const;

 private:
  Status FindUsed(Source& source) const;
  // Adds the surviving documents of the term the source stands on.
  Status AddPostings(Source& source, PostingsWriter& postings, bool& any);
  Status FinishTerm(std::span<Source* const> at_term, std::string_view term, DictionaryWriter& dictionary,
                    PostingsWriter* postings);

  const runtime::Cancellation& cancellation_;
  std::vector<Source> sources_;
  bool has_ordinals_ = false;
};

Result<PostingsKind> TermMerger::Kind() const {
  const PostingsKind kind = sources_.front().field->meta.postings_kind;
  for (const Source& source : sources_) {
    if (source.field->meta.postings_kind != kind)
      return InvalidArgument("segments disagree about the postings of the field");
  }
  return kind;
}

Status TermMerger::Start() {
  for (Source& source : sources_) {
    source.ordinals.assign(source.field->dictionary->term_count(), 0);
    if (source.field->meta.postings_kind == PostingsKind::kNone) TIERCEL_TRY(FindUsed(source));
    TIERCEL_TRY(source.cursor.Seek(0));
  }
  return {};
}

Status TermMerger::FindUsed(Source& source) const {
  if (!source.field->keyword) return {};
  std::fill(source.ordinals.begin(), source.ordinals.end(), kDropped);
  KeywordCursor cursor(source.field->keyword.get());
  for (DocId old = 0; old < source.input->remap.size(); ++old) {
    if (source.input->remap[old] == kNoMoreDocs) continue;
    TIERCEL_TRY_ASSIGN(const auto ordinals, cursor.Ordinals(old));
    for (const Ordinal ordinal : ordinals) source.ordinals[ordinal] = 0;
  }
  return {};
}

Status TermMerger::AddPostings(Source& source, PostingsWriter& postings, bool& any) {
  const PostingsField& field = source.field->terms->postings_field();
  TIERCEL_TRY_ASSIGN(const auto cursor, StoredPostings::Open(field, source.cursor.entry()));
  const bool positions = field.kind == PostingsKind::kPositions;
  for (DocId old = cursor->Next(); old != kNoMoreDocs; old = cursor->Next()) {
    const DocId doc = source.input->remap[old];
    if (doc == kNoMoreDocs) continue;
    const auto at = positions ? cursor->Positions() : std::span<const uint32_t>();
    TIERCEL_TRY(cursor->status());
    postings.Add(doc, at);
    any = true;
  }
  return cursor->status();
}

Status TermMerger::FinishTerm(std::span<Source* const> at_term, std::string_view term, DictionaryWriter& dictionary,
                              PostingsWriter* postings) {
  bool any = false;
  for (Source* source : at_term) {
    if (postings != nullptr) {
      TIERCEL_TRY(AddPostings(*source, *postings, any));
    } else {
      any |= source->ordinals[source->cursor.ordinal()] != kDropped;
    }
  }
  for (Source* source : at_term) source->ordinals[source->cursor.ordinal()] = any ? dictionary.term_count() : kDropped;
  if (!any) return {};
  TermEntry entry;
  if (postings != nullptr) {
    TIERCEL_TRY_ASSIGN(entry, postings->FinishTerm());
  }
  dictionary.Add(term, entry);
  return {};
}

Status TermMerger::MergeDictionary(DictionaryWriter& dictionary, PostingsWriter* postings) {
  std::vector<Source*> at_term;
  std::string term;
  for (uint32_t step = 0;; ++step) {
    if (step % kTermsBetweenChecks == 0) TIERCEL_TRY(cancellation_.Check());
    // Inputs are few: a scan for the smallest term costs less than keeping a heap.
    at_term.clear();
    for (Source& source : sources_) {
      if (!source.cursor.valid()) continue;
      const int order = at_term.empty() ? 0 : source.cursor.term().compare(at_term.front()->cursor.term());
      if (order < 0) at_term.clear();
      if (order <= 0) at_term.push_back(&source);
    }
    if (at_term.empty()) return {};
    if (step > 0 && at_term.front()->cursor.term() <= term) {
      return at_term.front()->field->dictionary->section().Bad(0, "terms out of order");
    }
    term = at_term.front()->cursor.term();
    TIERCEL_TRY(FinishTerm(at_term, term, dictionary, postings));
    for (Source* source : at_term) TIERCEL_TRY(source->cursor.Next());
  }
}

Status TermMerger::MergeOrdinals(ValueBlocksWriter& writer) const {
  KeywordColumn::Block block;
  std::vector<int64_t> values;
  for (const Source& source : sources_) {
    if (!source.field->keyword) continue;
    const KeywordColumn& column = *source.field->keyword;
    for (uint32_t b = 0; b * KeywordColumn::kBlock < column.doc_count(); ++b) {
      if (b % 64 == 0) TIERCEL_TRY(cancellation_.Check());
      TIERCEL_TRY(column.ReadBlock(b, block));
      for (uint32_t j = 0; j < block.doc_count; ++j) {
        const DocId doc = source.input->remap[b * KeywordColumn::kBlock + j];
        const auto ordinals = block.Of(j);
        if (doc == kNoMoreDocs || ordinals.empty()) continue;
        values.clear();
        for (const Ordinal ordinal : ordinals) {
          if (source.ordinals[ordinal] == kDropped)
            return source.field->dictionary->section().Bad(0, "an ordinal without postings");
          values.push_back(source.ordinals[ordinal]);
        }
        TIERCEL_TRY(writer.SkipTo(doc));
        TIERCEL_TRY(writer.Add(values));
      }
    }
  }
  return {};
}

}  // namespace

Status MergeTerms(std::span<const MergeInput> inputs, std::span<const FieldReaders* const> parts, ByteSpan norms,
                  const runtime::Cancellation& cancellation, SegmentWriter& out, FieldMeta& meta) {
  TermMerger merger(inputs, parts, cancellation);
  TIERCEL_TRY_ASSIGN(const PostingsKind kind, merger.Kind());
  TIERCEL_TRY(merger.Start());
  const auto feed = [&](DictionaryWriter& dictionary, PostingsWriter* postings) {
    return merger.MergeDictionary(dictionary, postings);
  };
  TIERCEL_TRY(out.WriteTerms(meta, kind, norms, feed));
  if (!merger.has_ordinals() || meta.dictionary == kNoSection) return {};
  return out.WriteOrdinals(meta, [&](ValueBlocksWriter& writer) { return merger.MergeOrdinals(writer); });
}

}  // namespace tiercel::segment
