#include <algorithm>
#include <cmath>

#include "tiercel/search/aggs/order.h"
#include "tiercel/search/aggs/parse.h"
#include "tiercel/search/aggs/readers.h"
#include "tiercel/search/aggs/tdigest.h"

namespace tiercel::search::aggs {
namespace {

struct PercentilesParameters {
  ValueSpec values;
  std::vector<double> percents = {1, 5, 25, 50, 75, 95, 99};
  double compression = 100;
  bool keyed = true;
};

std::string PercentName(double percent) {
  std::string name;
  json::AppendDouble(percent, name);
  return name;
}

struct DigestPartial final : Partial {
  std::vector<TDigest> digests;
  ValueFormat format;
};

class PercentilesCollector final : public Collector {
 public:
  PercentilesCollector(double compression, const ValueType& type, NumericReader* reader)
      : compression_(compression),
        missing_(type.missing_number),
        reader_(reader),
        partial_(std::make_unique<DigestPartial>()) {
    partial_->format = type.format;
  }

  Status Collect(const Batch& batch) override {
    auto& digests = partial_->digests;
    if (digests.size() < batch.bucket_bound) digests.resize(batch.bucket_bound, TDigest(compression_));
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    const Rows<double> rows =
        expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->numbers(), missing_);
    for (size_t i = 0; i < rows.size(); ++i) digests[rows.buckets[i]].Add(rows.values[i]);
    added_ += rows.size();
    return {};
  }
  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    partial_->digests.resize(std::max<size_t>(bucket_count, partial_->digests.size()), TDigest(compression_));
    return std::unique_ptr<Partial>(std::move(partial_));
  }
  // An upper bound: every value kept, or every digest full.
  uint64_t memory_bytes() const override {
    const uint64_t full = static_cast<uint64_t>(compression_) * 20 * 2 * sizeof(double);
    return expander_.memory_bytes() + partial_->digests.size() * sizeof(TDigest) +
           std::min<uint64_t>(added_ * 2 * sizeof(double), partial_->digests.size() * full);
  }

 private:
  const double compression_;
  const std::optional<double> missing_;
  NumericReader* const reader_;
  RowExpander<double> expander_;
  uint64_t added_ = 0;
  std::unique_ptr<DigestPartial> partial_;
};

class PercentilesReduction final : public Reduction {
 public:
  explicit PercentilesReduction(const PercentilesParameters& parameters) : parameters_(parameters) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override {
    TIERCEL_TRY(context.Charge(owner_count * sizeof(TDigest), "percentiles"));
    digests_.resize(owner_count, TDigest(parameters_.compression));
    for (const MergeInput& input : inputs) {
      auto& partial = static_cast<DigestPartial&>(*input.partial);
      for (size_t i = 0; i < input.owners.size(); ++i) {
        TDigest& digest = digests_[input.owners[i]];
        if (digest.count() == 0) {
          std::swap(digest, partial.digests[i]);
        } else {
          digest.Merge(partial.digests[i]);
        }
      }
      if (format_.style() == ValueFormat::Style::kRaw) format_ = partial.format;
    }
    return {};
  }

  std::string_view typed_name() const override { return "tdigest_percentiles"; }

  Status Write(uint32_t owner, WriteContext&, json::Writer& writer) const override {
    writer.Key("values");
    parameters_.keyed ? writer.BeginObject() : writer.BeginArray();
    for (const double percent : parameters_.percents) TIERCEL_TRY(WriteOne(percent, Value(owner, percent), writer));
    parameters_.keyed ? writer.EndObject() : writer.EndArray();
    return {};
  }

  double SortValue(uint32_t owner, const OrderPath& path, size_t) const override {
    const auto percent = ParseNumber(path.metric);
    return Value(owner, percent.ok() ? *percent : 0);
  }

 private:
  double Value(uint32_t owner, double percent) const {
    return owner == kNoBucket ? std::nan("") : digests_[owner].Quantile(percent / 100);
  }
  Status WriteOne(double percent, double value, json::Writer& writer) const {
    const std::string name = PercentName(percent);
    if (!parameters_.keyed) writer.BeginObject().Member("key", percent);
    writer.Key(parameters_.keyed ? std::string_view(name) : "value");
    std::isnan(value) ? writer.Null() : writer.Double(value);
    if (!std::isnan(value))
      TIERCEL_TRY(
          format_.WriteMember(parameters_.keyed ? name + "_as_string" : "value_as_string", value, false, writer));
    if (!parameters_.keyed) writer.EndObject();
    return {};
  }

  const PercentilesParameters& parameters_;
  std::vector<TDigest> digests_;
  ValueFormat format_;
};

class PercentilesSpec final : public Spec {
 public:
  PercentilesSpec(std::string name, PercentilesParameters parameters)
      : Spec("percentiles", std::move(name)), parameters_(std::move(parameters)) {}

  bool accepts_children() const override { return false; }
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    return Resolve(target, environment).status();
  }
  Status CheckOrder(const OrderPath& path, size_t depth) const override {
    if (depth + 1 < path.names.size()) return Spec::CheckOrder(path, depth);
    if (const auto percent = ParseNumber(path.metric); percent.ok()) {
      if (std::find(parameters_.percents.begin(), parameters_.percents.end(), *percent) != parameters_.percents.end())
        return {};
    }
    return CheckMultiValueOrder(path, {});
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(const ValueType type, Resolve(*context.target, *context.environment));
    return std::make_unique<PercentilesCollector>(parameters_.compression, type, context.readers->Numeric(type));
  }
  std::unique_ptr<Reduction> NewReduction() const override {
    return std::make_unique<PercentilesReduction>(parameters_);
  }

 private:
  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const {
    return ResolveValues(parameters_.values, kNumeric, ValueKind::kDouble, {&target, &environment, &type(), &name()});
  }
  const PercentilesParameters parameters_;
};

Status BuildFailed(Status cause) {
  return InvalidArgument("Failed to build [percentiles] after last required field arrived")
      .WithType("x_content_parse_exception")
      .WithCause(std::move(cause));
}

Status ReadPercents(const Parameter& parameter, const std::string& name, std::vector<double>& percents) {
  percents.clear();
  const json::Value value = parameter.value();
  if (value.is_object()) return parameter.WrongType();
  if (value.is_array()) {
    for (const json::Value element : value.elements()) {
      TIERCEL_TRY_ASSIGN(const double percent, Parameter("percentiles", "percents", element).Double());
      percents.push_back(percent);
    }
  } else {
    TIERCEL_TRY_ASSIGN(const double percent, parameter.Double());
    percents.push_back(percent);
  }
  if (percents.empty()) return BuildFailed(InvalidArgument("[percents] must not be empty: [" + name + "]"));
  std::sort(percents.begin(), percents.end());
  for (size_t i = 0; i < percents.size(); ++i) {
    if (!(percents[i] >= 0 && percents[i] <= 100)) {
      return BuildFailed(
          InvalidArgument("percent must be in [0,100], got [" + PercentName(percents[i]) + "]: [" + name + "]"));
    }
    if (i > 0 && percents[i] == percents[i - 1]) {
      return BuildFailed(
          InvalidArgument("percent [" + PercentName(percents[i]) + "] has been specified twice: [" + name + "]"));
    }
  }
  return {};
}

Status ReadDigest(const Parameter& parameter, double& compression) {
  if (!parameter.value().is_object()) return parameter.WrongType();
  for (const auto [key, value] : parameter.value().members()) {
    const Parameter inner("tdigest", key, value);
    if (key == "execution_hint") continue;
    if (key != "compression") return parameter.FailedAt(value, inner.Unknown());
    const auto number = inner.Double();
    if (!number.ok()) return parameter.FailedAt(value, number.status());
    if (*number < 0) {
      return parameter.FailedAt(
          value, inner.Failed(InvalidArgument("[compression] must be greater than or equal to 0. Found [" +
                                              PercentName(*number) + "]")));
    }
    constexpr double kMin = 20, kMax = 1000;  // bounds what a bucket may cost
    compression = std::clamp(*number, kMin, kMax);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Spec>> ParsePercentiles(const std::string& name, json::Value body) {
  PercentilesParameters parameters;
  for (const auto [key, value] : body.members()) {
    const Parameter parameter("percentiles", key, value);
    TIERCEL_TRY_ASSIGN(const bool taken, ReadValueParameter(parameter, name, kFormat, parameters.values));
    if (taken) continue;
    if (key == "percents") {
      TIERCEL_TRY(ReadPercents(parameter, name, parameters.percents));
    } else if (key == "keyed") {
      TIERCEL_TRY_ASSIGN(parameters.keyed, parameter.Bool());
    } else if (key == "tdigest") {
      TIERCEL_TRY(ReadDigest(parameter, parameters.compression));
    } else if (key == "hdr") {
      return parameter.Failed(
          Unimplemented("[hdr] percentiles are not supported, use [tdigest]").WithType("illegal_argument_exception"));
    } else {
      return parameter.Unknown();
    }
  }
  TIERCEL_TRY(RequireField(parameters.values));
  return std::make_unique<PercentilesSpec>(name, std::move(parameters));
}

}  // namespace tiercel::search::aggs
