#include <algorithm>
#include <cmath>
#include <limits>

#include "tiercel/search/aggs/histogram_core.h"
#include "tiercel/search/aggs/parse.h"

namespace tiercel::search::aggs {
namespace {

struct DoubleBounds {
  std::optional<double> min, max;
  std::string Text() const {
    std::string text;
    if (min) json::AppendDouble(*min, text);
    text += "--";
    if (max) json::AppendDouble(*max, text);
    return text;
  }
};

struct Intervals {
  double width = 0;
  double offset = 0;
  DoubleBounds hard;

  // Adding 0.0 turns -0.0 into 0.0.
  double Number(double value) const { return std::floor((value - offset) / width) + 0.0; }
  double Start(double number) const { return number * width + offset; }
  bool Allows(double number) const {
    return (!hard.min || number * width >= *hard.min) && (!hard.max || number * width <= *hard.max);
  }
};

class NumberMapper final : public IntervalMapper {
 public:
  NumberMapper(const Intervals& intervals, double low, double high)
      : intervals_(intervals), first_(intervals.Number(low)) {
    const double count = intervals.Number(high) - first_ + 1;
    if (count >= 1 && count <= static_cast<double>(kFlatIntervalsMax) && std::fabs(first_) < 0x1.0p52)
      bound_ = static_cast<uint64_t>(count);
  }
  uint64_t bound() const override { return bound_; }
  bool rejects() const override { return intervals_.hard.min || intervals_.hard.max; }
  void Map(std::span<const double> values, int64_t* keys) const override {
    const double width = intervals_.width, offset = intervals_.offset, first = first_;
    if (bound_ > 0) {
      for (size_t i = 0; i < values.size(); ++i)
        keys[i] = static_cast<int32_t>(std::floor((values[i] - offset) / width) - first);
    } else {
      for (size_t i = 0; i < values.size(); ++i) keys[i] = mapping::EncodeDouble(intervals_.Number(values[i]));
    }
    if (!rejects()) return;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!intervals_.Allows(intervals_.Number(values[i]))) keys[i] = kRejected;
    }
  }
  int64_t ScaleKey(int64_t collected) const override {
    return bound_ > 0 ? mapping::EncodeDouble(first_ + static_cast<double>(collected)) : collected;
  }

 private:
  const Intervals intervals_;
  const double first_;
  uint64_t bound_ = 0;
};

class NumberScale final : public Scale {
 public:
  NumberScale(const Intervals& intervals, const DoubleBounds& extended, ValueFormat format)
      : intervals_(intervals), format_(std::move(format)) {
    if (extended.min) low_ = mapping::EncodeDouble(intervals_.Number(*extended.min));
    if (extended.max) high_ = mapping::EncodeDouble(intervals_.Number(*extended.max));
  }
  std::unique_ptr<IntervalMapper> NewMapper(double low, double high) const override {
    return std::make_unique<NumberMapper>(intervals_, low, high);
  }
  int64_t Next(int64_t key) const override {
    const double number = mapping::DecodeDouble(key);
    // Beyond 2^53 adding one changes nothing; the next double ends every loop.
    return mapping::EncodeDouble(std::max(number + 1, std::nextafter(number, std::numeric_limits<double>::infinity())) +
                                 0.0);
  }
  std::optional<int64_t> low() const override { return low_; }
  std::optional<int64_t> high() const override { return high_; }
  Result<std::string> Name(int64_t key) const override { return format_.Text(Start(key)); }
  Status WriteKey(int64_t key, json::Writer& writer) const override {
    TIERCEL_TRY(format_.WriteMember("key_as_string", Start(key), false, writer));
    writer.Member("key", Start(key));
    return {};
  }

 private:
  double Start(int64_t key) const { return intervals_.Start(mapping::DecodeDouble(key)); }
  const Intervals intervals_;
  const ValueFormat format_;
  std::optional<int64_t> low_, high_;
};

class HistogramSpec final : public HistogramSpecBase {
 public:
  explicit HistogramSpec(const std::string& name) : HistogramSpecBase("histogram", name) {}

  Status Read(json::Value body) {
    for (const auto [key, value] : body.members()) TIERCEL_TRY(ReadOne(Parameter(type(), key, value)));
    return RequireField(parameters_.values);
  }
  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const override {
    return ResolveValues(parameters_.values, kNumeric, ValueKind::kDouble, {&target, &environment, &type(), &name()});
  }
  Result<std::shared_ptr<const Scale>> NewScale(const ValueType& values, int64_t) const override {
    if (!(intervals_.width > 0)) return InvalidArgument("interval must be positive, got: 0.0");
    const DoubleBounds& hard = intervals_.hard;
    if ((hard.min && extended_.min && *extended_.min < *hard.min) ||
        (hard.max && extended_.max && *extended_.max > *hard.max)) {
      return InvalidArgument("Extended bounds have to be inside hard bounds, hard bounds: [" + hard.Text() +
                             "], extended bounds: [" + extended_.Text() + "]");
    }
    return std::make_shared<NumberScale>(intervals_, extended_, values.format);
  }

 private:
  Status ReadOne(const Parameter& parameter) {
    TIERCEL_TRY_ASSIGN(const bool taken, ReadParameter(parameter, kFormat));
    if (taken) return {};
    if (parameter.key() == "interval") {
      TIERCEL_TRY_ASSIGN(intervals_.width, parameter.Double());
      if (intervals_.width > 0) return {};
      return parameter.Failed(InvalidArgument("[interval] must be >0 for histogram aggregation [" + name() + "]"));
    }
    if (parameter.key() == "offset") {
      TIERCEL_TRY_ASSIGN(intervals_.offset, parameter.Double());
    } else if (parameter.key() == "extended_bounds") {
      TIERCEL_TRY_ASSIGN(extended_, ReadDoubleBounds(parameter));
    } else if (parameter.key() == "hard_bounds") {
      TIERCEL_TRY_ASSIGN(intervals_.hard, ReadDoubleBounds(parameter));
    } else {
      return parameter.Unknown();
    }
    return {};
  }
  static Result<DoubleBounds> ReadDoubleBounds(const Parameter& parameter) {
    TIERCEL_TRY_ASSIGN(const GivenBounds given, ReadBounds(parameter, "double_bounds"));
    DoubleBounds bounds;
    for (const bool lower : {true, false}) {
      const auto& scalar = lower ? given.min : given.max;
      if (!scalar) continue;
      const auto number = ParseNumber(scalar->text);
      if (!number.ok()) {
        return parameter.Failed(
            InvalidArgument("[double_bounds] failed to parse field [" + std::string(lower ? "min" : "max") + "]")
                .WithType("x_content_parse_exception")
                .WithCause(number.status()));
      }
      (lower ? bounds.min : bounds.max) = *number;
    }
    if (bounds.min && bounds.max && *bounds.max < *bounds.min) {
      std::string reason = "max bound [";
      json::AppendDouble(*bounds.max, reason);
      reason += "] must be greater than min bound [";
      json::AppendDouble(*bounds.min, reason);
      return parameter.Failed(InvalidArgument(reason + "]"));
    }
    return bounds;
  }

  Intervals intervals_;
  DoubleBounds extended_;
};

}  // namespace

Result<std::unique_ptr<Spec>> ParseHistogram(const std::string& name, json::Value body) {
  auto spec = std::make_unique<HistogramSpec>(name);
  TIERCEL_TRY(spec->Read(body));
  return std::unique_ptr<Spec>(std::move(spec));
}

}  // namespace tiercel::search::aggs
