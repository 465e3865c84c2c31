// The terms aggregation, shared by its parts: parameters, what a segment leaves behind, and the makers of collector and
// reduction.
//
// Every term is kept through the reduction, so counts are exact however documents are spread. What Elasticsearch would
// have cut on a shard (shard_size) is cut on the merged buckets instead, which gives the answer of an index with one
// shard.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tiercel/search/aggs/node.h"
#include "tiercel/search/aggs/order.h"
#include "tiercel/search/aggs/term_filter.h"
#include "tiercel/search/aggs/value_source.h"

namespace tiercel::search::aggs {

struct TermsParameters {
  ValueSpec values;
  BucketOrder order = BucketOrder::CountDescending();
  TermFilter filter;
  int64_t size = 10;
  int64_t shard_size = -1;  // -1: not given
  int64_t min_doc_count = 1;
  int64_t shard_min_doc_count = 0;
  bool show_error = false;
  std::string execution_hint;

  // How many buckets a shard would have sent.
  uint64_t EffectiveShardSize() const;
};

struct TermsPartial final : Partial {
  ValueKind kind = ValueKind::kKeyword;
  ValueFormat format;
  std::vector<uint32_t> owners;  // of each bucket
  std::vector<uint64_t> counts;
  std::vector<int64_t>
      keys;  // integers as they are, unsigned ones with the sign bit flipped, doubles encoded; of strings the
  std::vector<std::string> terms;  // index of the term in `terms`, which are sorted

  // Where the terms still are when `terms` is empty: that of index i is ordinals[i] of the column. Most terms of a
  // single segment are never looked at.
  const segment::KeywordColumn* column = nullptr;
  std::vector<segment::Ordinal> ordinals;
  Status ReadTerms();
};

Result<std::unique_ptr<Collector>> NewTermsCollector(const Spec& spec, const TermsParameters& parameters,
                                                     const ValueType& type, const CollectContext& context);
std::unique_ptr<Reduction> NewTermsReduction(const Spec& spec, const TermsParameters& parameters);

}  // namespace tiercel::search::aggs
