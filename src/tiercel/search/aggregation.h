// Aggregations: parsed once, collected per segment in parallel, reduced into the "aggregations" object of a response.
//
// Flow: AggregationSet::Parse → Validate against each index's mapping → one AggregationCollector per segment, fed with
// ascending batches of matching live documents → Finish gives a partial → Reduce merges partials and writes JSON.
//
// Who wraps what: errors of Parse go into the answer as they are. Errors of Validate and NewCollector are what
// Elasticsearch finds on a shard: the driver wraps them in search_phase_execution_exception "all shards failed".
// too_many_buckets_exception from Reduce is wrapped in a search_phase_execution_exception of phase "fetch" with an
// empty reason and no root cause.
//
// Thread safety: a set is immutable and shared; a collector belongs to one thread. Memory: buckets are charged to the
// request breaker; more than `buckets_max` in one response is InvalidArgument, type too_many_buckets_exception.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/search/search.h"
#include "tiercel/segment/source.h"

namespace tiercel::search {

// What one segment contributed. Opaque outside the aggregation sources.
class AggregationPartial {
 public:
  virtual ~AggregationPartial() = default;
};

class AggregationCollector {
 public:
  virtual ~AggregationCollector() = default;
  // Ascending, live, matching documents of the segment; called any number of times.
  virtual Status Collect(std::span<const segment::DocId> docs) = 0;
  virtual Result<std::unique_ptr<AggregationPartial>> Finish() = 0;
};

class AggregationSet {
 public:
  // The object under "aggs"/"aggregations". Unknown types, bad parameters and names: InvalidArgument with ES's
  // messages.
  static Result<std::shared_ptr<const AggregationSet>> Parse(json::Value aggs);
  virtual ~AggregationSet() = default;

  // Field types that do not fit (terms on text, avg on keyword, ...): InvalidArgument. The index name appears in
  // messages.
  virtual Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const = 0;
  // `target` and `view` must outlive the collector, not the partial it makes.
  virtual Result<std::unique_ptr<AggregationCollector>> NewCollector(const SearchTarget& target,
                                                                     const segment::SegmentView& view,
                                                                     const SearchEnvironment& environment) const = 0;
  // Merges the partials of all segments and writes the object {"name":{…},…}. `typed_keys` prefixes names with their
  // type. Partials may be empty: every aggregation then writes its empty form. `mapping` (of the first target) gives
  // formats for it.
  virtual Status Reduce(std::vector<std::unique_ptr<AggregationPartial>> partials, const mapping::Mapping& mapping,
                        bool typed_keys, const SearchEnvironment& environment, json::Writer& writer) const = 0;
};

}  // namespace tiercel::search
