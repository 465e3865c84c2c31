#include "tiercel/search/binder.h"

namespace tiercel::search {

const mapping::Field* Binder::FindLeaf(std::string_view name) const {
  const mapping::Field* field = mapping().Find(name);
  return field != nullptr && field->is_leaf() && !field->inside_nested ? field : nullptr;
}

const FieldStatistics& Binder::Statistics(std::string_view field) {
  const auto known = statistics_.find(field);
  if (known != statistics_.end()) return known->second;
  FieldStatistics sum;
  for (const auto& shard : context_.target->shards) {
    for (const segment::SegmentView& view : shard->segments) {
      const segment::TermIndex* terms = view.segment->terms(field);
      if (terms == nullptr) continue;
      sum.doc_count += terms->doc_count();
      sum.sum_total_term_freq += terms->sum_total_term_freq();
    }
  }
  return statistics_.emplace(field, sum).first->second;
}

Result<uint64_t> Binder::DocFreq(std::string_view field, std::string_view term) const {
  uint64_t doc_freq = 0;
  TIERCEL_TRY(ForEachSegment([&](const segment::SegmentView& view) -> Status {
    const segment::TermIndex* terms = view.segment->terms(field);
    if (terms == nullptr) return {};
    TIERCEL_TRY_ASSIGN(const std::optional<segment::TermStats> stats, terms->Find(term));
    if (stats) doc_freq += stats->doc_freq;
    return {};
  }));
  return doc_freq;
}

Status Binder::CountClauses(uint64_t count) {
  clauses_ += count;
  if (clauses_ <= context_.clauses_max) return {};
  return InvalidArgument("Query contains too many nested clauses; maxClauseCount is set to " +
                         std::to_string(context_.clauses_max))
      .WithType("too_many_nested_clauses");
}

Status Binder::ShardError(std::string message) const {
  return InvalidArgument(std::move(message)).WithType("query_shard_exception").With("index", context_.target->index);
}

}  // namespace tiercel::search
