// Small indices for the tests of search: documents in JSON become segments, a request in JSON becomes a response.
//
// Thread safety: one thread. Lifetime: a response outlives everything.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/clock.h"
#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/search/search.h"
#include "tiercel/segment/builder.h"

namespace tiercel::search {

class TestIndex {
 public:
  // `properties` is the object under mappings.properties.
  explicit TestIndex(std::string_view properties, std::string name = "index");

  // Indexes documents into one new segment; each is {"_id": …, "_routing": …, …source…} or, with `ids` counting up,
  // plain sources.
  void AddSegment(const std::vector<std::pair<std::string, std::string>>& id_and_source);
  // Marks a document deleted.
  void Delete(const std::string& id);
  // Segments added from now on belong to a new shard.
  void NextShard() { shards_.emplace_back(); }

  SearchTarget Target() const;

 private:
  std::string name_;
  std::shared_ptr<const mapping::Mapping> mapping_;
  std::vector<std::vector<segment::SegmentView>> shards_{1};
  int64_t seq_no_ = 0;
};

// Runs requests over targets, on a pool of two threads.
class Searcher {
 public:
  explicit Searcher(std::vector<SearchTarget> targets) : targets_(std::move(targets)) {}

  // The response, or the error.
  Result<std::string> Run(std::string_view body, const UrlParameters& url = {}) const;
  // The response's "hits" object; a test failure when there is an error.
  std::string Hits(std::string_view body, const UrlParameters& url = {}) const;
  // "id:score id:score …", or "id id …" with scores off.
  std::string Ids(std::string_view body, bool scores = false) const;
  // "type: message" of the error, then " <- type: message" of each cause.
  std::string Error(std::string_view body, const UrlParameters& url = {}) const;

  FakeClock& clock() const { return clock_; }
  runtime::Cancellation* cancellation = nullptr;
  std::vector<SearchTarget>& targets() { return targets_; }

 private:
  std::vector<SearchTarget> targets_;
  mutable FakeClock clock_;
  mutable runtime::ThreadPool pool_{"search-test", 2, 100};
  mutable runtime::MemoryBudget budget_{uint64_t{1} << 30};
};

}  // namespace tiercel::search
