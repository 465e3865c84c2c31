#include "tiercel/search/aggs/terms.h"

#include <algorithm>

namespace tiercel::search::aggs {
namespace {

class TermsSpec final : public Spec {
 public:
  TermsSpec(std::string name, TermsParameters parameters)
      : Spec("terms", std::move(name)), parameters_(std::move(parameters)) {}

  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    const ResolveContext context{&target, &environment, &type(), &name()};
    TIERCEL_TRY_ASSIGN(const ValueType type,
                       ResolveValues(parameters_.values, kEverything, ValueKind::kKeyword, context));
    TIERCEL_TRY(CheckValueType(type));
    TIERCEL_TRY(parameters_.filter.Validate(type, name(), context.now_ms()));
    if (!type.numeric() && !parameters_.execution_hint.empty() && parameters_.execution_hint != "map" &&
        parameters_.execution_hint != "global_ordinals") {
      return InvalidArgument("Unknown `execution_hint`: [" + parameters_.execution_hint +
                             "], expected any of [map, global_ordinals]");
    }
    return parameters_.order.Validate(*this);
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(const ValueType type,
                       ResolveValues(parameters_.values, kEverything, ValueKind::kKeyword,
                                     {context.target, context.environment, &this->type(), &name()}));
    return NewTermsCollector(*this, parameters_, type, context);
  }
  std::unique_ptr<Reduction> NewReduction() const override { return NewTermsReduction(*this, parameters_); }

 private:
  // value_type must agree with a mapped field, as far as numbers and strings go.
  Status CheckValueType(const ValueType& type) const {
    const std::string& hint = parameters_.values.value_type;
    const bool integers = hint == "long" || hint == "integer" || hint == "short" || hint == "byte";
    const bool decimals = hint == "double" || hint == "float" || hint == "number" || hint == "numeric";
    if (type.field == nullptr || type.numeric() || !(integers || decimals)) return {};
    return InvalidArgument("Field type [" + std::string(mapping::TypeName(type.field->type)) +
                           "] is incompatible with specified value_type [" +
                           (integers ? "byte|short|integer|long" : "float|double") + "]");
  }

  const TermsParameters parameters_;
};

Status ReadCount(const Parameter& parameter, const std::string& name, TermsParameters& parameters, bool& taken) {
  struct Count {
    std::string_view key, label;
    int64_t min;
    int64_t TermsParameters::* target;
  };
  constexpr Count kCounts[] = {{"size", "size", 1, &TermsParameters::size},
                               {"shard_size", "shardSize", 1, &TermsParameters::shard_size},
                               {"min_doc_count", "minDocCount", 0, &TermsParameters::min_doc_count},
                               {"shard_min_doc_count", "shardMinDocCount", 0, &TermsParameters::shard_min_doc_count}};
  for (const Count& count : kCounts) {
    if (count.key != parameter.key()) continue;
    taken = true;
    TIERCEL_TRY_ASSIGN(parameters.*count.target, parameter.IntAtLeast(count.min, count.label, name));
    return {};
  }
  return {};
}

Status CheckCollectMode(const Parameter& parameter) {
  TIERCEL_TRY_ASSIGN(const std::string mode, parameter.String());
  if (mode == "breadth_first" || mode == "depth_first") return {};
  return parameter.Failed(
      InvalidArgument("no [collect_mode] found for value [" + mode + "]").WithType("parse_exception"));
}

Status CheckValueTypeName(const Parameter& parameter, const std::string& type) {
  constexpr std::string_view kNames[] = {"string",  "keyword", "long",  "integer", "short",   "byte", "number",
                                         "numeric", "double",  "float", "date",    "boolean", "ip"};
  if (std::find(std::begin(kNames), std::end(kNames), type) != std::end(kNames)) return {};
  return parameter.Failed(InvalidArgument("Unknown value type [" + type + "]"));
}

Status ReadParameter(const Parameter& parameter, const std::string& name, TermsParameters& parameters) {
  TIERCEL_TRY_ASSIGN(bool taken, ReadValueParameter(parameter, name, kFormat, parameters.values));
  if (taken)
    return parameter.key() == "value_type" ? CheckValueTypeName(parameter, parameters.values.value_type) : Status();
  TIERCEL_TRY(ReadCount(parameter, name, parameters, taken));
  if (taken) return {};
  if (parameter.key() == "order") {
    TIERCEL_TRY_ASSIGN(parameters.order, BucketOrder::Parse(parameter));
  } else if (parameter.key() == "include") {
    TIERCEL_TRY(parameters.filter.ParseInclude(parameter));
  } else if (parameter.key() == "exclude") {
    TIERCEL_TRY(parameters.filter.ParseExclude(parameter));
  } else if (parameter.key() == "show_term_doc_count_error") {
    TIERCEL_TRY_ASSIGN(parameters.show_error, parameter.Bool());
  } else if (parameter.key() == "execution_hint") {
    TIERCEL_TRY_ASSIGN(parameters.execution_hint, parameter.String());
  } else if (parameter.key() == "collect_mode") {
    return CheckCollectMode(parameter);
  } else {
    return parameter.Unknown();
  }
  return {};
}

}  // namespace

uint64_t TermsParameters::EffectiveShardSize() const {
  const int64_t wanted =
      shard_size < 0 && !order.by_key() ? static_cast<int64_t>(static_cast<double>(size) * 1.5 + 10) : shard_size;
  return static_cast<uint64_t>(std::max(wanted, size));
}

Result<std::unique_ptr<Spec>> ParseTerms(const std::string& name, json::Value body) {
  TermsParameters parameters;
  for (const auto [key, value] : body.members())
    TIERCEL_TRY(ReadParameter(Parameter("terms", key, value), name, parameters));
  TIERCEL_TRY(RequireField(parameters.values));
  return std::make_unique<TermsSpec>(name, std::move(parameters));
}

}  // namespace tiercel::search::aggs
