// Reciprocal rank fusion: a document's score is the sum over ranked lists of 1 / (rank_constant + rank), ranks counted
// from 1.
//
// Thread safety: pure functions. Cost: a hash lookup an entry, one sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/search/plan.h"
#include "tiercel/search/request.h"

namespace tiercel::search {

// A document of a search, by its segment in the search's list.
struct RankedDoc {
  uint32_t segment = 0;
  segment::DocId doc = 0;
  float score = 0;
};

// Best first, at most `limit`; ties in order of segments and documents.
std::vector<RankedDoc> FuseRanks(std::span<const std::vector<RankedDoc>> lists, uint32_t rank_constant, uint32_t limit);

// Runs a retriever: its best `limit` documents, best first. `filters` come from retrievers around it.
Result<std::vector<RankedDoc>> RunRetriever(const Retriever& retriever, uint32_t limit,
                                            std::span<const json::Value> filters, std::span<const SegmentRef> segments,
                                            const PlanContext& context);
// Every document that a retriever's queries match, for aggregations over a fusion: one query for the target. kNN
// children count as the documents they found.
Result<std::unique_ptr<Query>> PlanRetrieverUnion(const Retriever& retriever, std::span<const json::Value> filters,
                                                  const PlanContext& context, size_t target_index);

}  // namespace tiercel::search
