// Hit: one document that made it into the answer. Thread safety: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "tiercel/search/sort.h"
#include "tiercel/segment/source.h"

namespace tiercel::search {

struct Hit {
  uint32_t segment = 0;  // in the search's list of segments
  segment::DocId doc = 0;
  float score = 0;  // NaN when nothing asked for scores
  std::vector<SortValue> sort;
};

}  // namespace tiercel::search
