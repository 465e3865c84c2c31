#include <unicode/basictz.h>
#include <unicode/timezone.h>
#include <unicode/unistr.h>

#include <charconv>
#include <cstdlib>

#include "tiercel/mapping/dates.h"

namespace tiercel::mapping {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// "+05:30", "-8", "+0530", "+05:30:15" → milliseconds.
std::optional<int64_t> ParseOffset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  int64_t parts[3] = {0, 0, 0};
  const bool colons = text.find(':') != std::string_view::npos;
  for (int part = 0; part < 3 && !text.empty(); ++part) {
    if (part > 0 && colons) {
      if (text[0] != ':') return std::nullopt;
      text.remove_prefix(1);
    }
    const size_t digits = part == 0 && (text.size() == 1 || text[1] == ':') ? 1 : 2;
    if (text.size() < digits) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, parts[part]);
    if (error != std::errc() || end != text.data() + digits) return std::nullopt;
    text.remove_prefix(digits);
  }
  if (!text.empty() || parts[0] > 18 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return sign * (parts[0] * kHourMs + parts[1] * kMinuteMs + parts[2] * kSecondMs);
}

std::string OffsetName(int64_t offset_ms) {
  if (offset_ms == 0) return "Z";
  const int64_t minutes = std::llabs(offset_ms) / kMinuteMs;
  char out[16];
  std::snprintf(out, sizeof out, "%c%02d:%02d", offset_ms < 0 ? '-' : '+', static_cast<int>(minutes / 60),
                static_cast<int>(minutes % 60));
  return out;
}

}  // namespace

int64_t DaysFromCivil(const CivilDate& date) {
  // Years counted from March, so that the leap day is the last of the year.
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

CivilDate CivilFromDays(int64_t days) {
  days += 719468;
  const int64_t era = FloorDivide(days, 146097);
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1)};
}

int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

int DayOfWeek(int64_t days) { return static_cast<int>(days + 3 - FloorDivide(days + 3, 7) * 7) + 1; }

struct TimeZone::Rules {
  std::unique_ptr<icu::TimeZone> zone;
};

Result<TimeZone> TimeZone::Parse(std::string_view name) {
  TimeZone zone;
  std::string_view offset = name;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (offset.starts_with(prefix)) {
      offset.remove_prefix(prefix.size());
      break;
    }
  }
  if (offset.empty() || offset == "Z") return zone;
  if (const auto fixed = ParseOffset(offset)) {
    zone.offset_ms_ = *fixed;
    zone.name_ = OffsetName(*fixed);
    return zone;
  }
  auto rules = std::make_shared<Rules>();
  rules->zone.reset(
      icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8({name.data(), static_cast<int32_t>(name.size())})));
  if (rules->zone == nullptr || *rules->zone == icu::TimeZone::getUnknown()) {
    return InvalidArgument("Unknown time-zone ID: " + std::string(name)).WithType("illegal_argument_exception");
  }
  zone.name_ = name;
  zone.rules_ = std::move(rules);
  return zone;
}

int64_t TimeZone::OffsetAt(int64_t utc_ms) const {
  if (fixed()) return offset_ms_;
  int32_t raw = 0, daylight = 0;
  UErrorCode error = U_ZERO_ERROR;
  rules_->zone->getOffset(static_cast<UDate>(utc_ms), false, raw, daylight, error);
  return raw + daylight;
}

int64_t TimeZone::ToUtc(int64_t local_ms) const {
  if (fixed()) return local_ms - offset_ms_;
  int32_t raw = 0, daylight = 0;
  UErrorCode error = U_ZERO_ERROR;
  const auto* zone = dynamic_cast<const icu::BasicTimeZone*>(rules_->zone.get());
  if (zone == nullptr) {
    rules_->zone->getOffset(static_cast<UDate>(local_ms), true, raw, daylight, error);
  } else {
    zone->getOffsetFromLocal(static_cast<UDate>(local_ms), UCAL_TZ_LOCAL_FORMER, UCAL_TZ_LOCAL_FORMER, raw, daylight,
                             error);
  }
  return local_ms - raw - daylight;
}

namespace {

// The start, on a wall clock, of the unit that `local_ms` lies in.
int64_t FloorLocal(int64_t local_ms, CalendarUnit unit) {
  const int64_t days = FloorDivide(local_ms, kDayMs);
  CivilDate date{};
  switch (unit) {
    case CalendarUnit::kMillisecond:
      return local_ms;
    case CalendarUnit::kSecond:
      return FloorDivide(local_ms, kSecondMs) * kSecondMs;
    case CalendarUnit::kMinute:
      return FloorDivide(local_ms, kMinuteMs) * kMinuteMs;
    case CalendarUnit::kHour:
      return FloorDivide(local_ms, kHourMs) * kHourMs;
    case CalendarUnit::kDay:
      return days * kDayMs;
    case CalendarUnit::kWeek:
      return (days - (DayOfWeek(days) - 1)) * kDayMs;
    default:
      date = CivilFromDays(days);
      break;
  }
  if (unit == CalendarUnit::kYear) date.month = 1;
  if (unit == CalendarUnit::kQuarter) date.month = (date.month - 1) / 3 * 3 + 1;
  date.day = 1;
  return DaysFromCivil(date) * kDayMs;
}

int64_t AddMonths(int64_t local_ms, int64_t count) {
  const int64_t days = FloorDivide(local_ms, kDayMs);
  CivilDate date = CivilFromDays(days);
  const int64_t months = date.year * 12 + date.month - 1 + count;
  date.year = FloorDivide(months, 12);
  date.month = static_cast<int>(months - date.year * 12) + 1;
  date.day = std::min(date.day, DaysInMonth(date.year, date.month));
  return DaysFromCivil(date) * kDayMs + (local_ms - days * kDayMs);
}

}  // namespace

int64_t FloorToUnit(int64_t utc_ms, CalendarUnit unit, const TimeZone& zone) {
  const int64_t offset = zone.OffsetAt(utc_ms);
  const int64_t local = FloorLocal(utc_ms + offset, unit);
  if (zone.fixed()) return local - offset;
  // Within a day an hour that clocks show twice is two hours; longer units start where their first day does.
  const int64_t same = local - offset;
  if (unit < CalendarUnit::kDay && zone.OffsetAt(same) == offset) return same;
  const int64_t start = zone.ToUtc(local);
  return start <= utc_ms ? start : same;
}

int64_t AddUnits(int64_t utc_ms, CalendarUnit unit, int64_t count, const TimeZone& zone) {
  switch (unit) {
    case CalendarUnit::kMillisecond:
      return utc_ms + count;
    case CalendarUnit::kSecond:
      return utc_ms + count * kSecondMs;
    case CalendarUnit::kMinute:
      return utc_ms + count * kMinuteMs;
    case CalendarUnit::kHour:
      return utc_ms + count * kHourMs;
    default:
      break;
  }
  const int64_t local = utc_ms + zone.OffsetAt(utc_ms);
  switch (unit) {
    case CalendarUnit::kDay:
      return zone.ToUtc(local + count * kDayMs);
    case CalendarUnit::kWeek:
      return zone.ToUtc(local + count * 7 * kDayMs);
    case CalendarUnit::kMonth:
      return zone.ToUtc(AddMonths(local, count));
    case CalendarUnit::kQuarter:
      return zone.ToUtc(AddMonths(local, count * 3));
    default:
      return zone.ToUtc(AddMonths(local, count * 12));
  }
}

}  // namespace tiercel::mapping
