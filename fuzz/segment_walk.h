// Reads everything a segment offers, as searches would, so that sanitizers see whatever a corrupt one leads to.
//
// Errors are fine and end the walk of that part; crashes, over-reads and endless loops are what fuzzing looks for.
#pragma once

#include "tiercel/segment/source.h"

namespace tiercel::fuzz {

inline void WalkTerms(const segment::TermIndex& terms) {
  auto cursor = terms.Terms("");
  if (!cursor.ok()) return;
  for (int limit = 0; (*cursor)->valid() && limit < 200; ++limit) {
    auto postings = terms.Postings(**cursor);
    if (postings.ok()) {
      for (int docs = 0; docs < 2000 && (*postings)->Next() != segment::kNoMoreDocs; ++docs)
        static_cast<void>((*postings)->Positions().size());
    }
    if (auto again = terms.Postings(std::string((*cursor)->term())); again.ok() && *again) {
      static_cast<void>((*again)->BlockImpacts(5).size());
      static_cast<void>((*again)->Advance(7));
      segment::DocId docs[300];
      static_cast<void>((*again)->NextBatch(docs, {}));
    }
    if (!(*cursor)->Next().ok()) return;
  }
}

inline void WalkSegment(const segment::Segment& segment) {
  static_cast<void>(segment.Verify().ok());
  const uint32_t docs = std::min(segment.doc_count(), 300u);
  for (const segment::FieldInfo& field : segment.fields()) {
    if (const segment::NumericColumn* column = segment.numeric(field.name)) {
      segment::NumericCursor cursor(column);
      for (uint32_t doc = 0; doc < docs; ++doc) static_cast<void>(cursor.Values(doc).ok());
    }
    if (const segment::KeywordColumn* column = segment.keyword(field.name)) {
      segment::KeywordCursor cursor(column);
      for (uint32_t doc = 0; doc < docs; ++doc) {
        const auto ordinals = cursor.Ordinals(doc);
        if (ordinals.ok() && !ordinals->empty()) static_cast<void>(column->Term(ordinals->front()).ok());
      }
      static_cast<void>(column->LowerBound("m").ok());
    }
    if (const segment::VectorColumn* column = segment.vector(field.name)) {
      static_cast<void>(column->BorrowRun(0, column->count()).ok());
      static_cast<void>(column->magnitudes().ok());
    }
    if (const segment::TermIndex* terms = segment.terms(field.name)) WalkTerms(*terms);
    if (const segment::Norms* norms = segment.norms(field.name))
      static_cast<void>(norms->bytes().size() + norms->docs_with_field());
  }
  for (uint32_t doc = 0; doc < docs; ++doc) {
    static_cast<void>(segment.Source(doc).ok());
    if (const auto id = segment.Id(doc); id.ok()) static_cast<void>(segment.FindId(*id).ok());
  }
}

}  // namespace tiercel::fuzz
