// What a search runs: the segments it reads, in the order that breaks ties, and per index the query, post filter and
// sort.
//
// Thread safety: immutable once built. Lifetime: borrows the request and the targets.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/search/query.h"
#include "tiercel/search/request.h"
#include "tiercel/search/search.h"
#include "tiercel/search/sort.h"

namespace tiercel::search {

struct SegmentRef {
  const SearchTarget* target = nullptr;
  uint32_t target_index = 0;
  uint32_t shard = 0;     // over all targets
  uint64_t doc_base = 0;  // of the segment in its shard
  const segment::SegmentView* view = nullptr;
};

std::vector<SegmentRef> ListSegments(std::span<const SearchTarget> targets);

struct TargetPlan {
  std::unique_ptr<Query> query;
  std::unique_ptr<Query> post_filter;  // null: none
  BoundSort sort;                      // no fields: by score
};

// Everything parsing queries for the targets of one search needs.
struct PlanContext {
  std::span<const SearchTarget> targets;
  const SearchEnvironment* environment = nullptr;
  int64_t now_ms = 0;
  uint32_t request_size = 10;

  QueryContext For(size_t target_index) const {
    return {
        .target = &targets[target_index], .now_ms = now_ms, .environment = environment, .request_size = request_size};
  }
};

// ParseQuery, with errors told as the target's shard would.
Result<std::unique_ptr<Query>> PlanQuery(json::Value query, const PlanContext& context, size_t target_index);
// `query` under `filters` and the target's alias filter; a null query stands for every document, scored `score`.
Result<std::unique_ptr<Query>> PlanFiltered(std::unique_ptr<Query> query, float score,
                                            std::span<const json::Value> filters, const PlanContext& context,
                                            size_t target_index);
// The k nearest over all targets, as one list a target; ScoredDoc::segment counts that target's segments.
Result<std::vector<std::vector<ScoredDoc>>> PlanKnn(const KnnClause& clause, std::span<const json::Value> more_filters,
                                                    const PlanContext& context);

}  // namespace tiercel::search
