#include <limits>

#include "tiercel/search/query.h"

namespace tiercel::search {

float Scorer::MaxScore(DocId, DocId* last) {
  *last = kNoMoreDocs;
  return std::numeric_limits<float>::infinity();
}

uint32_t Scorer::NextBatch(std::span<DocId> docs, std::span<float> scores) {
  uint32_t count = 0;
  while (count < docs.size()) {
    const DocId doc = Next();
    if (doc == kNoMoreDocs) break;
    docs[count] = doc;
    if (!scores.empty()) scores[count] = Score();
    ++count;
  }
  return count;
}

uint32_t Scorer::Retain(std::span<DocId> docs, std::span<float> scores, bool& placed) {
  uint32_t kept = 0;
  for (size_t i = 0; i < docs.size(); ++i) {
    const DocId at = placed && doc() >= docs[i] ? doc() : Advance(docs[i]);
    placed = true;
    if (at != docs[i]) continue;
    docs[kept] = at;
    if (!scores.empty()) scores[kept] = scores[i];
    ++kept;
  }
  return kept;
}

}  // namespace tiercel::search
