// For the tests of aggregations: one call that runs them over an IndexFixture, and a comparison of JSON texts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tiercel/runtime/memory_budget.h"
#include "tiercel/search/index_fixture.h"

namespace tiercel::search::aggs {

struct AggregateOptions {
  bool typed_keys = false;
  size_t batch_docs = 4096;
  runtime::MemoryBudget* budget = nullptr;
  std::function<bool(const segment::SegmentView&, DocId)> matches;  // unset: every live document
};

// The "aggregations" object.
Result<std::string> Aggregate(const IndexFixture& index, std::string_view aggs_json,
                              const AggregateOptions& options = {});
// "type: reason <- type: reason" of aggregations that are refused, "accepted" otherwise.
std::string AggregateRefusal(const IndexFixture& index, std::string_view aggs_json);

// Where two JSON texts first differ, members in any order and numbers within a relative 1e-9; empty when they are the
// same.
std::string JsonDifference(std::string_view expected, std::string_view actual);

}  // namespace tiercel::search::aggs
