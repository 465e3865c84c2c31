// For tests and benchmarks of aggregations: segments made from JSON documents with plain columns in memory, and one
// call that runs an aggregation over them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/search/aggregation.h"
#include "tiercel/segment/source.h"

namespace tiercel::search::aggs {

std::shared_ptr<const mapping::Mapping> TestMapping(std::string_view mappings_json);

// Columns only: every leaf of the mapping that a document has, objects by their dotted paths.
std::shared_ptr<const segment::Segment> TestSegment(const mapping::Mapping& mapping,
                                                    const std::vector<std::string>& documents);

struct TestIndex {
  std::shared_ptr<const mapping::Mapping> mapping;
  std::vector<segment::SegmentView> segments;

  SearchTarget target() const;
};

// The "aggregations" object for the given documents of each segment (all of them when `docs` is empty).
Result<std::string> Aggregate(const TestIndex& index, std::string_view aggs_json,
                              const std::vector<std::vector<segment::DocId>>& docs = {}, bool typed_keys = false);

// Where two JSON texts first differ, members in any order and numbers within a relative 1e-9; empty when they are the
// same.
std::string JsonDifference(std::string_view expected, std::string_view actual);

}  // namespace tiercel::search::aggs
