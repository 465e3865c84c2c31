// range and date_range: fixed, possibly overlapping intervals of numbers or dates.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tiercel/mapping/values.h"
#include "tiercel/search/aggs/parse.h"
#include "tiercel/search/aggs/readers.h"

namespace tiercel::search::aggs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct GivenRange {
  std::optional<std::string> key;
  std::optional<Scalar> from, to;
};

struct RangeParameters {
  ValueSpec values;
  std::vector<GivenRange> ranges;
  bool keyed = false;
  bool dates = false;
};

// A range resolved against a field: [from, to), written under `key`.
struct Range {
  double from = -kInfinity, to = kInfinity;
  double stored_from = -kInfinity,
         stored_to = kInfinity;  // in the precision of the field: what values are compared with
  std::string key;
};

double StoredBound(double bound, const ValueType& type) {
  return type.encoding == mapping::NumericEncoding::kFloat && std::isfinite(bound) ? type.ToDouble(type.ToStored(bound))
                                                                                   : bound;
}

Result<std::vector<Range>> ResolveRanges(const RangeParameters& parameters, const ValueType& type, int64_t now_ms) {
  std::vector<Range> ranges;
  for (const GivenRange& given : parameters.ranges) {
    Range range;
    if (given.from) {
      TIERCEL_TRY_ASSIGN(range.from, ScalarToNumber(*given.from, type, now_ms));
    }
    if (given.to) {
      TIERCEL_TRY_ASSIGN(range.to, ScalarToNumber(*given.to, type, now_ms));
    }
    range.stored_from = StoredBound(range.from, type);
    range.stored_to = StoredBound(range.to, type);
    std::string from = "*", to = "*";
    if (range.from != -kInfinity) {
      TIERCEL_TRY_ASSIGN(from, type.format.Text(range.from));
    }
    if (range.to != kInfinity) {
      TIERCEL_TRY_ASSIGN(to, type.format.Text(range.to));
    }
    range.key = given.key ? *given.key : from + "-" + to;
    ranges.push_back(std::move(range));
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Range& a, const Range& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  return ranges;
}

// Bucket of the parent × number of ranges + range.
struct RangePartial final : Partial {
  std::vector<Range> ranges;
  ValueFormat format;
  std::vector<uint64_t> counts;
};

class RangeCollector final : public Collector {
 public:
  RangeCollector(std::vector<Range> ranges, const ValueType& type, NumericReader* reader, ChildCollectors children)
      : missing_(type.missing_number),
        reader_(reader),
        children_(std::move(children)),
        partial_(std::make_unique<RangePartial>()) {
    partial_->ranges = std::move(ranges);
    partial_->format = type.format;
  }

  Status Collect(const Batch& batch) override {
    const auto range_count = static_cast<uint32_t>(partial_->ranges.size());
    auto& counts = partial_->counts;
    if (counts.size() < size_t{batch.bucket_bound} * range_count)
      counts.resize(size_t{batch.bucket_bound} * range_count, 0);
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    const Rows<double> rows =
        expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->numbers(), missing_);
    if (docs_.size() < rows.size()) docs_.resize(rows.size()), buckets_.resize(rows.size());
    for (uint32_t r = 0; r < range_count; ++r) {
      const size_t kept = Select(rows, partial_->ranges[r], r, range_count);
      for (size_t i = 0; i < kept; ++i) ++counts[buckets_[i]];
      if (children_.empty() || kept == 0) continue;
      TIERCEL_TRY(children_.Collect({.block = batch.block,
                                     .docs = {docs_.data(), kept},
                                     .buckets = {buckets_.data(), kept},
                                     .bucket_bound = batch.bucket_bound * range_count}));
    }
    return {};
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    const size_t buckets = size_t{bucket_count} * partial_->ranges.size();
    partial_->counts.resize(buckets, 0);
    TIERCEL_TRY(children_.Finish(static_cast<uint32_t>(buckets), *partial_));
    return std::unique_ptr<Partial>(std::move(partial_));
  }
  uint64_t memory_bytes() const override {
    return partial_->counts.capacity() * sizeof(uint64_t) + expander_.memory_bytes() + children_.memory_bytes();
  }

 private:
  // Documents with a value in the range, once each.
  size_t Select(const Rows<double>& rows, const Range& range, uint32_t number, uint32_t range_count) {
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      docs_[kept] = rows.docs[i];
      buckets_[kept] = rows.buckets[i] * range_count + number;
      bool take = rows.values[i] >= range.stored_from && rows.values[i] < range.stored_to;
      if (rows.repeated && take && kept > 0)
        take = docs_[kept - 1] != docs_[kept] || buckets_[kept - 1] != buckets_[kept];
      kept += take ? 1 : 0;
    }
    return kept;
  }

  const std::optional<double> missing_;
  NumericReader* const reader_;
  ChildCollectors children_;
  RowExpander<double> expander_;
  std::vector<uint32_t> docs_, buckets_;
  std::unique_ptr<RangePartial> partial_;
};

class RangeSpec;

class RangeReduction final : public Reduction {
 public:
  explicit RangeReduction(const RangeSpec& spec);
  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override;
  std::string_view typed_name() const override;
  Status Write(uint32_t owner, WriteContext& context, json::Writer& writer) const override;

 private:
  Status WriteRange(const Range& range, uint32_t bucket, WriteContext& context, json::Writer& writer) const;

  const RangeSpec& spec_;
  ChildReductions children_;
  std::vector<Range> ranges_;
  ValueFormat format_;
  std::vector<uint64_t> counts_;
};

class RangeSpec final : public Spec {
 public:
  RangeSpec(std::string name, RangeParameters parameters)
      : Spec(parameters.dates ? "date_range" : "range", std::move(name)), parameters_(std::move(parameters)) {}

  const RangeParameters& parameters() const { return parameters_; }
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    TIERCEL_TRY_ASSIGN(const ValueType values, Resolve(target, environment));
    if (parameters_.ranges.empty())
      return InvalidArgument("No [ranges] specified for the [" + name() + "] aggregation");
    return ResolveRanges(parameters_, values, NowMs(environment)).status();
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(const ValueType values, Resolve(*context.target, *context.environment));
    TIERCEL_TRY_ASSIGN(auto ranges, ResolveRanges(parameters_, values, NowMs(*context.environment)));
    TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(*this, context));
    return std::make_unique<RangeCollector>(std::move(ranges), values, context.readers->Numeric(values),
                                            std::move(children));
  }
  std::unique_ptr<Reduction> NewReduction() const override { return std::make_unique<RangeReduction>(*this); }

  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const {
    return ResolveValues(parameters_.values, parameters_.dates ? kNumbersAndDates : kNumeric,
                         parameters_.dates ? ValueKind::kDate : ValueKind::kDouble,
                         {&target, &environment, &type(), &name()});
  }
  static int64_t NowMs(const SearchEnvironment& environment) {
    return environment.clock ? environment.clock->WallMs() : 0;
  }

 private:
  const RangeParameters parameters_;
};

RangeReduction::RangeReduction(const RangeSpec& spec) : spec_(spec), children_(spec.children()) {}

std::string_view RangeReduction::typed_name() const { return spec_.type(); }

Status RangeReduction::Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) {
  if (!inputs.empty()) {
    const auto& first = static_cast<const RangePartial&>(*inputs.front().partial);
    ranges_ = first.ranges;
    format_ = first.format;
  } else {
    SearchTarget target;
    target.mapping = std::shared_ptr<const mapping::Mapping>(std::shared_ptr<void>(), context.mapping);  // borrowed
    TIERCEL_TRY_ASSIGN(const ValueType values, spec_.Resolve(target, *context.environment));
    TIERCEL_TRY_ASSIGN(ranges_, ResolveRanges(spec_.parameters(), values, context.now_ms));
    format_ = values.format;
  }
  const auto range_count = static_cast<uint32_t>(ranges_.size());
  TIERCEL_TRY(context.Charge(uint64_t{owner_count} * range_count * sizeof(uint64_t), "range aggregation"));
  counts_.assign(size_t{owner_count} * range_count, 0);
  std::vector<std::vector<uint32_t>> maps;
  for (const MergeInput& input : inputs) {
    const auto& partial = static_cast<const RangePartial&>(*input.partial);
    auto& map = maps.emplace_back(partial.counts.size());
    for (size_t i = 0; i < map.size(); ++i) {
      map[i] = input.owners[i / range_count] * range_count + static_cast<uint32_t>(i % range_count);
      counts_[map[i]] += partial.counts[i];
    }
  }
  return children_.Merge(inputs, std::move(maps), owner_count * range_count, context);
}

Status RangeReduction::Write(uint32_t owner, WriteContext& context, json::Writer& writer) const {
  const bool keyed = spec_.parameters().keyed;
  writer.Key("buckets");
  keyed ? writer.BeginObject() : writer.BeginArray();
  for (uint32_t r = 0; r < ranges_.size(); ++r) {
    const uint32_t bucket = owner == kNoBucket ? kNoBucket : owner * static_cast<uint32_t>(ranges_.size()) + r;
    TIERCEL_TRY(WriteRange(ranges_[r], bucket, context, writer));
  }
  keyed ? writer.EndObject() : writer.EndArray();
  return {};
}

Status RangeReduction::WriteRange(const Range& range, uint32_t bucket, WriteContext& context,
                                  json::Writer& writer) const {
  TIERCEL_TRY(CountBucket(context));
  if (spec_.parameters().keyed) {
    writer.Key(range.key).BeginObject();
  } else {
    writer.BeginObject().Key("key").String(range.key);
  }
  if (range.from != -kInfinity) {
    writer.Member("from", range.from);
    TIERCEL_TRY(format_.WriteMember("from_as_string", range.from, true, writer));
  }
  if (range.to != kInfinity) {
    writer.Member("to", range.to);
    TIERCEL_TRY(format_.WriteMember("to_as_string", range.to, true, writer));
  }
  writer.Member("doc_count", bucket == kNoBucket ? uint64_t{0} : counts_[bucket]);
  TIERCEL_TRY(children_.Write(bucket, context, writer));
  writer.EndObject();
  return {};
}

Result<GivenRange> ReadRange(const Parameter& parameter, const std::string& type, json::Value value) {
  GivenRange range;
  if (!value.is_object()) {
    return parameter.Failed(InvalidArgument(Position(value) + "[" + type + "] Expected START_OBJECT but was: " +
                                            std::string(json::TokenName(value.type())))
                                .WithType("x_content_parse_exception"));
  }
  for (const auto [key, member] : value.members()) {
    const Parameter inner(type, key, member);
    if (key != "key" && key != "from" && key != "to") return parameter.FailedAt(member, inner.Unknown());
    if (member.is_null()) continue;
    const auto scalar = inner.AnyScalar();
    if (!scalar.ok()) return parameter.FailedAt(member, scalar.status());
    if (key == "key") {
      range.key = scalar->text;
    } else {
      (key == "from" ? range.from : range.to) = *scalar;
    }
  }
  return range;
}

Status ReadRanges(const Parameter& parameter, const std::string& type, std::vector<GivenRange>& ranges) {
  const json::Value value = parameter.value();
  if (value.is_object()) {
    TIERCEL_TRY_ASSIGN(GivenRange range, ReadRange(parameter, type, value));
    ranges.push_back(std::move(range));
    return {};
  }
  if (!value.is_array()) return parameter.WrongType();
  for (const json::Value element : value.elements()) {
    TIERCEL_TRY_ASSIGN(GivenRange range, ReadRange(parameter, type, element));
    ranges.push_back(std::move(range));
  }
  return {};
}

Result<std::unique_ptr<Spec>> ParseRanges(const std::string& name, json::Value body, bool dates) {
  RangeParameters parameters;
  parameters.dates = dates;
  const std::string type = dates ? "date_range" : "range";
  for (const auto [key, value] : body.members()) {
    const Parameter parameter(type, key, value);
    TIERCEL_TRY_ASSIGN(const bool taken,
                       ReadValueParameter(parameter, name, dates ? kFormat | kTimeZone : kFormat, parameters.values));
    if (taken) continue;
    if (key == "ranges") {
      TIERCEL_TRY(ReadRanges(parameter, type, parameters.ranges));
    } else if (key == "keyed") {
      TIERCEL_TRY_ASSIGN(parameters.keyed, parameter.Bool());
    } else {
      return parameter.Unknown();
    }
  }
  TIERCEL_TRY(RequireField(parameters.values));
  return std::make_unique<RangeSpec>(name, std::move(parameters));
}

}  // namespace

Result<std::unique_ptr<Spec>> ParseRange(const std::string& name, json::Value body) {
  return ParseRanges(name, body, false);
}
Result<std::unique_ptr<Spec>> ParseDateRange(const std::string& name, json::Value body) {
  return ParseRanges(name, body, true);
}

}  // namespace tiercel::search::aggs
