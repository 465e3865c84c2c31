// What the write buffer holds of one field: numbers, keywords, inverted text, vectors. Each buffer takes documents in
// ascending order and writes its parts of a segment at the end.
//
// Thread safety: one thread. Cost: amortised constant per value or token.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tiercel/mapping/document.h"
#include "tiercel/segment/byte_chains.h"
#include "tiercel/segment/norms.h"
#include "tiercel/segment/segment_writer.h"
#include "tiercel/segment/term_hash.h"

namespace tiercel::segment {

class NumericBuffer {
 public:
  void Add(DocId doc, int64_t value) {
    docs_.push_back(doc);
    values_.push_back(value);
  }
  bool empty() const { return docs_.empty(); }
  Status Write(SegmentWriter& out, FieldMeta& meta) const;
  uint64_t memory_bytes() const { return docs_.capacity() * sizeof(DocId) + values_.capacity() * sizeof(int64_t); }

 private:
  std::vector<DocId> docs_;
  std::vector<int64_t> values_;
};

class KeywordBuffer {
 public:
  // Equal values of one document count once.
  void Add(DocId doc, std::string_view value);
  bool empty() const { return docs_.empty(); }
  uint64_t term_bytes() const { return terms_.byte_count(); }
  Status Write(SegmentWriter& out, FieldMeta& meta, bool indexed, bool with_ordinals) const;
  uint64_t memory_bytes() const {
    return terms_.memory_bytes() + (docs_.capacity() + numbers_.capacity() + last_docs_.capacity()) * sizeof(uint32_t);
  }

 private:
  // Documents of each ordinal, one list after the other.
  struct Inverted {
    std::vector<uint32_t> starts;
    std::vector<DocId> docs;
  };
  Inverted Invert(std::span<const uint32_t> ordinal_of) const;

  TermHash terms_;
  std::vector<DocId> docs_;
  std::vector<uint32_t> numbers_;  // of the terms, one per document and value
  std::vector<DocId> last_docs_;   // by term
};

class TextBuffer {
 public:
  // Once per document; positions of the tokens do not descend. With `norms` false every length counts as 1.
  void Add(DocId doc, const mapping::ParsedDocument& document, std::span<const mapping::TextToken> tokens, bool norms);
  bool empty() const { return norms_.docs_with_field() == 0; }
  // Bytes that both the terms and the postings stay below.
  uint64_t arena_bytes() const { return std::max(terms_.byte_count(), chains_.memory_bytes()); }
  Status Write(SegmentWriter& out, FieldMeta& meta, uint32_t doc_count);
  uint64_t memory_bytes() const {
    return terms_.memory_bytes() + chains_.memory_bytes() + postings_.capacity() * sizeof(Postings) +
           norms_.memory_bytes();
  }

 private:
  // A chain holds, for every occurrence, varint(document - last · 2 + 1), varint(position) for the first in a document
  // and varint(position - last · 2) for the others.
  struct Postings {
    ByteChains::Chain chain;
    DocId last_doc = 0;
    uint32_t last_position = 0;
  };
  void WriteTerm(const Postings& postings, std::vector<uint32_t>& positions, PostingsWriter& out) const;

  TermHash terms_;
  ByteChains chains_;
  std::vector<Postings> postings_;  // by term
  NormsBuffer norms_;
};

class VectorBuffer {
 public:
  explicit VectorBuffer(VectorShape shape = {}) : shape_(shape) {}
  const VectorShape& shape() const { return shape_; }
  void Add(DocId doc, ByteSpan row) {
    docs_.push_back(doc);
    rows_.insert(rows_.end(), row.begin(), row.end());
  }
  bool empty() const { return docs_.empty(); }
  // The vector of a document that has one.
  ByteSpan RowOf(DocId doc) const;
  Status Write(SegmentWriter& out, FieldMeta& meta) const;
  uint64_t memory_bytes() const { return docs_.capacity() * sizeof(DocId) + rows_.capacity(); }

 private:
  VectorShape shape_;
  std::vector<DocId> docs_;
  Bytes rows_;
};

}  // namespace tiercel::segment
