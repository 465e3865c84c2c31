#include "tiercel/search/aggs/histogram_core.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tiercel/search/aggs/bucket_groups.h"
#include "tiercel/search/aggs/bucket_index.h"
#include "tiercel/search/aggs/readers.h"

namespace tiercel::search::aggs {
namespace {

struct HistogramPartial final : Partial {
  std::shared_ptr<const Scale> scale;
  std::vector<uint32_t> owners;
  std::vector<uint64_t> counts;
  std::vector<int64_t> keys;
};

std::pair<double, double> ValueRange(const segment::NumericColumn* column, const ValueType& type) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  if (column != nullptr && column->value_count() > 0)
    low = type.ToDouble(column->min()), high = type.ToDouble(column->max());
  if (type.missing_number) low = std::min(low, *type.missing_number), high = std::max(high, *type.missing_number);
  return {low, high};
}

class HistogramCollector final : public Collector {
 public:
  HistogramCollector(const ValueType& type, NumericReader* reader, std::shared_ptr<const Scale> scale,
                     std::unique_ptr<IntervalMapper> mapper, ChildCollectors children)
      : missing_(type.missing_number),
        reader_(reader),
        scale_(std::move(scale)),
        mapper_(std::move(mapper)),
        index_(mapper_->bound()),
        children_(std::move(children)) {}

  Status Collect(const Batch& batch) override {
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    const Rows<double> rows =
        expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->numbers(), missing_);
    const size_t n = rows.size();
    if (keys_.size() < n) keys_.resize(n), out_.resize(n), docs_.resize(n), buckets_.resize(n);
    mapper_->Map(rows.values, keys_.data());
    std::span<const uint32_t> docs = rows.docs, buckets = rows.buckets;
    size_t kept = n;
    if (rows.repeated || mapper_->rejects()) {
      kept = Compact(rows);
      docs = {docs_.data(), kept}, buckets = {buckets_.data(), kept};
    }
    index_.Count(buckets, std::span<const int64_t>(keys_.data(), kept), batch.bucket_bound, out_.data());
    if (children_.empty() || kept == 0) return {};
    return children_.Collect({.block = batch.block,
                              .docs = docs,
                              .buckets = {out_.data(), kept},
                              .bucket_bound = index_.size(),
                              .whole_block = batch.whole_block && docs.data() == batch.docs.data()});
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t) override {
    auto partial = std::make_unique<HistogramPartial>();
    TIERCEL_TRY(children_.Finish(index_.size(), *partial));
    partial->scale = std::move(scale_);
    partial->owners = std::move(index_.owners());
    partial->counts = std::move(index_.counts());
    partial->keys = std::move(index_.keys());
    for (int64_t& key : partial->keys) key = mapper_->ScaleKey(key);
    return std::unique_ptr<Partial>(std::move(partial));
  }

  uint64_t memory_bytes() const override {
    return index_.memory_bytes() + expander_.memory_bytes() + children_.memory_bytes();
  }

 private:
  // Drops rejected keys, and repeated ones of a document.
  size_t Compact(const Rows<double>& rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool repeats = kept > 0 && docs_[kept - 1] == rows.docs[i] && buckets_[kept - 1] == rows.buckets[i] &&
                           keys_[kept - 1] == keys_[i];
      if (repeats || keys_[i] == IntervalMapper::kRejected) continue;
      docs_[kept] = rows.docs[i], buckets_[kept] = rows.buckets[i], keys_[kept] = keys_[i];
      ++kept;
    }
    return kept;
  }

  const std::optional<double> missing_;
  NumericReader* const reader_;
  std::shared_ptr<const Scale> scale_;
  const std::unique_ptr<IntervalMapper> mapper_;
  BucketIndex index_;
  ChildCollectors children_;
  RowExpander<double> expander_;
  std::vector<int64_t> keys_;
  std::vector<uint32_t> out_, docs_, buckets_;
};

class HistogramReduction final : public Reduction {
 public:
  explicit HistogramReduction(const HistogramSpecBase& spec) : spec_(spec), children_(spec.children()) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override {
    TIERCEL_TRY(ChooseScale(inputs, context));
    BucketIndex index(0);
    std::vector<std::vector<uint32_t>> maps;
    for (const MergeInput& input : inputs) {
      const auto& partial = static_cast<const HistogramPartial&>(*input.partial);
      TIERCEL_TRY(context.Charge(partial.keys.size() * sizeof(uint64_t) * 4, "histogram aggregation"));
      auto& map = maps.emplace_back(partial.keys.size());
      for (size_t i = 0; i < partial.keys.size(); ++i) {
        map[i] = index.Add(input.owners[partial.owners[i]], partial.keys[i]);
        index.counts()[map[i]] += partial.counts[i];
      }
    }
    keys_ = std::move(index.keys());
    counts_ = std::move(index.counts());
    groups_.Build(index.owners(), owner_count);
    return children_.Merge(inputs, std::move(maps), static_cast<uint32_t>(keys_.size()), context);
  }

  std::string_view typed_name() const override { return spec_.type(); }

  Status Write(uint32_t owner, WriteContext& context, json::Writer& writer) const override {
    TIERCEL_TRY_ASSIGN(std::vector<BucketOrder::Entry> entries, Entries(owner, context));
    const HistogramParameters& parameters = spec_.parameters();
    if (parameters.order.by_key_only(false)) {
      std::reverse(entries.begin(), entries.end());
    } else if (!parameters.order.by_key_only(true)) {
      parameters.order.Sort(entries, entries.size(), children_);
    }
    writer.Key("buckets");
    parameters.keyed ? writer.BeginObject() : writer.BeginArray();
    for (const BucketOrder::Entry& entry : entries) {
      if (parameters.keyed) {
        TIERCEL_TRY_ASSIGN(const std::string name, scale_->Name(entry.key));
        writer.Key(name);
      }
      writer.BeginObject();
      TIERCEL_TRY(scale_->WriteKey(entry.key, writer));
      writer.Member("doc_count", entry.count);
      TIERCEL_TRY(children_.Write(entry.bucket, context, writer));
      writer.EndObject();
    }
    parameters.keyed ? writer.EndObject() : writer.EndArray();
    return {};
  }

 private:
  Status ChooseScale(std::span<MergeInput> inputs, const ReduceContext& context) {
    for (const MergeInput& input : inputs) {
      const auto& partial = static_cast<const HistogramPartial&>(*input.partial);
      if (!scale_ || !partial.keys.empty()) scale_ = partial.scale;
      if (!partial.keys.empty()) return {};
    }
    if (scale_) return {};
    SearchTarget target;
    target.mapping = std::shared_ptr<const mapping::Mapping>(std::shared_ptr<void>(), context.mapping);  // borrowed
    TIERCEL_TRY_ASSIGN(const ValueType type, spec_.Resolve(target, *context.environment));
    TIERCEL_TRY_ASSIGN(scale_, spec_.NewScale(type, context.now_ms));
    return {};
  }

  // Buckets by ascending key, those of gaps and extended bounds included.
  Result<std::vector<BucketOrder::Entry>> Entries(uint32_t owner, WriteContext& context) const {
    std::vector<BucketOrder::Entry> found, all;
    const int64_t min_doc_count = spec_.parameters().min_doc_count;
    for (const uint32_t bucket : owner == kNoBucket ? std::span<const uint32_t>() : groups_.Of(owner)) {
      if (static_cast<int64_t>(counts_[bucket]) >= min_doc_count)
        found.push_back({bucket, counts_[bucket], keys_[bucket]});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    const auto add = [&](const BucketOrder::Entry& entry) {
      all.push_back(entry);
      return CountBucket(context);
    };
    const auto fill = [&](int64_t from, int64_t end) -> Status {  // [from, end)
      for (int64_t key = from; key < end; key = scale_->Next(key)) TIERCEL_TRY(add({kNoBucket, 0, key}));
      return {};
    };
    const bool gaps = min_doc_count == 0;
    if (gaps && scale_->low() && (!found.empty() || scale_->high())) {
      TIERCEL_TRY(fill(*scale_->low(), found.empty() ? *scale_->high() : found.front().key));
      if (found.empty() && *scale_->low() <= *scale_->high()) TIERCEL_TRY(add({kNoBucket, 0, *scale_->high()}));
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (gaps && i > 0) TIERCEL_TRY(fill(scale_->Next(found[i - 1].key), found[i].key));
      TIERCEL_TRY(add(found[i]));
    }
    if (gaps && !found.empty() && scale_->high() && found.back().key < *scale_->high()) {
      TIERCEL_TRY(fill(scale_->Next(found.back().key), *scale_->high()));
      TIERCEL_TRY(add({kNoBucket, 0, *scale_->high()}));
    }
    return all;
  }

  const HistogramSpecBase& spec_;
  ChildReductions children_;
  std::shared_ptr<const Scale> scale_;
  std::vector<int64_t> keys_;
  std::vector<uint64_t> counts_;
  BucketGroups groups_;
};

}  // namespace

Status HistogramSpecBase::Validate(const SearchTarget& target, const SearchEnvironment& environment) const {
  TIERCEL_TRY_ASSIGN(const ValueType type, Resolve(target, environment));
  TIERCEL_TRY(NewScale(type, environment.clock ? environment.clock->WallMs() : 0).status());
  return parameters_.order.Validate(*this);
}

Result<std::unique_ptr<Collector>> HistogramSpecBase::NewCollector(const CollectContext& context) const {
  TIERCEL_TRY_ASSIGN(const ValueType type, Resolve(*context.target, *context.environment));
  TIERCEL_TRY_ASSIGN(auto scale, NewScale(type, context.environment->clock ? context.environment->clock->WallMs() : 0));
  TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(*this, context));
  NumericReader* reader = context.readers->Numeric(type);
  const auto [low, high] = ValueRange(reader->column(), type);
  auto mapper = scale->NewMapper(low, high);
  return std::make_unique<HistogramCollector>(type, reader, std::move(scale), std::move(mapper), std::move(children));
}

std::unique_ptr<Reduction> HistogramSpecBase::NewReduction() const {
  return std::make_unique<HistogramReduction>(*this);
}

Result<bool> HistogramSpecBase::ReadParameter(const Parameter& parameter, uint32_t extras) {
  TIERCEL_TRY_ASSIGN(const bool taken, ReadValueParameter(parameter, name(), extras, parameters_.values));
  if (taken) return true;
  if (parameter.key() == "order") {
    TIERCEL_TRY_ASSIGN(parameters_.order, BucketOrder::Parse(parameter));
  } else if (parameter.key() == "min_doc_count") {
    TIERCEL_TRY_ASSIGN(parameters_.min_doc_count, parameter.IntAtLeast(0, "minDocCount", name()));
  } else if (parameter.key() == "keyed") {
    TIERCEL_TRY_ASSIGN(parameters_.keyed, parameter.Bool());
  } else {
    return false;
  }
  return true;
}

Result<GivenBounds> ReadBounds(const Parameter& parameter, std::string_view parser) {
  if (!parameter.value().is_object()) return parameter.WrongType();
  GivenBounds bounds;
  for (const auto [key, value] : parameter.value().members()) {
    const Parameter bound(parser, key, value);
    if (key != "min" && key != "max") return parameter.FailedAt(value, bound.Unknown());
    if (value.is_null()) continue;
    const auto scalar = bound.AnyScalar();
    if (!scalar.ok()) return parameter.FailedAt(value, scalar.status());
    (key == "min" ? bounds.min : bounds.max) = *scalar;
  }
  return bounds;
}

}  // namespace tiercel::search::aggs
