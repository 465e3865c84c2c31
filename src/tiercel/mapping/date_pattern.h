// A date format compiled: the list of items a text is read or written by. Internal to the mapping module.
//
// Thread safety: immutable once compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"

namespace tiercel::mapping {

enum class DateItemKind : uint8_t {
  kLiteral,
  kOptional,  // the next `span` items may be missing as a whole
  kNumber,
  kFraction,       // digits behind the decimal point
  kPointFraction,  // '.' or ',' and up to nine digits
  kMonthText,
  kWeekdayText,
  kHalfDayText,  // AM, PM
  kOffset,
  kZoneName,
};

enum class DatePart : uint8_t {
  kYear,
  kYearShort,
  kMonth,
  kDay,
  kDayOfYear,
  kHour,
  kHourOf24,
  kHourOf12,
  kHourOf11,
  kMinute,
  kSecond,
  kMilliOfDay,
  kNano,
  kWeekYear,
  kWeek,
  kDayOfWeek,
  kQuarter,
};
inline constexpr size_t kDatePartCount = 17;

struct DateItem {
  DateItemKind kind;
  DatePart part = DatePart::kYear;
  int width_min = 0;
  int width_max = 0;
  bool full_text = false;   // "January" instead of "Jan"
  bool zulu = true;         // an offset of zero is "Z"
  bool colon = true;        // +05:30, not +0530
  bool any_offset = false;  // reads every style of offset
  uint32_t span = 0;        // items of an optional section
  std::string literal;
};

using DateItems = std::vector<DateItem>;

// A java.time pattern ("dd/MM/yyyy['T'HH]"). In patterns of our own, '#' stands for kPointFraction and '@' for an
// offset of any style. The error names the offending letter.
Result<DateItems> CompileDatePattern(std::string_view pattern, bool own);
// The pattern (of our own) behind a named format without its "strict_"; null when there is none of that name.
struct NamedDateFormat {
  std::string_view name;
  std::string_view pattern;
  std::string_view print_pattern;  // empty: the same
};
const NamedDateFormat* FindNamedDateFormat(std::string_view name);

}  // namespace tiercel::mapping
