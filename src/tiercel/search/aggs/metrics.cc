#include "tiercel/search/aggs/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tiercel/search/aggs/order.h"
#include "tiercel/search/aggs/parse.h"

namespace tiercel::search::aggs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

enum class MetricKind { kMin, kMax, kSum, kAvg, kStats, kValueCount };

MetricParts PartsOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::kMin:
    case MetricKind::kMax:
      return {.count = true, .range = true};
    case MetricKind::kSum:
      return {.sum = true};
    case MetricKind::kAvg:
      return {.count = true, .sum = true};
    case MetricKind::kStats:
      return {.count = true, .sum = true, .range = true};
    case MetricKind::kValueCount:
      return {.count = true};
  }
  return {};
}

struct MetricPartial final : Partial {
  MetricPartial(MetricParts parts, ValueFormat value_format) : arrays(parts), format(std::move(value_format)) {}
  MetricArrays arrays;
  ValueFormat format;
};

// Whether sums of the column's values stay integers below 2^53.
bool SumsAreExact(const segment::NumericColumn* column, const ValueType& type) {
  if (column == nullptr || column->encoding() != mapping::NumericEncoding::kInt64 || type.factor != 1 ||
      type.has_missing())
    return false;
  const double largest =
      std::max(std::fabs(static_cast<double>(column->min())), std::fabs(static_cast<double>(column->max())));
  return largest * static_cast<double>(column->value_count()) < 0x1.0p52;
}

class NumericMetricCollector final : public Collector {
 public:
  NumericMetricCollector(MetricParts parts, const ValueType& type, NumericReader* reader)
      : reader_(reader),
        missing_(type.missing_number),
        exact_(SumsAreExact(reader->column(), type)),
        partial_(std::make_unique<MetricPartial>(parts, type.format)) {}

  Status Collect(const Batch& batch) override {
    partial_->arrays.Resize(batch.bucket_bound);
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    partial_->arrays.Add(expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->numbers(), missing_),
                         exact_);
    return {};
  }
  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    partial_->arrays.Resize(bucket_count);
    return std::unique_ptr<Partial>(std::move(partial_));
  }
  uint64_t memory_bytes() const override { return partial_->arrays.memory_bytes() + expander_.memory_bytes(); }

 private:
  NumericReader* const reader_;
  const std::optional<double> missing_;
  const bool exact_;
  RowExpander<double> expander_;
  std::unique_ptr<MetricPartial> partial_;
};

class KeywordCountCollector final : public Collector {
 public:
  KeywordCountCollector(const ValueType& type, KeywordReader* reader)
      : reader_(reader), partial_(std::make_unique<MetricPartial>(MetricParts{.count = true}, type.format)) {
    if (type.has_missing()) missing_ = segment::Ordinal{0};
  }

  Status Collect(const Batch& batch) override {
    partial_->arrays.Resize(batch.bucket_bound);
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    partial_->arrays.AddCounts(
        expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->ordinals(), missing_));
    return {};
  }
  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    partial_->arrays.Resize(bucket_count);
    return std::unique_ptr<Partial>(std::move(partial_));
  }
  uint64_t memory_bytes() const override { return partial_->arrays.memory_bytes() + expander_.memory_bytes(); }

 private:
  KeywordReader* const reader_;
  std::optional<segment::Ordinal> missing_;
  RowExpander<segment::Ordinal> expander_;
  std::unique_ptr<MetricPartial> partial_;
};

class MetricReduction final : public Reduction {
 public:
  MetricReduction(MetricKind kind, const std::string& type) : kind_(kind), type_(type), arrays_(PartsOf(kind)) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext&) override {
    arrays_.Resize(owner_count);
    for (const MergeInput& input : inputs) {
      const auto& partial = static_cast<const MetricPartial&>(*input.partial);
      arrays_.Merge(partial.arrays, input.owners);
      if (format_.style() == ValueFormat::Style::kRaw) format_ = partial.format;
    }
    return {};
  }

  std::string_view typed_name() const override { return type_; }

  Status Write(uint32_t owner, WriteContext&, json::Writer& writer) const override {
    if (kind_ == MetricKind::kStats) return WriteStats(owner, writer);
    if (kind_ == MetricKind::kValueCount) {
      writer.Member("value", owner == kNoBucket ? uint64_t{0} : arrays_.count(owner));
      return {};
    }
    const double value = ValueOf(kind_, owner);
    if (kind_ != MetricKind::kSum && (owner == kNoBucket || arrays_.count(owner) == 0)) {
      writer.Key("value").Null();
      return {};
    }
    writer.Member("value", value);
    return format_.WriteMember("value_as_string", value, false, writer);
  }

  double SortValue(uint32_t owner, const OrderPath& path, size_t) const override {
    if (kind_ != MetricKind::kStats) return ValueOf(kind_, owner);
    if (path.metric == "count") return ValueOf(MetricKind::kValueCount, owner);
    if (path.metric == "min") return ValueOf(MetricKind::kMin, owner);
    if (path.metric == "max") return ValueOf(MetricKind::kMax, owner);
    return ValueOf(path.metric == "avg" ? MetricKind::kAvg : MetricKind::kSum, owner);
  }

 private:
  double Average(uint32_t owner) const {
    return arrays_.count(owner) == 0 ? kNotANumber : arrays_.sum(owner) / static_cast<double>(arrays_.count(owner));
  }
  double ValueOf(MetricKind kind, uint32_t owner) const {
    const bool none = owner == kNoBucket;
    switch (kind) {
      case MetricKind::kMin:
        return none ? kInfinity : arrays_.min(owner);
      case MetricKind::kMax:
        return none ? -kInfinity : arrays_.max(owner);
      case MetricKind::kSum:
        return none ? 0 : arrays_.sum(owner);
      case MetricKind::kAvg:
        return none ? kNotANumber : Average(owner);
      default:
        return none ? 0 : static_cast<double>(arrays_.count(owner));
    }
  }
  Status WriteStats(uint32_t owner, json::Writer& writer) const {
    const uint64_t count = owner == kNoBucket ? 0 : arrays_.count(owner);
    writer.Member("count", count);
    if (count == 0) {
      writer.Key("min").Null().Key("max").Null().Key("avg").Null();
      writer.Member("sum", 0.0);
      return {};
    }
    const double values[] = {arrays_.min(owner), arrays_.max(owner), Average(owner), arrays_.sum(owner)};
    constexpr std::string_view kNames[] = {"min", "max", "avg", "sum"};
    constexpr std::string_view kTexts[] = {"min_as_string", "max_as_string", "avg_as_string", "sum_as_string"};
    for (size_t i = 0; i < 4; ++i) writer.Member(kNames[i], values[i]);
    for (size_t i = 0; i < 4; ++i) TIERCEL_TRY(format_.WriteMember(kTexts[i], values[i], true, writer));
    return {};
  }

  const MetricKind kind_;
  const std::string& type_;
  MetricArrays arrays_;
  ValueFormat format_;
};

class MetricSpec final : public Spec {
 public:
  MetricSpec(MetricKind kind, std::string type, std::string name, ValueSpec values)
      : Spec(std::move(type), std::move(name)), kind_(kind), values_(std::move(values)) {}

  bool accepts_children() const override { return false; }
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    return Resolve(target, environment).status();
  }
  Status CheckOrder(const OrderPath& path, size_t depth) const override {
    if (depth + 1 < path.names.size()) return Spec::CheckOrder(path, depth);
    if (kind_ == MetricKind::kStats) {
      constexpr std::string_view kMetrics[] = {"count", "min", "max", "avg", "sum"};
      return CheckMultiValueOrder(path, kMetrics);
    }
    return CheckSingleValueOrder(path);
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(const ValueType type, Resolve(*context.target, *context.environment));
    if (!type.numeric()) return std::make_unique<KeywordCountCollector>(type, context.readers->Keyword(type));
    return std::make_unique<NumericMetricCollector>(PartsOf(kind_), type, context.readers->Numeric(type));
  }
  std::unique_ptr<Reduction> NewReduction() const override { return std::make_unique<MetricReduction>(kind_, type()); }

 private:
  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const {
    const bool counts = kind_ == MetricKind::kValueCount;
    return ResolveValues(values_, counts ? kEverything : kNumeric, counts ? ValueKind::kKeyword : ValueKind::kDouble,
                         {&target, &environment, &type(), &name()});
  }
  const MetricKind kind_;
  const ValueSpec values_;
};

Result<std::unique_ptr<Spec>> ParseMetric(MetricKind kind, std::string type, const std::string& name,
                                          json::Value body) {
  ValueSpec values;
  for (const auto [key, value] : body.members()) {
    const Parameter parameter(type, key, value);
    TIERCEL_TRY_ASSIGN(const bool taken, ReadValueParameter(parameter, name, kFormat, values));
    if (!taken) return parameter.Unknown();
  }
  TIERCEL_TRY(RequireField(values));
  return std::make_unique<MetricSpec>(kind, std::move(type), name, std::move(values));
}

}  // namespace

void MetricArrays::Resize(uint32_t bucket_count) {
  if (bucket_count <= size_) return;
  size_ = bucket_count;
  if (parts_.count) counts_.resize(size_, 0);
  if (parts_.sum) sums_.resize(size_, 0), errors_.resize(size_, 0);
  if (parts_.range) mins_.resize(size_, kInfinity), maxima_.resize(size_, -kInfinity);
}

void MetricArrays::Add(const Rows<double>& rows, bool exact) {
  if (parts_.count) AddCounts(rows);
  if (parts_.sum) AddSums(rows, exact);
  if (!parts_.range) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t bucket = rows.buckets[i];
    const double value = rows.values[i];
    // -0.0 is below 0.0, as in Java.
    if (value < mins_[bucket] || (value == 0 && mins_[bucket] == 0 && std::signbit(value))) mins_[bucket] = value;
    if (value > maxima_[bucket] || (value == 0 && maxima_[bucket] == 0 && !std::signbit(value)))
      maxima_[bucket] = value;
  }
}

void MetricArrays::AddSum(uint32_t bucket, double value) {
  double& sum = sums_[bucket];
  if (!std::isfinite(value) || !std::isfinite(sum)) {
    sum += value;
    return;
  }
  const double corrected = value + errors_[bucket];
  const double updated = sum + corrected;
  errors_[bucket] = corrected - (updated - sum);
  sum = updated;
}

void MetricArrays::AddSums(const Rows<double>& rows, bool exact) {
  if (!exact) {
    for (size_t i = 0; i < rows.size(); ++i) AddSum(rows.buckets[i], rows.values[i]);
    return;
  }
  for (size_t i = 0; i < rows.size(); ++i) sums_[rows.buckets[i]] += rows.values[i];
}

void MetricArrays::Merge(const MetricArrays& other, std::span<const uint32_t> map) {
  for (uint32_t from = 0; from < map.size(); ++from) {
    const uint32_t to = map[from];
    if (parts_.count) counts_[to] += other.counts_[from];
    if (parts_.sum) {
      AddSum(to, other.sums_[from]);
      AddSum(to, other.errors_[from]);
    }
    if (parts_.range) {
      mins_[to] = std::min(mins_[to], other.mins_[from],
                           [](double a, double b) { return a < b || (a == b && std::signbit(a) > std::signbit(b)); });
      maxima_[to] = std::max(maxima_[to], other.maxima_[from],
                             [](double a, double b) { return a < b || (a == b && std::signbit(a) > std::signbit(b)); });
    }
  }
}

uint64_t MetricArrays::memory_bytes() const {
  return counts_.capacity() * sizeof(uint64_t) + (sums_.capacity() * 2 + mins_.capacity() * 2) * sizeof(double);
}

Result<std::unique_ptr<Spec>> ParseMin(const std::string& name, json::Value body) {
  return ParseMetric(MetricKind::kMin, "min", name, body);
}
Result<std::unique_ptr<Spec>> ParseMax(const std::string& name, json::Value body) {
  return ParseMetric(MetricKind::kMax, "max", name, body);
}
Result<std::unique_ptr<Spec>> ParseSum(const std::string& name, json::Value body) {
  return ParseMetric(MetricKind::kSum, "sum", name, body);
}
Result<std::unique_ptr<Spec>> ParseAvg(const std::string& name, json::Value body) {
  return ParseMetric(MetricKind::kAvg, "avg", name, body);
}
Result<std::unique_ptr<Spec>> ParseStats(const std::string& name, json::Value body) {
  return ParseMetric(MetricKind::kStats, "stats", name, body);
}
Result<std::unique_ptr<Spec>> ParseValueCount(const std::string& name, json::Value body) {
  return ParseMetric(MetricKind::kValueCount, "value_count", name, body);
}

}  // namespace tiercel::search::aggs
