#include "tiercel/search/aggs/node.h"

#include <limits>
#include <utility>

#include "tiercel/base/check.h"
#include "tiercel/search/aggs/order.h"

namespace tiercel::search::aggs {
double Reduction::SortValue(uint32_t, const OrderPath&, size_t) const {
  return std::numeric_limits<double>::quiet_NaN();
}

Status Spec::CheckOrder(const OrderPath& path, size_t depth) const {
  std::string reason =
      "Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket "
      "aggregations within the "
      "path and a final single-bucket or a metrics aggregation at the path end.";
  if (depth + 1 < path.names.size()) reason += " [" + path.names[depth] + "] is not single-bucket.";
  return InvalidOrderPath(path, std::move(reason));
}

Result<ChildCollectors> ChildCollectors::Make(const Spec& parent, const CollectContext& context) {
  return Make(parent.children(), context);
}

Result<ChildCollectors> ChildCollectors::Make(std::span<const std::unique_ptr<Spec>> specs,
                                              const CollectContext& context) {
  ChildCollectors children;
  children.collectors_.reserve(specs.size());
  for (const auto& spec : specs) {
    TIERCEL_TRY_ASSIGN(auto collector, spec->NewCollector(context));
    children.collectors_.push_back(std::move(collector));
  }
  return children;
}

Status ChildCollectors::Collect(const Batch& batch) {
  for (const auto& collector : collectors_) TIERCEL_TRY(collector->Collect(batch));
  return {};
}

Status ChildCollectors::Finish(uint32_t bucket_count, Partial& parent) {
  parent.children.reserve(collectors_.size());
  for (const auto& collector : collectors_) {
    TIERCEL_TRY_ASSIGN(auto partial, collector->Finish(bucket_count));
    parent.children.push_back(std::move(partial));
  }
  return {};
}

uint64_t ChildCollectors::memory_bytes() const {
  uint64_t bytes = 0;
  for (const auto& collector : collectors_) bytes += collector->memory_bytes();
  return bytes;
}

ChildReductions::ChildReductions(std::span<const std::unique_ptr<Spec>> specs) : specs_(specs) {
  reductions_.reserve(specs.size());
  for (const auto& spec : specs) reductions_.push_back(spec->NewReduction());
}

Status ChildReductions::Merge(std::span<MergeInput> inputs, std::vector<std::vector<uint32_t>> maps,
                              uint32_t bucket_count, const ReduceContext& context) {
  TIERCEL_CHECK(maps.size() == inputs.size());
  for (size_t child = 0; child < reductions_.size(); ++child) {
    std::vector<MergeInput> below;
    below.reserve(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto& map = maps[i];
      below.push_back(
          {inputs[i].partial->children[child].get(), child + 1 == reductions_.size() ? std::move(map) : map});
    }
    TIERCEL_TRY(reductions_[child]->Merge(below, bucket_count, context));
  }
  return {};
}

Status ChildReductions::Write(uint32_t bucket, WriteContext& context, json::Writer& writer) const {
  for (size_t i = 0; i < reductions_.size(); ++i) {
    const Spec& spec = *specs_[i];
    writer.Key(context.typed_keys ? std::string(reductions_[i]->typed_name()) + "#" + spec.name() : spec.name())
        .BeginObject();
    if (!spec.meta_json().empty()) writer.Key("meta").Raw(spec.meta_json());
    TIERCEL_TRY(reductions_[i]->Write(bucket, context, writer));
    writer.EndObject();
  }
  return {};
}

double ChildReductions::SortValue(uint32_t bucket, const OrderPath& path, size_t depth) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i]->name() == path.names[depth]) return reductions_[i]->SortValue(bucket, path, depth);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Status CountBucket(WriteContext& context) {
  if (context.buckets_left > 0) {
    --context.buckets_left;
    return {};
  }
  return InvalidArgument(
             "Trying to create too many buckets. Must be less than or equal to: [65536] but this number of buckets was "
             "exceeded. "
             "This limit can be set by changing the [search.max_buckets] cluster level setting.")
      .WithType("too_many_buckets_exception")
      .With("max_buckets", "65536");
}

}  // namespace tiercel::search::aggs
