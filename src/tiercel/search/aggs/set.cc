// AggregationSet: the tree of one request, and the loop that turns documents into batches of column blocks.
#include <algorithm>
#include <numeric>
#include <utility>

#include "tiercel/search/aggregation.h"
#include "tiercel/search/aggs/node.h"
#include "tiercel/search/aggs/parse.h"
#include "tiercel/search/aggs/readers.h"

namespace tiercel::search {
namespace aggs {
namespace {

constexpr uint64_t kChargeStep = 64 * 1024;

// The partials of the top-level aggregations, and what they were charged.
struct RootPartial final : AggregationPartial {
  struct Top final : Partial {};
  Top top;
  runtime::MemoryCharge charge;
};

class RootCollector final : public AggregationCollector {
 public:
  RootCollector(const segment::SegmentView& view, const SearchEnvironment& environment)
      : readers_(*view.segment), environment_(environment), zeros_(kBlock, 0), offsets_(kBlock) {}

  Readers* readers() { return &readers_; }
  void set_children(ChildCollectors children) { children_ = std::move(children); }

  Status Collect(std::span<const segment::DocId> docs) override {
    size_t begin = 0;
    while (begin < docs.size()) {
      const uint32_t block = docs[begin] / kBlock;
      const segment::DocId block_start = block * kBlock;
      size_t n = 0;
      while (begin + n < docs.size() && docs[begin + n] - block_start < kBlock)
        offsets_[n] = docs[begin + n] - block_start, ++n;
      const bool whole = offsets_[n - 1] + 1 == n;  // ascending, so 0 .. n-1
      TIERCEL_TRY(children_.Collect({.block = block,
                                     .docs = {offsets_.data(), n},
                                     .buckets = {zeros_.data(), n},
                                     .bucket_bound = 1,
                                     .whole_block = whole}));
      begin += n;
    }
    return ChargeMemory();
  }

  Result<std::unique_ptr<AggregationPartial>> Finish() override {
    auto partial = std::make_unique<RootPartial>();
    TIERCEL_TRY(ChargeMemory());  // first: finishing moves what is measured
    TIERCEL_TRY(children_.Finish(1, partial->top));
    partial->charge = std::move(charge_);
    return std::unique_ptr<AggregationPartial>(std::move(partial));
  }

 private:
  Status ChargeMemory() {
    if (environment_.budget == nullptr) return {};
    const uint64_t used = children_.memory_bytes();
    if (used < charge_.bytes() + kChargeStep) return {};
    if (charge_.bytes() > 0) return charge_.Grow(used - charge_.bytes(), "aggregation");
    TIERCEL_TRY_ASSIGN(charge_, environment_.budget->request().Charge(used, "aggregation"));
    return {};
  }

  Readers readers_;
  const SearchEnvironment& environment_;
  ChildCollectors children_;
  runtime::MemoryCharge charge_;
  std::vector<uint32_t> zeros_, offsets_;
};

class Set final : public AggregationSet {
 public:
  explicit Set(std::vector<std::unique_ptr<Spec>> specs) : specs_(std::move(specs)) {}

  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    for (const auto& spec : specs_) TIERCEL_TRY(ValidateTree(*spec, target, environment));
    return {};
  }

  Result<std::unique_ptr<AggregationCollector>> NewCollector(const SearchTarget& target,
                                                             const segment::SegmentView& view,
                                                             const SearchEnvironment& environment) const override {
    auto root = std::make_unique<RootCollector>(view, environment);
    const CollectContext context{&target, &view, &environment, root->readers()};
    TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(specs_, context));
    root->set_children(std::move(children));
    return std::unique_ptr<AggregationCollector>(std::move(root));
  }

  Status Reduce(std::vector<std::unique_ptr<AggregationPartial>> partials, const mapping::Mapping& mapping,
                bool typed_keys, const SearchEnvironment& environment, json::Writer& writer) const override {
    runtime::MemoryCharge charge;
    if (environment.budget != nullptr) {
      TIERCEL_TRY_ASSIGN(charge, environment.budget->request().Charge(kChargeStep, "aggregation"));
    }
    const ReduceContext context{&mapping, &environment, environment.budget ? &charge : nullptr,
                                environment.clock ? environment.clock->WallMs() : 0};
    std::vector<MergeInput> inputs;
    std::vector<std::vector<uint32_t>> maps;
    for (const auto& partial : partials) {
      inputs.push_back({&static_cast<RootPartial&>(*partial).top, {}});
      maps.push_back({0});
    }
    ChildReductions reductions(specs_);
    TIERCEL_TRY(reductions.Merge(inputs, std::move(maps), 1, context));
    WriteContext write{.typed_keys = typed_keys};
    writer.BeginObject();
    TIERCEL_TRY(reductions.Write(0, write, writer));
    writer.EndObject();
    return {};
  }

 private:
  static Status ValidateTree(const Spec& spec, const SearchTarget& target, const SearchEnvironment& environment) {
    TIERCEL_TRY(spec.Validate(target, environment));
    for (const auto& child : spec.children()) {
      if (child->top_level_only()) {
        return InvalidArgument("Aggregation [" + spec.name() + "] cannot have a " + child->type() +
                               " sub-aggregation [" + child->name() +
                               "]. Global aggregations can only be defined as top level aggregations");
      }
      TIERCEL_TRY(ValidateTree(*child, target, environment));
    }
    return {};
  }

  const std::vector<std::unique_ptr<Spec>> specs_;
};

}  // namespace
}  // namespace aggs

Result<std::shared_ptr<const AggregationSet>> AggregationSet::Parse(json::Value aggs) {
  TIERCEL_TRY_ASSIGN(auto specs, aggs::ParseAggregations(aggs));
  return std::make_shared<aggs::Set>(std::move(specs));
}

}  // namespace tiercel::search
