#include "tiercel/segment/damage.h"

#include <algorithm>

#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"
#include "tiercel/format/container.h"

namespace tiercel::segment {

void Reseal(Bytes& object) {
  const auto footer = format::ParseFooter(ByteSpan(object).last(format::kFooterBytes), object.size(), "resealed");
  if (!footer.ok()) return;
  for (uint64_t i = 0; i < footer->table_count; ++i) {
    const uint64_t start = i * format::kChecksumBlock;
    const ByteSpan block =
        ByteSpan(object).subspan(start, std::min(format::kChecksumBlock, footer->table_offset - start));
    format::StoreU64(format::Checksum(block), object.data() + footer->table_offset + i * 8);
  }
  const uint64_t end = object.size() - 16;
  const ByteSpan tail = ByteSpan(object).subspan(footer->directory_offset, end - footer->directory_offset);
  format::StoreU64(format::Checksum(tail), object.data() + end);
}

void ReadEverything(const Segment& segment) {
  const auto keep = [](const auto& result) { static_cast<void>(result.ok()); };
  for (DocId doc = 0; doc < segment.doc_count() && doc < 300; ++doc) {
    keep(segment.Source(doc));
    if (const auto id = segment.Id(doc); id.ok()) keep(segment.FindId(*id));
  }
  for (const FieldInfo& info : segment.fields()) {
    NumericColumn::Block numbers;
    KeywordColumn::Block ordinals;
    if (const NumericColumn* column = segment.numeric(info.name)) {
      for (uint32_t block = 0; block < std::min(column->block_count(), 16u); ++block)
        keep(column->ReadBlock(block, numbers));
    }
    if (const KeywordColumn* column = segment.keyword(info.name)) {
      for (uint32_t block = 0; block * KeywordColumn::kBlock < std::min(column->doc_count(), 4096u); ++block)
        keep(column->ReadBlock(block, ordinals));
      for (Ordinal o = 0; o < std::min(column->cardinality(), 300u); ++o) keep(column->Term(o));
      keep(column->LowerBound("m"));
    }
    if (const VectorColumn* column = segment.vector(info.name)) {
      keep(column->magnitudes());
      for (uint32_t row = 0; row < std::min(column->count(), 300u); ++row) keep(column->BorrowRun(row, 7));
    }
    const TermIndex* index = segment.terms(info.name);
    if (index == nullptr) continue;
    auto terms = index->Terms("");
    for (int i = 0; i < 300 && terms.ok() && (*terms)->valid(); ++i) {
      if (auto postings = index->Postings(**terms); postings.ok()) {
        for (int steps = 0; steps < 3000 && (*postings)->Next() != kNoMoreDocs; ++steps) {
          static_cast<void>((*postings)->freq());
          static_cast<void>((*postings)->Positions());
          if ((*postings)->doc() != kNoMoreDocs) static_cast<void>((*postings)->BlockImpacts((*postings)->doc()));
        }
      }
      if (!(*terms)->Next().ok()) break;
    }
  }
}

}  // namespace tiercel::segment
