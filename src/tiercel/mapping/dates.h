// Dates: calendars, time zones, formats.
//
// Instants are milliseconds since 1970-01-01T00:00Z in the proleptic Gregorian calendar, as Java's. Date math on top of
// these is ParseDate in values.h.
//
// Thread safety: everything here is immutable once made. Cost: the default format parses in some 30 ns; other formats
// are compiled once (keep the DateFormat) and then walk their pattern.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/mapping/values.h"

namespace tiercel::mapping {

inline constexpr std::string_view kDefaultDateFormat = "strict_date_optional_time||epoch_millis";

// ---- calendar ----

struct CivilDate {
  int64_t year;
  int month;  // 1..12
  int day;    // 1..31
};
int64_t DaysFromCivil(const CivilDate& date);
CivilDate CivilFromDays(int64_t days);
int DaysInMonth(int64_t year, int month);
// 1 Monday .. 7 Sunday
int DayOfWeek(int64_t days);

// ---- time zones ----

class TimeZone {
 public:
  TimeZone() = default;  // UTC
  // "Z", "UTC", "+05:30", "-08", "GMT+1", "Europe/Berlin".
  static Result<TimeZone> Parse(std::string_view name);

  bool fixed() const { return rules_ == nullptr; }
  int64_t OffsetAt(int64_t utc_ms) const;
  // The instant a wall clock shows `local_ms`. In a gap, what the clock would have shown without it; in an overlap the
  // earlier of the two.
  int64_t ToUtc(int64_t local_ms) const;
  // "Z", "+05:30", or the name of a region.
  const std::string& name() const { return name_; }

 private:
  struct Rules;
  std::string name_ = "Z";
  int64_t offset_ms_ = 0;
  std::shared_ptr<const Rules> rules_;
};

enum class CalendarUnit { kMillisecond, kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };

// The start of the unit `utc_ms` lies in, on the clocks of `zone`. Weeks start on Monday.
int64_t FloorToUnit(int64_t utc_ms, CalendarUnit unit, const TimeZone& zone);
// `count` units later (earlier when negative) on the clocks of `zone`; days that do not exist become the month's last.
int64_t AddUnits(int64_t utc_ms, CalendarUnit unit, int64_t count, const TimeZone& zone);

// ---- formats ----

class DateFormat {
 public:
  // Named formats ("strict_date_optional_time", "basic_date", "epoch_millis", ...) and java.time patterns
  // ("dd/MM/yyyy"), several of them separated by "||". InvalidArgument names what is wrong with a pattern.
  static Result<DateFormat> Compile(std::string_view formats);

  // The first alternative that takes the whole text. With kUp, a time of day the text leaves out is the last
  // millisecond of the day instead of the first. `zone` applies where the text names none. Nothing when no alternative
  // fits.
  std::optional<int64_t> Parse(std::string_view text, Rounding rounding, const TimeZone& zone) const;
  // Why Parse takes no such text, in java.time's words.
  std::string ExplainFailure(std::string_view text) const;
  // By the first alternative.
  std::string Format(int64_t utc_ms, const TimeZone& zone) const;
  const std::string& text() const { return text_; }

  struct Alternative;

 private:
  std::string text_;
  std::vector<std::shared_ptr<const Alternative>> alternatives_;
};

// The two shapes nearly all dates have, "2020-01-02" and "2020-01-02T03:04:05[.678]Z", without a format; nothing for
// others.
std::optional<int64_t> ParseIsoDate(std::string_view text);
// A text without date math, with the error a document gets: illegal_argument_exception and its cause.
Result<int64_t> ParseFormatted(std::string_view text, const DateFormat& format, Rounding rounding,
                               const TimeZone& zone);
// A document's value; `format` null means the default.
Result<int64_t> ParseDocumentDate(std::string_view text, const DateFormat* format);

}  // namespace tiercel::mapping
