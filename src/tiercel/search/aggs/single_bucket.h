// Aggregations with one bucket for each bucket of the parent, under the parent's number: filter, missing, global.
//
// Thread safety: as all specs, collectors and reductions (node.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tiercel/search/aggs/node.h"

namespace tiercel::search::aggs {

struct SingleBucketPartial final : Partial {
  std::vector<uint64_t> counts;
};

class SingleBucketSpec : public Spec {
 public:
  using Spec::Spec;
  bool single_bucket() const override { return true; }
  Status CheckOrder(const OrderPath& path, size_t depth) const override;
  std::unique_ptr<Reduction> NewReduction() const override;
};

}  // namespace tiercel::search::aggs
