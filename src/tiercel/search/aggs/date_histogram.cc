#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tiercel/mapping/values.h"
#include "tiercel/search/aggs/date_rounding.h"
#include "tiercel/search/aggs/histogram_core.h"
#include "tiercel/search/aggs/parse.h"

namespace tiercel::search::aggs {
namespace {

using mapping::CalendarUnit;

struct HardBounds {
  std::optional<int64_t> min, max;  // keys in [min, max)
};

int64_t ToMs(double value) {
  constexpr double kLimit = 9.2e18;
  return static_cast<int64_t>(std::clamp(value, -kLimit, kLimit));
}

class DateMapper final : public IntervalMapper {
 public:
  DateMapper(const DateRounding& rounding, const HardBounds& hard, double low, double high)
      : rounding_(rounding),
        hard_(hard),
        prepared_(rounding, low <= high ? ToMs(low) : 1, low <= high ? ToMs(high) : 0) {}
  uint64_t bound() const override { return prepared_.count(); }
  bool rejects() const override { return hard_.min || hard_.max; }
  void Map(std::span<const double> values, int64_t* keys) const override {
    if (prepared_.count() > 0) {
      for (size_t i = 0; i < values.size(); ++i) keys[i] = prepared_.Number(static_cast<int64_t>(values[i]));
    } else {
      for (size_t i = 0; i < values.size(); ++i) keys[i] = rounding_.Floor(ToMs(values[i]));
    }
    if (!rejects()) return;
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t key = ScaleKey(keys[i]);
      if ((hard_.min && key < *hard_.min) || (hard_.max && key >= *hard_.max)) keys[i] = kRejected;
    }
  }
  int64_t ScaleKey(int64_t collected) const override {
    return prepared_.count() > 0 ? prepared_.Start(static_cast<uint64_t>(collected)) : collected;
  }

 private:
  const DateRounding rounding_;
  const HardBounds hard_;
  const PreparedRounding prepared_;
};

class DateScale final : public Scale {
 public:
  DateScale(DateRounding rounding, ValueFormat format, HardBounds hard, std::optional<int64_t> low,
            std::optional<int64_t> high)
      : rounding_(std::move(rounding)), format_(std::move(format)), hard_(hard), low_(low), high_(high) {}
  std::unique_ptr<IntervalMapper> NewMapper(double low, double high) const override {
    return std::make_unique<DateMapper>(rounding_, hard_, low, high);
  }
  int64_t Next(int64_t key) const override { return rounding_.Next(key); }
  std::optional<int64_t> low() const override { return low_; }
  std::optional<int64_t> high() const override { return high_; }
  Result<std::string> Name(int64_t key) const override {
    if (!format_.has_text()) return std::to_string(key);
    return format_.Text(static_cast<double>(key));
  }
  Status WriteKey(int64_t key, json::Writer& writer) const override {
    TIERCEL_TRY(format_.WriteMember("key_as_string", static_cast<double>(key), false, writer));
    writer.Member("key", key);
    return {};
  }

 private:
  const DateRounding rounding_;
  const ValueFormat format_;
  const HardBounds hard_;
  const std::optional<int64_t> low_, high_;
};

struct UnitName {
  std::string_view name;
  CalendarUnit unit;
};
constexpr UnitName kUnits[] = {
    {"second", CalendarUnit::kSecond},   {"1s", CalendarUnit::kSecond},   {"minute", CalendarUnit::kMinute},
    {"1m", CalendarUnit::kMinute},       {"hour", CalendarUnit::kHour},   {"1h", CalendarUnit::kHour},
    {"day", CalendarUnit::kDay},         {"1d", CalendarUnit::kDay},      {"week", CalendarUnit::kWeek},
    {"1w", CalendarUnit::kWeek},         {"month", CalendarUnit::kMonth}, {"1M", CalendarUnit::kMonth},
    {"quarter", CalendarUnit::kQuarter}, {"1q", CalendarUnit::kQuarter},  {"year", CalendarUnit::kYear},
    {"1y", CalendarUnit::kYear},
};

// "90m", "-1d", "0": milliseconds; `setting` is how messages call it.
Result<int64_t> ParseDuration(std::string_view text, std::string_view setting) {
  struct Unit {
    std::string_view suffix;
    int64_t ms;
  };
  constexpr Unit kSuffixes[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  if (text == "0" || text == "-1") return text == "0" ? 0 : -1;
  for (const Unit& unit : kSuffixes) {
    if (!text.ends_with(unit.suffix)) continue;
    const std::string_view digits = text.substr(0, text.size() - unit.suffix.size());
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() &&
        std::abs(number) <= std::numeric_limits<int64_t>::max() / unit.ms) {
      return number * unit.ms;
    }
    const bool fraction = ParseNumber(digits).ok();
    return InvalidArgument("failed to parse [" + std::string(text) + "]" +
                           (fraction ? ", fractional time values are not supported" : ""))
        .WithCause(
            InvalidArgument("For input string: \"" + std::string(digits) + "\"").WithType("number_format_exception"));
  }
  return InvalidArgument("failed to parse setting [" + std::string(setting) + "] with value [" + std::string(text) +
                         "] as a time value: unit is missing or unrecognized");
}

class DateHistogramSpec final : public HistogramSpecBase {
 public:
  explicit DateHistogramSpec(const std::string& name) : HistogramSpecBase("date_histogram", name) {}

  Status Read(json::Value body) {
    for (const auto [key, value] : body.members()) TIERCEL_TRY(ReadOne(Parameter(type(), key, value)));
    return RequireField(parameters_.values);
  }
  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const override {
    return ResolveValues(parameters_.values, kNumbersAndDates, ValueKind::kDate,
                         {&target, &environment, &type(), &name()});
  }
  Result<std::shared_ptr<const Scale>> NewScale(const ValueType& values, int64_t now_ms) const override {
    if (!unit_ && !interval_ms_) return InvalidArgument("Invalid interval specified, must be non-null and non-empty");
    if (interval_ms_ && *interval_ms_ <= 0) return InvalidArgument("Zero or negative time interval not supported");
    const auto rounding = unit_ ? DateRounding::Calendar(*unit_, zone_, offset_ms_)
                                : DateRounding::Fixed(*interval_ms_, zone_, offset_ms_);
    TIERCEL_TRY_ASSIGN(const auto low, BoundMs(extended_.min, values, now_ms));
    TIERCEL_TRY_ASSIGN(const auto high, BoundMs(extended_.max, values, now_ms));
    TIERCEL_TRY_ASSIGN(const auto hard_low, BoundMs(hard_.min, values, now_ms));
    TIERCEL_TRY_ASSIGN(const auto hard_high, BoundMs(hard_.max, values, now_ms));
    if (low && high && *low > *high) {
      return InvalidArgument("[extended_bounds.min][" + std::to_string(*low) +
                             "] cannot be greater than [extended_bounds.max][" + std::to_string(*high) +
                             "] for histogram aggregation [" + name() + "]");
    }
    if ((hard_low && low && *low < *hard_low) || (hard_high && high && *high > *hard_high)) {
      return InvalidArgument("Extended bounds have to be inside hard bounds, hard bounds: [" + BoundsText(hard_) +
                             "], extended bounds: [" + BoundsText(extended_) + "]");
    }
    const auto floor = [&](const std::optional<int64_t>& ms) {
      return ms ? std::optional(rounding.Floor(*ms)) : std::nullopt;
    };
    return std::make_shared<DateScale>(rounding, values.format, HardBounds{floor(hard_low), floor(hard_high)},
                                       floor(low), floor(high));
  }

 private:
  static std::string BoundsText(const GivenBounds& bounds) {
    return (bounds.min ? bounds.min->text : "") + "--" + (bounds.max ? bounds.max->text : "");
  }
  static Result<std::optional<int64_t>> BoundMs(const std::optional<Scalar>& bound, const ValueType& values,
                                                int64_t now_ms) {
    if (!bound) return std::optional<int64_t>();
    TIERCEL_TRY_ASSIGN(const double number, ScalarToNumber(*bound, values, now_ms));
    return std::optional<int64_t>(ToMs(number));
  }

  Status ReadInterval(const Parameter& parameter) {
    TIERCEL_TRY_ASSIGN(const std::string text, parameter.String());
    const bool calendar = parameter.key() == "calendar_interval";
    if (calendar ? interval_ms_.has_value() : unit_.has_value()) {
      return parameter.Failed(
          InvalidArgument(calendar ? "Cannot use [calendar_interval] with [fixed_interval] configuration option."
                                   : "Cannot use [fixed_interval] with [calendar_interval] configuration option."));
    }
    if (!calendar) {
      const auto interval = ParseDuration(text, "date_histogram.fixedInterval");
      if (!interval.ok()) return parameter.Failed(interval.status());
      interval_ms_ = *interval;
      return {};
    }
    const auto known =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const UnitName& unit) { return unit.name == text; });
    if (known == std::end(kUnits)) {
      return parameter.Failed(
          InvalidArgument("The supplied interval [" + text + "] could not be parsed as a calendar interval."));
    }
    unit_ = known->unit;
    return {};
  }

  Status ReadTimeZone(const Parameter& parameter) {
    std::string text;
    if (parameter.value().is_integer()) {  // hours
      const int64_t hours = parameter.value().as_int64();
      text = std::string(hours < 0 ? "-" : "+") + (std::abs(hours) < 10 ? "0" : "") + std::to_string(std::abs(hours)) +
             ":00";
    } else {
      TIERCEL_TRY_ASSIGN(text, parameter.String());
    }
    auto zone = mapping::TimeZone::Parse(text);
    if (!zone.ok()) return parameter.Failed(zone.status());
    zone_ = *std::move(zone);
    parameters_.values.time_zone = text;
    return {};
  }

  Status ReadOffset(const Parameter& parameter) {
    if (parameter.value().is_number()) {
      offset_ms_ = ToMs(parameter.value().as_double());
      return {};
    }
    TIERCEL_TRY_ASSIGN(std::string text, parameter.String());
    const bool plus = text.starts_with('+');
    const auto offset =
        ParseDuration(plus ? std::string_view(text).substr(1) : text, "DateHistogramAggregationBuilder.parseOffset");
    if (!offset.ok()) return parameter.Failed(offset.status());
    offset_ms_ = *offset;
    return {};
  }

  Status ReadOne(const Parameter& parameter) {
    if (parameter.key() == "time_zone") return ReadTimeZone(parameter);
    TIERCEL_TRY_ASSIGN(const bool taken, ReadParameter(parameter, kFormat));
    if (taken) return {};
    if (parameter.key() == "calendar_interval" || parameter.key() == "fixed_interval") return ReadInterval(parameter);
    if (parameter.key() == "offset") return ReadOffset(parameter);
    if (parameter.key() == "extended_bounds") {
      TIERCEL_TRY_ASSIGN(extended_, ReadBounds(parameter, "extended_bounds"));
    } else if (parameter.key() == "hard_bounds") {
      TIERCEL_TRY_ASSIGN(hard_, ReadBounds(parameter, "hard_bounds"));
    } else {
      return parameter.Unknown();
    }
    return {};
  }

  std::optional<CalendarUnit> unit_;
  std::optional<int64_t> interval_ms_;
  mapping::TimeZone zone_;
  int64_t offset_ms_ = 0;
  GivenBounds extended_, hard_;
};

}  // namespace

Result<std::unique_ptr<Spec>> ParseDateHistogram(const std::string& name, json::Value body) {
  auto spec = std::make_unique<DateHistogramSpec>(name);
  TIERCEL_TRY(spec->Read(body));
  return std::unique_ptr<Spec>(std::move(spec));
}

}  // namespace tiercel::search::aggs
