// search::Execute: a search request over pinned snapshots, from the query DSL in JSON to the response in JSON.
//
// The pieces: request.h (what was asked, parsed once), query.h (DSL → Query → per-segment Scorer), knn.h, collector.h
// (top-k, counting), sort.h, fetch.h (_source, docvalue_fields), aggregation.h (aggregators and their reduction),
// response.h. Statistics are taken over all segments of an index, so scores do not depend on how documents are spread.
//
// Thread safety: Execute may run on many threads; it fans out over segments on the pool it is given. Memory is charged
// to the request breaker. Cancellable every few thousand documents; a deadline returns partial results with timed_out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/base/clock.h"
#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/runtime/cancellation.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/segment/source.h"

namespace tiercel::search {

struct SearchRequest;  // request.h

struct ShardError {
  uint32_t shard = 0;
  Status reason;
};

// One index of a search: name, mapping, its shards' snapshots, and the filters of the aliases it was reached by.
struct SearchTarget {
  std::string index;
  std::shared_ptr<const mapping::Mapping> mapping;
  std::vector<std::shared_ptr<const segment::Snapshot>> shards;
  std::optional<std::string> alias_filter_json;  // a query that every hit must also match, pre-filter of kNN
  uint32_t result_window_max = 10000;
  std::vector<ShardError> unreadable;  // shards that are missing from `shards`, and why
};

struct SearchEnvironment {
  runtime::ThreadPool* pool = nullptr;
  runtime::MemoryBudget* budget = nullptr;
  const Clock* clock = nullptr;
  const runtime::Cancellation* cancellation = nullptr;
};

// Parameters of the URL that override or add to the body ("q", "size", "from", "sort", "_source", "_source_includes",
// ...).
using UrlParameters = std::vector<std::pair<std::string, std::string>>;

// Parses and validates; InvalidArgument with Elasticsearch's types and messages. `body` may be a default Value (no
// body). The request borrows the body: keep its Document until the request is gone.
Result<std::shared_ptr<const SearchRequest>> ParseSearchRequest(json::Value body, const UrlParameters& url);

struct SearchOutcome {
  std::string json;         // the whole response object
  std::string shards_json;  // its _shards object
  uint64_t total = 0;       // documents found, as exactly as the request asked for
  bool timed_out = false;
};
// An index that cannot answer (a mapping the request does not fit, stored bytes that do not check out) leaves the
// others' answers standing: the response names it under _shards.failures. The search fails when no index can answer, or
// with allow_partial_search_results=false.
Result<SearchOutcome> Execute(const SearchRequest& request, std::span<const SearchTarget> targets,
                              const SearchEnvironment& environment);

// Applies _source filtering (includes/excludes with wildcards) to a source text; shared with GET and _update.
struct SourceFilter {
  bool enabled = true;
  std::vector<std::string> includes, excludes;
  bool passes_all() const { return enabled && includes.empty() && excludes.empty(); }
};
Result<SourceFilter> ParseSourceFilter(json::Value source);
std::string FilterSource(std::string_view source, const SourceFilter& filter);

}  // namespace tiercel::search
