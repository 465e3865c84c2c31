#include <charconv>

#include "tiercel/mapping/dates.h"
#include "tiercel/mapping/values.h"

namespace tiercel::mapping {
namespace {

Status ParseFailure(std::string message) { return InvalidArgument(std::move(message)).WithType("parse_exception"); }

std::optional<CalendarUnit> FindUnit(char c) {
  switch (c) {
    case 'y':
      return CalendarUnit::kYear;
    case 'M':
      return CalendarUnit::kMonth;
    case 'w':
      return CalendarUnit::kWeek;
    case 'd':
      return CalendarUnit::kDay;
    case 'h':
    case 'H':
      return CalendarUnit::kHour;
    case 'm':
      return CalendarUnit::kMinute;
    case 's':
      return CalendarUnit::kSecond;
    default:
      return std::nullopt;
  }
}

// Applies "+1d/M" and the like.
class DateMath {
 public:
  DateMath(std::string_view math, const TimeZone& zone, Rounding rounding)
      : math_(math), zone_(zone), rounding_(rounding) {}

  Result<int64_t> Apply(int64_t ms) {
    while (at_ < math_.size()) TIERCEL_TRY(Step(ms));
    return ms;
  }

 private:
  Status Step(int64_t& ms) {
    const char op = math_[at_++];
    if (op != '/' && op != '+' && op != '-')
      return ParseFailure("operator not supported for date math [" + std::string(math_) + "]");
    if (at_ >= math_.size()) return Truncated();
    int64_t count = 1;
    if (math_[at_] >= '0' && math_[at_] <= '9') {
      const size_t first = at_;
      while (at_ < math_.size() && math_[at_] >= '0' && math_[at_] <= '9') ++at_;
      if (at_ >= math_.size()) return Truncated();
      const std::string_view digits = math_.substr(first, at_ - first);
      int32_t value = 0;
      if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
        return InvalidArgument("For input string: \"" + std::string(digits) + "\"").WithType("number_format_exception");
      }
      count = value;
    }
    const std::optional<CalendarUnit> unit = FindUnit(math_[at_]);
    if (op == '/' && count != 1) {
      return ParseFailure("rounding `/` can only be used on single unit types [" + std::string(math_) + "]");
    }
    if (!unit) {
      return ParseFailure("unit [" + std::string(1, math_[at_]) + "] not supported for date math [" +
                          std::string(math_) + "]");
    }
    ++at_;
    if (op != '/') {
      ms = AddUnits(ms, *unit, op == '-' ? -count : count, zone_);
      return {};
    }
    ms = FloorToUnit(ms, *unit, zone_);
    if (rounding_ == Rounding::kUp) ms = AddUnits(ms, *unit, 1, zone_) - 1;
    return {};
  }
  Status Truncated() const { return ParseFailure("truncated date math [" + std::string(math_) + "]"); }

  std::string_view math_;
  const TimeZone& zone_;
  Rounding rounding_;
  size_t at_ = 0;
};

bool ReadDigits(std::string_view text, size_t at, size_t count, int64_t& out) {
  if (at + count > text.size()) return false;
  out = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    out = out * 10 + (text[i] - '0');
  }
  return true;
}

const DateFormat& DefaultFormat() {
  static const DateFormat format = [] { return DateFormat::Compile(kDefaultDateFormat).value(); }();
  return format;
}
const DateFormat& DefaultPrintFormat() {
  static const DateFormat format = [] { return DateFormat::Compile("strict_date_optional_time").value(); }();
  return format;
}

// Whether a text that no format took is an impossible day of a real month ("2020-02-30"), which has a message of its
// own.
std::optional<std::string> ImpossibleDay(std::string_view text) {
  constexpr std::string_view kNames[] = {"JANUARY", "FEBRUARY", "MARCH",     "APRIL",   "MAY",      "JUNE",
                                         "JULY",    "AUGUST",   "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"};
  int64_t year = 0, month = 0, day = 0;
  if (!ReadDigits(text, 0, 4, year) || !ReadDigits(text, 5, 2, month) || !ReadDigits(text, 8, 2, day))
    return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || month < 1 || month > 12 || day > 31) return std::nullopt;
  if (day <= DaysInMonth(year, static_cast<int>(month))) return std::nullopt;
  if (month == 2 && day == 29) return "Invalid date 'February 29' as '" + std::to_string(year) + "' is not a leap year";
  return "Invalid date '" + std::string(kNames[month - 1]) + " " + std::to_string(day) + "'";
}

}  // namespace

std::optional<int64_t> ParseIsoDate(std::string_view text) {
  constexpr int64_t kDayMs = 86'400'000;
  int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0;
  if (!ReadDigits(text, 0, 4, year) || !ReadDigits(text, 5, 2, month) || !ReadDigits(text, 8, 2, day))
    return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || month < 1 || month > 12) return std::nullopt;
  if (day < 1 || day > DaysInMonth(year, static_cast<int>(month))) return std::nullopt;
  const int64_t days = DaysFromCivil({year, static_cast<int>(month), static_cast<int>(day)});
  if (text.size() == 10) return days * kDayMs;
  if (text.size() < 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':') return std::nullopt;
  if (!ReadDigits(text, 11, 2, hour) || !ReadDigits(text, 14, 2, minute) || !ReadDigits(text, 17, 2, second))
    return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  if (text.size() == 24 && text[19] == '.' && ReadDigits(text, 20, 3, millis)) text.remove_prefix(4);
  if (text.size() != 20 || text[19] != 'Z') return std::nullopt;
  return days * kDayMs + ((hour * 60 + minute) * 60 + second) * 1000 + millis;
}

Result<int64_t> ParseFormatted(std::string_view text, const DateFormat& format, Rounding rounding,
                               const TimeZone& zone) {
  if (text.empty()) return InvalidArgument("cannot parse empty datetime").WithType("illegal_argument_exception");
  if (const auto ms = format.Parse(text, rounding, zone)) return *ms;
  if (format.text().find("date_optional_time") != std::string::npos) {
    if (auto impossible = ImpossibleDay(text))
      return InvalidArgument(std::move(*impossible)).WithType("date_time_exception");
  }
  return InvalidArgument("failed to parse date field [" + std::string(text) + "] with format [" + format.text() + "]")
      .WithType("illegal_argument_exception")
      .WithCause(InvalidArgument(format.ExplainFailure(text)).WithType("date_time_parse_exception"));
}

Result<int64_t> ParseDocumentDate(std::string_view text, const DateFormat* format) {
  if (format == nullptr) {
    if (const auto ms = ParseIsoDate(text)) return *ms;
  }
  return ParseFormatted(text, format == nullptr ? DefaultFormat() : *format, Rounding::kDown, TimeZone());
}

Result<int64_t> ParseDate(std::string_view text, const DateParseOptions& options) {
  TimeZone zone;
  if (!options.time_zone.empty()) {
    TIERCEL_TRY_ASSIGN(zone, TimeZone::Parse(options.time_zone));
  }
  if (text.starts_with("now")) return DateMath(text.substr(3), zone, options.rounding).Apply(options.now_ms);
  const size_t bars = text.find("||");
  const std::string_view math = bars == std::string_view::npos ? std::string_view() : text.substr(bars + 2);
  const std::string_view date = text.substr(0, bars);
  // With math behind it the date itself is exact: only the math rounds up.
  const Rounding rounding = math.empty() ? options.rounding : Rounding::kDown;
  std::optional<DateFormat> compiled;
  if (!options.format.empty() && options.format != kDefaultDateFormat) {
    TIERCEL_TRY_ASSIGN(compiled, DateFormat::Compile(options.format));
  }
  const DateFormat& format = compiled ? *compiled : DefaultFormat();
  auto ms = ParseFormatted(date, format, rounding, zone);
  if (!ms.ok()) {
    if (date.empty()) return ParseFailure(ms.error().message());
    Status cause = std::move(ms).status();
    return ParseFailure("failed to parse date field [" + std::string(date) + "] with format [" + format.text() +
                        "]: [" + cause.message() + "]")
        .WithCause(std::move(cause));
  }
  return DateMath(math, zone, options.rounding).Apply(*ms);
}

Result<std::string> FormatDate(int64_t ms, std::string_view format, std::string_view time_zone) {
  TimeZone zone;
  if (!time_zone.empty()) {
    TIERCEL_TRY_ASSIGN(zone, TimeZone::Parse(time_zone));
  }
  if (format.empty() || format == kDefaultDateFormat) return DefaultPrintFormat().Format(ms, zone);
  TIERCEL_TRY_ASSIGN(const DateFormat compiled, DateFormat::Compile(format));
  return compiled.Format(ms, zone);
}

}  // namespace tiercel::mapping
