// Exact k-nearest-neighbour search over vector columns, on borrowed memory: no vector is copied.
//
// Unfiltered, rows are scanned where they lie, in ranges spread over the pool; so is a filter that keeps most rows. A
// selective filter's rows are scored by address. Deleted documents never count towards k. Ties go to the earlier
// segment, then document.
//
// Thread safety: may run on many threads at once. Cost: memory bandwidth; memory is a bit per document under a filter,
// and k hits a range.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/search/query.h"
#include "tiercel/search/vector_query.h"

namespace tiercel::search {

struct KnnSearch {
  const VectorQuery* vector = nullptr;
  std::string field;
  const Query* filter = nullptr;  // pre-filter; null: every live document
  uint32_t k = 10;
  std::optional<float> score_min;  // what the "similarity" parameter comes to; before the boost
  float boost = 1;
};

// The k best, best first. ScoredDoc::segment counts along `segments`.
Result<std::vector<ScoredDoc>> FindNearest(const KnnSearch& search, std::span<const segment::SegmentView> segments,
                                           const SearchEnvironment& environment);

// A clause run against one index, its filters and the alias filter applied first: the k best of each shard, or of all
// shards together. ScoredDoc::segment counts the index's segments over its shards in order. Errors: as a shard words
// them.
Result<std::vector<ScoredDoc>> FindNearestInIndex(const KnnClause& clause, std::span<const json::Value> more_filters,
                                                  const QueryContext& context, bool k_per_shard);

// `query` under a name for matched_queries; as it is when the name is empty.
std::unique_ptr<Query> WithName(std::unique_ptr<Query> query, std::string name);

// All segments of an index, shard by shard.
std::vector<segment::SegmentView> SegmentsOf(const SearchTarget& target);

}  // namespace tiercel::search
