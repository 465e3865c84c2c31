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

}  // namespace tiercel::search
