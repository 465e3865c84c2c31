// Binder: what turning parsed query clauses into a Query needs to know of the index: fields, statistics, limits.
//
// Thread safety: one thread, one call of ParseQuery. Lifetime: borrows the QueryContext. Cost: statistics of a field
// are summed over the segments once; a document frequency is one dictionary lookup per segment.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tiercel/search/bm25.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

class Binder {
 public:
  explicit Binder(const QueryContext& context) : context_(context) {}

  const QueryContext& context() const { return context_; }
  const mapping::Mapping& mapping() const { return *context_.target->mapping; }
  runtime::MemoryBudget* budget() const {
    return context_.environment == nullptr ? nullptr : context_.environment->budget;
  }

  // A field that documents can be searched by; nullptr when it is unmapped, an object, or inside a nested object.
  const mapping::Field* FindLeaf(std::string_view name) const;
  const FieldStatistics& Statistics(std::string_view field);
  // Documents with the term, over all segments, deleted ones included.
  Result<uint64_t> DocFreq(std::string_view field, std::string_view term) const;
  // Calls visit(const SegmentView&) -> Status for every segment of the index.
  template <typename Visit>
  Status ForEachSegment(Visit&& visit) const {
    for (const auto& shard : context_.target->shards) {
      for (const segment::SegmentView& view : shard->segments) TIERCEL_TRY(visit(view));
    }
    return {};
  }

  // Charges clauses against clauses_max: too_many_clauses when there are more.
  Status CountClauses(uint64_t count);

  // Elasticsearch meets a bad date of a range before it builds the query, and reports it bare: the error given here is
  // not wrapped.
  Status Final(Status error) {
    error_is_final_ = true;
    return error;
  }
  bool error_is_final() const { return error_is_final_; }

  // query_shard_exception: the clause makes no sense for this index.
  Status ShardError(std::string message) const;

 private:
  const QueryContext& context_;
  std::map<std::string, FieldStatistics, std::less<>> statistics_;
  uint64_t clauses_ = 0;
  bool error_is_final_ = false;
};

}  // namespace tiercel::search
