// The documents that Elasticsearch was asked about when the answers of the recorded tests were taken.
#pragma once

#include "tiercel/search/index_fixture.h"

namespace tiercel::search::aggs {

struct RecordedAnswer {
  const char* request;
  const char* answer;
};

// Five documents with several values, none, and every kind of field, spread over 1 to 5 segments.
IndexFixture RecordedIndex(size_t segments);

}  // namespace tiercel::search::aggs
