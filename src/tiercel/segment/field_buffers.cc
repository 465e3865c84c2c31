#include "tiercel/segment/field_buffers.h"

#include <algorithm>

namespace tiercel::segment {
namespace {

// Calls `add(document, values)` for each run of equal documents, its values sorted.
template <typename Value, typename Add>
Status ForEachDocument(std::span<const DocId> docs, std::span<const Value> values, std::vector<int64_t>& scratch,
                       const Add& add) {
  for (size_t begin = 0; begin < docs.size();) {
    size_t end = begin;
    scratch.clear();
    for (; end < docs.size() && docs[end] == docs[begin]; ++end) scratch.push_back(static_cast<int64_t>(values[end]));
    if (scratch.size() > 1) std::sort(scratch.begin(), scratch.end());
    TIERCEL_TRY(add(docs[begin]));
    begin = end;
  }
  return {};
}

}  // namespace

Status NumericBuffer::Write(SegmentWriter& out, FieldMeta& meta) const {
  return out.WriteNumeric(meta, [&](ValueBlocksWriter& writer) {
    std::vector<int64_t> values;
    return ForEachDocument(std::span(docs_), std::span(values_), values, [&](DocId doc) -> Status {
      TIERCEL_TRY(writer.SkipTo(doc));
      return writer.Add(values);
    });
  });
}

void KeywordBuffer::Add(DocId doc, std::string_view value) {
  const uint32_t number = terms_.Intern(value);
  if (number == last_docs_.size()) {
    last_docs_.push_back(doc);
  } else if (last_docs_[number] == doc) {
    return;
  }
  last_docs_[number] = doc;
  docs_.push_back(doc);
  numbers_.push_back(number);
}

KeywordBuffer::Inverted KeywordBuffer::Invert(std::span<const uint32_t> ordinal_of) const {
  Inverted inverted;
  inverted.starts.resize(terms_.size() + size_t{1});
  for (const uint32_t number : numbers_) ++inverted.starts[ordinal_of[number] + 1];
  for (size_t i = 1; i < inverted.starts.size(); ++i) inverted.starts[i] += inverted.starts[i - 1];
  std::vector<uint32_t> next(inverted.starts.begin(), inverted.starts.end() - 1);
  inverted.docs.resize(docs_.size());
  for (size_t i = 0; i < docs_.size(); ++i) inverted.docs[next[ordinal_of[numbers_[i]]]++] = docs_[i];
  return inverted;
}

Status KeywordBuffer::Write(SegmentWriter& out, FieldMeta& meta, bool indexed, bool with_ordinals) const {
  const std::vector<uint32_t> sorted = terms_.Sorted();
  std::vector<uint32_t> ordinal_of(sorted.size());
  for (uint32_t ordinal = 0; ordinal < sorted.size(); ++ordinal) ordinal_of[sorted[ordinal]] = ordinal;
  const PostingsKind kind = indexed ? PostingsKind::kDocuments : PostingsKind::kNone;
  TIERCEL_TRY(out.WriteTerms(meta, kind, {}, [&](DictionaryWriter& dictionary, PostingsWriter* postings) -> Status {
    const Inverted inverted = postings == nullptr ? Inverted() : Invert(ordinal_of);
    for (uint32_t ordinal = 0; ordinal < sorted.size(); ++ordinal) {
      TermEntry entry;
      if (postings != nullptr) {
        for (uint32_t i = inverted.starts[ordinal]; i < inverted.starts[ordinal + 1]; ++i)
          postings->Add(inverted.docs[i], {});
        TIERCEL_TRY_ASSIGN(entry, postings->FinishTerm());
      }
      dictionary.Add(terms_.term(sorted[ordinal]), entry);
    }
    return {};
  }));
  if (!with_ordinals) return {};
  return out.WriteOrdinals(meta, [&](ValueBlocksWriter& writer) {
    std::vector<uint32_t> ordinals(numbers_.size());
    for (size_t i = 0; i < numbers_.size(); ++i) ordinals[i] = ordinal_of[numbers_[i]];
    std::vector<int64_t> values;
    return ForEachDocument(std::span(docs_), std::span<const uint32_t>(ordinals), values, [&](DocId doc) -> Status {
      TIERCEL_TRY(writer.SkipTo(doc));
      return writer.Add(values);
    });
  });
}

void TextBuffer::Add(DocId doc, const mapping::ParsedDocument& document, std::span<const mapping::TextToken> tokens,
                     bool norms) {
  uint32_t overlaps = 0;  // tokens at the position of the one before do not lengthen the field
  for (size_t i = 0; i < tokens.size(); ++i) {
    const mapping::TextToken& token = tokens[i];
    overlaps += i > 0 && token.position == tokens[i - 1].position;
    const uint32_t number = terms_.Intern(document.Term(token.offset, token.length));
    if (number == postings_.size()) postings_.emplace_back();
    Postings& postings = postings_[number];
    if (!postings.chain.started || postings.last_doc != doc) {
      chains_.AppendVarint(postings.chain, uint64_t{doc - postings.last_doc} * 2 + 1);
      chains_.AppendVarint(postings.chain, token.position);
      postings.last_doc = doc;
    } else {
      chains_.AppendVarint(postings.chain, uint64_t{token.position - postings.last_position} * 2);
    }
    postings.last_position = token.position;
  }
  norms_.Set(doc, EncodeLength(norms ? static_cast<uint32_t>(tokens.size()) - overlaps : 1));
}

void TextBuffer::WriteTerm(const Postings& postings, std::vector<uint32_t>& positions, PostingsWriter& out) const {
  positions.clear();
  DocId doc = 0;
  for (ByteChains::Reader reader(chains_, postings.chain); !reader.AtEnd();) {
    const uint64_t head = reader.NextVarint();
    if (head & 1) {
      if (!positions.empty()) out.Add(doc, positions);
      positions.clear();
      doc += static_cast<DocId>(head >> 1);
      positions.push_back(static_cast<uint32_t>(reader.NextVarint()));
    } else {
      positions.push_back(positions.back() + static_cast<uint32_t>(head >> 1));
    }
  }
  out.Add(doc, positions);
}

Status TextBuffer::Write(SegmentWriter& out, FieldMeta& meta, uint32_t doc_count) {
  norms_.Close(doc_count);
  TIERCEL_TRY(out.WriteNorms(meta, norms_));
  if (terms_.size() == 0) return {};
  return out.WriteTerms(meta, PostingsKind::kPositions, norms_.bytes(),
                        [&](DictionaryWriter& dictionary, PostingsWriter* writer) -> Status {
                          std::vector<uint32_t> positions;
                          for (const uint32_t number : terms_.Sorted()) {
                            WriteTerm(postings_[number], positions, *writer);
                            TIERCEL_TRY_ASSIGN(const TermEntry entry, writer->FinishTerm());
                            dictionary.Add(terms_.term(number), entry);
                          }
                          return {};
                        });
}

ByteSpan VectorBuffer::RowOf(DocId doc) const {
  const auto row = static_cast<size_t>(std::lower_bound(docs_.begin(), docs_.end(), doc) - docs_.begin());
  return ByteSpan(rows_).subspan(row * shape_.row_bytes(), shape_.row_bytes());
}

Status VectorBuffer::Write(SegmentWriter& out, FieldMeta& meta) const {
  return out.WriteVectors(meta, shape_, [&](VectorWriter& writer) -> Status {
    for (size_t i = 0; i < docs_.size(); ++i) {
      TIERCEL_TRY(writer.Add(docs_[i], ByteSpan(rows_).subspan(i * shape_.row_bytes(), shape_.row_bytes())));
    }
    return {};
  });
}

}  // namespace tiercel::segment
