// missing takes the documents that have no value of a field; global those of the whole index, whatever the query
// matched.
#include "tiercel/search/aggs/single_bucket.h"

#include <algorithm>

#include "tiercel/search/aggs/parse.h"
#include "tiercel/search/aggs/readers.h"

namespace tiercel::search::aggs {
namespace {

class MissingCollector final : public Collector {
 public:
  MissingCollector(const ValueType& type, const CollectContext& context, ChildCollectors children)
      : never_(type.has_missing()),
        numeric_(type.numeric() ? context.readers->Numeric(type) : nullptr),
        keyword_(type.numeric() ? nullptr : context.readers->Keyword(type)),
        children_(std::move(children)) {}

  Status Collect(const Batch& batch) override {
    if (counts_.size() < batch.bucket_bound) counts_.resize(batch.bucket_bound, 0);
    if (never_) return {};
    const bool has_column = numeric_ ? numeric_->column() != nullptr : keyword_->column() != nullptr;
    if (has_column) TIERCEL_TRY(numeric_ ? numeric_->Load(batch.block) : keyword_->Load(batch.block));
    if (has_column && (numeric_ ? numeric_->single() : keyword_->single())) return {};
    const uint32_t* starts = numeric_ ? numeric_->starts() : keyword_->starts();
    const size_t n = batch.docs.size();
    if (docs_.size() < n) docs_.resize(n), buckets_.resize(n);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t doc = batch.docs[i];
      docs_[kept] = doc, buckets_[kept] = batch.buckets[i];
      kept += starts[doc] == starts[doc + 1] ? 1 : 0;
    }
    for (size_t i = 0; i < kept; ++i) ++counts_[buckets_[i]];
    if (children_.empty() || kept == 0) return {};
    return children_.Collect({.block = batch.block,
                              .docs = {docs_.data(), kept},
                              .buckets = {buckets_.data(), kept},
                              .bucket_bound = batch.bucket_bound});
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    auto partial = std::make_unique<SingleBucketPartial>();
    counts_.resize(bucket_count, 0);
    partial->counts = std::move(counts_);
    TIERCEL_TRY(children_.Finish(bucket_count, *partial));
    return std::unique_ptr<Partial>(std::move(partial));
  }
  uint64_t memory_bytes() const override { return counts_.capacity() * sizeof(uint64_t) + children_.memory_bytes(); }

 private:
  const bool never_;  // "missing" gives every document a value
  NumericReader* const numeric_;
  KeywordReader* const keyword_;
  ChildCollectors children_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> docs_, buckets_;
};

// Ignores what it is fed and walks the live documents itself at the end.
class GlobalCollector final : public Collector {
 public:
  GlobalCollector(const segment::SegmentView& view, ChildCollectors children)
      : view_(view), children_(std::move(children)) {}

  Status Collect(const Batch&) override { return {}; }
  Result<std::unique_ptr<Partial>> Finish(uint32_t) override {
    auto partial = std::make_unique<SingleBucketPartial>();
    partial->counts = {view_.live_count()};
    if (!children_.empty()) TIERCEL_TRY(FeedChildren());
    TIERCEL_TRY(children_.Finish(1, *partial));
    return std::unique_ptr<Partial>(std::move(partial));
  }
  uint64_t memory_bytes() const override { return children_.memory_bytes(); }

 private:
  Status FeedChildren() {
    const std::vector<uint32_t> zeros(kBlock, 0);
    std::vector<uint32_t> docs(kBlock);
    const uint32_t doc_count = view_.segment->doc_count();
    for (uint32_t start = 0; start < doc_count; start += kBlock) {
      size_t n = 0;
      for (uint32_t i = 0; i < std::min(kBlock, doc_count - start); ++i) {
        if (view_.IsLive(start + i)) docs[n++] = i;
      }
      if (n == 0) continue;
      TIERCEL_TRY(children_.Collect({.block = start / kBlock,
                                     .docs = {docs.data(), n},
                                     .buckets = {zeros.data(), n},
                                     .whole_block = docs[n - 1] + 1 == n}));
    }
    return {};
  }

  const segment::SegmentView& view_;
  ChildCollectors children_;
};

class SingleBucketReduction final : public Reduction {
 public:
  explicit SingleBucketReduction(const Spec& spec) : spec_(spec), children_(spec.children()) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override {
    counts_.assign(owner_count, 0);
    std::vector<std::vector<uint32_t>> maps;
    for (MergeInput& input : inputs) {
      const auto& partial = static_cast<const SingleBucketPartial&>(*input.partial);
      for (size_t i = 0; i < input.owners.size(); ++i) counts_[input.owners[i]] += partial.counts[i];
      maps.push_back(std::move(input.owners));
    }
    return children_.Merge(inputs, std::move(maps), owner_count, context);
  }
  std::string_view typed_name() const override { return spec_.type(); }
  Status Write(uint32_t owner, WriteContext& context, json::Writer& writer) const override {
    TIERCEL_TRY(CountBucket(context));
    writer.Member("doc_count", owner == kNoBucket ? uint64_t{0} : counts_[owner]);
    return children_.Write(owner, context, writer);
  }
  double SortValue(uint32_t owner, const OrderPath& path, size_t depth) const override {
    if (depth + 1 < path.names.size()) return children_.SortValue(owner, path, depth + 1);
    return owner == kNoBucket ? 0 : static_cast<double>(counts_[owner]);
  }

 private:
  const Spec& spec_;
  ChildReductions children_;
  std::vector<uint64_t> counts_;
};

class MissingSpec final : public SingleBucketSpec {
 public:
  MissingSpec(std::string name, ValueSpec values)
      : SingleBucketSpec("missing", std::move(name)), values_(std::move(values)) {}
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    return Resolve(target, environment).status();
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(const ValueType values, Resolve(*context.target, *context.environment));
    TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(*this, context));
    return std::make_unique<MissingCollector>(values, context, std::move(children));
  }

 private:
  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const {
    return ResolveValues(values_, kEverything, ValueKind::kKeyword, {&target, &environment, &type(), &name()});
  }
  const ValueSpec values_;
};

class GlobalSpec final : public SingleBucketSpec {
 public:
  explicit GlobalSpec(std::string name) : SingleBucketSpec("global", std::move(name)) {}
  bool top_level_only() const override { return true; }
  Status Validate(const SearchTarget&, const SearchEnvironment&) const override { return {}; }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(*this, context));
    return std::make_unique<GlobalCollector>(*context.view, std::move(children));
  }
};

}  // namespace

Status SingleBucketSpec::CheckOrder(const OrderPath& path, size_t depth) const {
  return path.metric.empty() || path.metric == "doc_count" ? Status() : Spec::CheckOrder(path, depth);
}

std::unique_ptr<Reduction> SingleBucketSpec::NewReduction() const {
  return std::make_unique<SingleBucketReduction>(*this);
}

Result<std::unique_ptr<Spec>> ParseMissing(const std::string& name, json::Value body) {
  ValueSpec values;
  for (const auto [key, value] : body.members()) {
    const Parameter parameter("missing", key, value);
    TIERCEL_TRY_ASSIGN(const bool taken, ReadValueParameter(parameter, name, kNoExtras, values));
    if (!taken) return parameter.Unknown();
  }
  TIERCEL_TRY(RequireField(values));
  return std::make_unique<MissingSpec>(name, std::move(values));
}

Result<std::unique_ptr<Spec>> ParseGlobal(const std::string& name, json::Value body) {
  for (const auto [key, value] : body.members()) {
    return ParsingException("Expected [FIELD_NAME] under a [START_OBJECT], but got a [" +
                                std::string(json::TokenName(value.type())) + "] in [" + name + "]",
                            value);
  }
  return std::make_unique<GlobalSpec>(name);
}

}  // namespace tiercel::search::aggs
