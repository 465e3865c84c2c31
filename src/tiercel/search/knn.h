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

// A clause bound to one index: its vector, and its filters with the alias filter. Movable; `Search` borrows it.
struct BoundKnn {
  std::optional<VectorQuery> vector;  // nothing: the index has no such vectors
  std::unique_ptr<Query> filter;      // null: none
  std::string field;
  uint32_t k = 10;
  std::optional<float> score_min;
  float boost = 1;

  KnnSearch Search() const {
    return {.vector = &*vector, .field = field, .filter = filter.get(), .k = k, .score_min = score_min, .boost = boost};
  }
};
// Errors: as a shard words them.
Result<BoundKnn> BindKnn(const KnnClause& clause, std::span<const json::Value> more_filters,
                         const QueryContext& context);

// The k best of all the index's shards together. ScoredDoc::segment counts its segments over its shards in order. Exact
// ("flat") fields behave as in Elasticsearch: under a filter, documents that pass it without having a vector fill up
// the k, scored 0.
Result<std::vector<ScoredDoc>> FindNearestInIndex(const BoundKnn& knn, const QueryContext& context);

// `query` under a name for matched_queries; as it is when the name is empty.
std::unique_ptr<Query> WithName(std::unique_ptr<Query> query, std::string name);

// All segments of an index, shard by shard.
std::vector<segment::SegmentView> SegmentsOf(const SearchTarget& target);

}  // namespace tiercel::search
