// DisjunctionScorer: documents that at least `minimum` of the children have, scored by the sum of the children that
// match, or by the best of them plus a share of the others (dis_max).
//
// Two ways through the documents, chosen by the first call. Next and Advance keep the children in a heap. NextBatch
// adds the children's batches up in a window of 2048 documents, and prunes by MAXSCORE: within a window the children
// whose bounds together cannot reach the wanted score are not read; they are only asked about documents the others
// brought up.
//
// Thread safety: one thread. Cost: the sum of the children's; a window is 20 KiB plus 1 KiB a child.
#pragma once

#include <memory>
#include <queue>
#include <vector>

#include "tiercel/search/query.h"

namespace tiercel::search {

// How the scores of the children that match become one score.
struct Combination {
  bool best = false;  // dis_max: the best one plus tie_breaker times the others; otherwise the sum
  float tie_breaker = 0;

  double Combine(double sum, float max) const {
    return best ? max + (sum - max) * static_cast<double>(tie_breaker) : sum;
  }
};

// `children` are at least one. Without scores (`scored` false) Score must not be called.
std::unique_ptr<Scorer> MakeDisjunctionScorer(std::vector<std::unique_ptr<Scorer>> children, uint32_t minimum,
                                              Combination combination, bool scored);

}  // namespace tiercel::search
