#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "tiercel/mapping/date_pattern.h"
#include "tiercel/mapping/dates.h"

namespace tiercel::mapping {
namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kWeekdays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// What a text says, part by part.
struct DateFields {
  std::optional<int64_t> parts[kDatePartCount];
  std::optional<int> half_day;  // 0 AM, 1 PM
  std::optional<TimeZone> zone;
  std::optional<int64_t>& operator[](DatePart part) { return parts[static_cast<size_t>(part)]; }
  std::optional<int64_t> operator[](DatePart part) const { return parts[static_cast<size_t>(part)]; }
};

// Reads a text by the items of a format.
class DateReader {
 public:
  DateReader(const DateItems& items, std::string_view text, bool lenient)
      : items_(items), text_(text), lenient_(lenient) {}

  bool Read(DateFields& out) { return ReadItems(0, items_.size(), out) && at_ == text_.size(); }
  // After a Read that failed: where, and whether everything before the end of the format was there.
  size_t stopped_at() const { return stopped_ ? *stopped_ : at_; }
  bool complete() const { return !stopped_; }

 private:
  bool ReadItems(size_t first, size_t end, DateFields& out) {
    for (size_t i = first; i < end; ++i) {
      const DateItem& item = items_[i];
      if (item.kind == DateItemKind::kOptional) {
        const size_t before = at_;
        DateFields attempt = out;
        const bool matched = ReadItems(i + 1, i + 1 + item.span, attempt);
        stopped_.reset();
        if (matched)
          out = std::move(attempt);
        else
          at_ = before;
        i += item.span;
      } else {
        const size_t before = at_;
        if (!ReadItem(item, out)) {
          stopped_ = before;
          return false;
        }
      }
    }
    return true;
  }

  bool ReadItem(const DateItem& item, DateFields& out) {
    switch (item.kind) {
      case DateItemKind::kLiteral:
        return Take(item.literal);
      case DateItemKind::kNumber:
        return ReadNumber(item, out[item.part]);
      case DateItemKind::kPointFraction:
        if (at_ == text_.size() || (text_[at_] != '.' && text_[at_] != ',')) return false;
        ++at_;
        return ReadFraction(1, 9, out);
      case DateItemKind::kFraction:
        return ReadFraction(item.width_min, item.width_max, out);
      case DateItemKind::kMonthText:
        return ReadText(kMonths, item.full_text, out[DatePart::kMonth]);
      case DateItemKind::kWeekdayText:
        return ReadText(kWeekdays, item.full_text, out[DatePart::kDayOfWeek]);
      case DateItemKind::kHalfDayText:
        if (Take("AM"))
          out.half_day = 0;
        else if (Take("PM"))
          out.half_day = 1;
        else
          return false;
        return true;
      case DateItemKind::kOffset:
        return ReadOffset(item, out);
      case DateItemKind::kZoneName:
        return ReadZone(out);
      case DateItemKind::kOptional:
        break;
    }
    return false;
  }

  bool Take(std::string_view literal) {
    if (text_.substr(at_, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }

  bool ReadNumber(const DateItem& item, std::optional<int64_t>& out) {
    const bool year = item.part == DatePart::kYear || item.part == DatePart::kWeekYear;
    bool negative = false, plus = false;
    if (year && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) {
      negative = text_[at_] == '-';
      plus = !negative;
      ++at_;
    }
    int64_t value = 0;
    int digits = 0;
    const int most = lenient_ && year ? 9 : item.width_max;
    for (; digits < most && at_ < text_.size() && IsDigit(text_[at_]); ++digits, ++at_) {
      value = value * 10 + (text_[at_] - '0');
    }
    if (digits < (lenient_ ? 1 : item.width_min)) return false;
    // A year of more digits than its pattern has letters needs a sign, and "+" needs such a year.
    const bool wide = digits > item.width_min;
    if (year && item.width_min >= 4 && !negative && !lenient_ && wide != plus) return false;
    out = negative ? -value : value;
    if (item.part == DatePart::kYearShort) *out += 2000;
    return true;
  }

  bool ReadFraction(int width_min, int width_max, DateFields& out) {
    int64_t nanos = 0;
    int digits = 0;
    for (; digits < width_max && at_ < text_.size() && IsDigit(text_[at_]); ++digits, ++at_)
      nanos = nanos * 10 + (text_[at_] - '0');
    if (digits < width_min) return false;
    for (int i = digits; i < 9; ++i) nanos *= 10;
    out[DatePart::kNano] = nanos;
    return true;
  }

  template <size_t N>
  bool ReadText(const std::string_view (&names)[N], bool full, std::optional<int64_t>& out) {
    for (size_t i = 0; i < N; ++i) {
      if (!Take(full ? names[i] : names[i].substr(0, 3))) continue;
      out = static_cast<int64_t>(i) + 1;
      return true;
    }
    return false;
  }

  bool ReadOffset(const DateItem& item, DateFields& out) {
    if ((item.any_offset || item.zulu) && Take("Z")) {
      out.zone = TimeZone();
      return true;
    }
    const size_t first = at_;
    if (first == text_.size() || (text_[first] != '+' && text_[first] != '-')) return item.any_offset && ReadZone(out);
    size_t end = first + 1;
    while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == ':') && end - first < 9) ++end;
    const std::string_view offset = text_.substr(first, end - first);
    const bool colon = offset.find(':') != std::string_view::npos;
    if (!item.any_offset &&
        (offset.size() < 3 || (colon != item.colon && !(offset.size() == 3 && item.width_min == 1))))
      return false;
    auto zone = TimeZone::Parse(offset);
    if (!zone.ok() || offset.size() < 3) return false;
    out.zone = std::move(zone).value();
    at_ = end;
    return true;
  }

  bool ReadZone(DateFields& out) {
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) ||
                                  std::string_view("/_+-:").find(text_[end]) != std::string_view::npos))
      ++end;
    if (end == at_) return false;
    auto zone = TimeZone::Parse(text_.substr(at_, end - at_));
    if (!zone.ok()) return false;
    out.zone = std::move(zone).value();
    at_ = end;
    return true;
  }

  const DateItems& items_;
  std::string_view text_;
  bool lenient_;
  size_t at_ = 0;
  std::optional<size_t> stopped_;
};

bool InRange(std::optional<int64_t> value, int64_t low, int64_t high) {
  return !value || (*value >= low && *value <= high);
}

// The day of a week date: weeks start on Monday and belong to the year their Thursday lies in.
int64_t DayOfWeekDate(int64_t year, int64_t week, int64_t weekday) {
  const int64_t fourth = DaysFromCivil({year, 1, 4});
  return fourth - (DayOfWeek(fourth) - 1) + (week - 1) * 7 + (weekday - 1);
}

// A day the text leaves out is the first one, even when rounding up: only the time of day becomes the latest.
std::optional<int64_t> ResolveDay(const DateFields& fields) {
  if (fields[DatePart::kWeekYear] || fields[DatePart::kWeek]) {
    if (!InRange(fields[DatePart::kWeek], 1, 53) || !InRange(fields[DatePart::kDayOfWeek], 1, 7)) return std::nullopt;
    const int64_t year = fields[DatePart::kWeekYear].value_or(1970);
    return DayOfWeekDate(year, fields[DatePart::kWeek].value_or(1), fields[DatePart::kDayOfWeek].value_or(1));
  }
  const int64_t year = fields[DatePart::kYear] ? *fields[DatePart::kYear] : fields[DatePart::kYearShort].value_or(1970);
  if (const auto day = fields[DatePart::kDayOfYear]) {
    const int64_t length = DaysFromCivil({year + 1, 1, 1}) - DaysFromCivil({year, 1, 1});
    if (*day < 1 || *day > length) return std::nullopt;
    return DaysFromCivil({year, 1, 1}) + *day - 1;
  }
  std::optional<int64_t> month = fields[DatePart::kMonth];
  if (!month && fields[DatePart::kQuarter]) month = *fields[DatePart::kQuarter] * 3 - 2;
  if (!month) month = 1;
  if (!InRange(month, 1, 12)) return std::nullopt;
  const int length = DaysInMonth(year, static_cast<int>(*month));
  const int64_t day = fields[DatePart::kDay].value_or(1);
  if (day < 1 || day > length) return std::nullopt;
  return DaysFromCivil({year, static_cast<int>(*month), static_cast<int>(day)});
}

std::optional<int64_t> ResolveTime(const DateFields& fields, bool up) {
  if (fields[DatePart::kMilliOfDay]) return fields[DatePart::kMilliOfDay];
  std::optional<int64_t> hour = fields[DatePart::kHour];
  if (fields[DatePart::kHourOf24]) hour = *fields[DatePart::kHourOf24] % 24;
  std::optional<int64_t> half = fields[DatePart::kHourOf11];
  if (fields[DatePart::kHourOf12]) half = *fields[DatePart::kHourOf12] % 12;
  if (!InRange(fields[DatePart::kHourOf12], 1, 12) || !InRange(fields[DatePart::kHourOf24], 1, 24)) return std::nullopt;
  if (!hour && half) hour = *half + 12 * fields.half_day.value_or(0);
  if (!InRange(hour, 0, 23) || !InRange(fields[DatePart::kMinute], 0, 59) || !InRange(fields[DatePart::kSecond], 0, 59))
    return std::nullopt;
  const int64_t minute = fields[DatePart::kMinute].value_or(up ? 59 : 0);
  const int64_t second = fields[DatePart::kSecond].value_or(up ? 59 : 0);
  const int64_t nanos = fields[DatePart::kNano].value_or(up ? 999'999'999 : 0);
  return ((hour.value_or(up ? 23 : 0) * 60 + minute) * 60 + second) * 1000 + nanos / 1'000'000;
}

std::optional<int64_t> Resolve(const DateFields& fields, bool up, const TimeZone& zone) {
  const auto day = ResolveDay(fields);
  const auto time = ResolveTime(fields, up);
  if (!day || !time) return std::nullopt;
  return (fields.zone ? *fields.zone : zone).ToUtc(*day * kDayMs + *time);
}

// "1577836800000", "-5", "1577836800.5": `unit_ms` says how many milliseconds one is.
std::optional<int64_t> ParseEpoch(std::string_view text, int64_t unit_ms, bool up) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || whole < 0 || whole > INT64_MAX / unit_ms - 1) return std::nullopt;
  int64_t ms = whole * unit_ms;
  bool lost = false;  // a fraction of a millisecond
  std::string_view fraction = text.substr(static_cast<size_t>(end - text.data()));
  if (fraction.starts_with('.')) {
    fraction.remove_prefix(1);
    int64_t scale = unit_ms / 10;
    for (const char c : fraction) {
      if (!IsDigit(c)) return std::nullopt;
      ms += (c - '0') * scale;
      lost = lost || (scale == 0 && c != '0');
      scale /= 10;
    }
  } else if (!fraction.empty()) {
    return std::nullopt;
  } else if (up && unit_ms > 1) {
    ms += negative ? 0 : unit_ms - 1;
  }
  return negative ? -ms - (lost ? 1 : 0) : ms;
}

void AppendPadded(int64_t value, int width, std::string& out) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%0*lld", width, static_cast<long long>(value));
  out += digits;
}

// Writes an instant by the items of a format.
class DatePrinter {
 public:
  DatePrinter(int64_t utc_ms, const TimeZone& zone) : zone_(zone), offset_(zone.OffsetAt(utc_ms)) {
    const int64_t local = utc_ms + offset_;
    days_ = local / kDayMs - (local % kDayMs < 0 ? 1 : 0);
    ms_of_day_ = local - days_ * kDayMs;
    date_ = CivilFromDays(days_);
  }

  std::string Print(const DateItems& items) const {
    std::string out;
    for (const DateItem& item : items) PrintItem(item, out);
    return out;
  }

 private:
  void PrintItem(const DateItem& item, std::string& out) const {
    switch (item.kind) {
      case DateItemKind::kOptional:
        return;
      case DateItemKind::kLiteral:
        out += item.literal;
        return;
      case DateItemKind::kNumber:
        return PrintNumber(item, out);
      case DateItemKind::kPointFraction:
        out += '.';
        return AppendPadded(ms_of_day_ % 1000, 3, out);
      case DateItemKind::kFraction: {
        std::string digits;
        AppendPadded(ms_of_day_ % 1000, 3, digits);
        digits.resize(static_cast<size_t>(item.width_min), '0');
        out += digits;
        return;
      }
      case DateItemKind::kMonthText:
        out += Shown(kMonths[date_.month - 1], item.full_text);
        return;
      case DateItemKind::kWeekdayText:
        out += Shown(kWeekdays[DayOfWeek(days_) - 1], item.full_text);
        return;
      case DateItemKind::kHalfDayText:
        out += ms_of_day_ < kDayMs / 2 ? "AM" : "PM";
        return;
      case DateItemKind::kOffset:
        return PrintOffset(item, out);
      case DateItemKind::kZoneName:
        out += zone_.name();
        return;
    }
  }

  static std::string_view Shown(std::string_view name, bool full) { return full ? name : name.substr(0, 3); }

  void PrintNumber(const DateItem& item, std::string& out) const {
    const int64_t value = PartValue(item.part);
    if (value < 0) out += '-';
    const bool year = item.part == DatePart::kYear || item.part == DatePart::kWeekYear;
    if (year && value > 9999 && item.width_min == 4) out += '+';
    AppendPadded(value < 0 ? -value : value, item.width_min, out);
  }

  int64_t PartValue(DatePart part) const {
    const int64_t hour = ms_of_day_ / 3'600'000;
    switch (part) {
      case DatePart::kYear:
        return date_.year;
      case DatePart::kYearShort:
        return ((date_.year % 100) + 100) % 100;
      case DatePart::kMonth:
        return date_.month;
      case DatePart::kDay:
        return date_.day;
      case DatePart::kDayOfYear:
        return days_ - DaysFromCivil({date_.year, 1, 1}) + 1;
      case DatePart::kHour:
        return hour;
      case DatePart::kHourOf24:
        return hour == 0 ? 24 : hour;
      case DatePart::kHourOf12:
        return hour % 12 == 0 ? 12 : hour % 12;
      case DatePart::kHourOf11:
        return hour % 12;
      case DatePart::kMinute:
        return ms_of_day_ / 60'000 % 60;
      case DatePart::kSecond:
        return ms_of_day_ / 1000 % 60;
      case DatePart::kMilliOfDay:
        return ms_of_day_;
      case DatePart::kNano:
        return ms_of_day_ % 1000 * 1'000'000;
      case DatePart::kWeekYear:
        return WeekYear();
      case DatePart::kWeek:
        return (days_ - DayOfWeekDate(WeekYear(), 1, 1)) / 7 + 1;
      case DatePart::kDayOfWeek:
        return DayOfWeek(days_);
      case DatePart::kQuarter:
        return (date_.month - 1) / 3 + 1;
    }
    return 0;
  }
  // The year of the week's Thursday.
  int64_t WeekYear() const { return CivilFromDays(days_ - DayOfWeek(days_) + 4).year; }

  void PrintOffset(const DateItem& item, std::string& out) const {
    if (offset_ == 0 && (item.zulu || item.any_offset)) {
      out += 'Z';
      return;
    }
    const int64_t minutes = (offset_ < 0 ? -offset_ : offset_) / 60'000;
    out += offset_ < 0 ? '-' : '+';
    AppendPadded(minutes / 60, 2, out);
    if (item.width_min == 1 && minutes % 60 == 0) return;
    if (item.colon) out += ':';
    AppendPadded(minutes % 60, 2, out);
  }

  const TimeZone& zone_;
  int64_t offset_;
  int64_t days_;
  int64_t ms_of_day_;
  CivilDate date_{};
};

}  // namespace

struct DateFormat::Alternative {
  enum class Kind { kPattern, kEpochMillis, kEpochSecond } kind = Kind::kPattern;
  bool lenient = false;  // named formats without "strict_" take fewer digits
  DateItems read;
  DateItems print;
};

namespace {

Result<DateFormat::Alternative> CompileAlternative(std::string_view format) {
  using Kind = DateFormat::Alternative::Kind;
  DateFormat::Alternative out;
  if (format == "epoch_millis" || format == "epoch_second") {
    out.kind = format == "epoch_millis" ? Kind::kEpochMillis : Kind::kEpochSecond;
    return out;
  }
  std::string_view name = format;
  const bool strict = name.starts_with("strict_");
  if (strict) name.remove_prefix(7);
  if (const NamedDateFormat* named = FindNamedDateFormat(name)) {
    out.lenient = !strict && !name.starts_with("basic_");
    TIERCEL_TRY_ASSIGN(out.read, CompileDatePattern(named->pattern, true));
    TIERCEL_TRY_ASSIGN(out.print,
                       CompileDatePattern(named->print_pattern.empty() ? named->pattern : named->print_pattern, true));
    return out;
  }
  auto items = CompileDatePattern(format, false);
  if (!items.ok()) {
    return InvalidArgument("Invalid format: [" + std::string(format) + "]: " + items.error().message())
        .WithCause(std::move(items).status());
  }
  out.read = std::move(items).value();
  out.print = out.read;
  return out;
}

}  // namespace

Result<DateFormat> DateFormat::Compile(std::string_view formats) {
  DateFormat out;
  out.text_ = formats;
  for (size_t at = 0; at <= formats.size();) {
    const size_t end = std::min(formats.find("||", at), formats.size());
    const std::string_view one = formats.substr(at, end - at);
    if (one.empty()) return InvalidArgument("No date pattern provided");
    TIERCEL_TRY_ASSIGN(Alternative alternative, CompileAlternative(one));
    out.alternatives_.push_back(std::make_shared<const Alternative>(std::move(alternative)));
    at = end + 2;
  }
  return out;
}

std::optional<int64_t> DateFormat::Parse(std::string_view text, Rounding rounding, const TimeZone& zone) const {
  const bool up = rounding == Rounding::kUp;
  for (const auto& alternative : alternatives_) {
    if (alternative->kind != Alternative::Kind::kPattern) {
      const bool millis = alternative->kind == Alternative::Kind::kEpochMillis;
      if (const auto ms = ParseEpoch(text, millis ? 1 : 1000, up)) return ms;
      continue;
    }
    DateFields fields;
    if (!DateReader(alternative->read, text, alternative->lenient).Read(fields)) continue;
    if (const auto ms = Resolve(fields, up, zone)) return ms;
  }
  return std::nullopt;
}

std::string DateFormat::ExplainFailure(std::string_view text) const {
  if (alternatives_.size() != 1 || alternatives_[0]->kind != Alternative::Kind::kPattern) {
    return "Failed to parse with all enclosed parsers";
  }
  DateFields fields;
  DateReader reader(alternatives_[0]->read, text, alternatives_[0]->lenient);
  const bool taken = reader.Read(fields);
  const std::string shown = "Text '" + std::string(text) + "' could not be parsed";
  if (taken) return shown + ": invalid date";
  const std::string index = std::to_string(reader.stopped_at());
  return reader.complete() ? shown + ", unparsed text found at index " + index : shown + " at index " + index;
}

std::string DateFormat::Format(int64_t utc_ms, const TimeZone& zone) const {
  const Alternative& first = *alternatives_.front();
  switch (first.kind) {
    case Alternative::Kind::kEpochMillis:
      return std::to_string(utc_ms);
    case Alternative::Kind::kEpochSecond: {
      const int64_t seconds = utc_ms / 1000 - (utc_ms % 1000 < 0 ? 1 : 0);
      const int64_t rest = utc_ms - seconds * 1000;
      std::string out = std::to_string(seconds);
      if (rest != 0) {
        out += '.';
        AppendPadded(rest, 3, out);
        out.erase(out.find_last_not_of('0') + 1);
      }
      return out;
    }
    case Alternative::Kind::kPattern:
      break;
  }
  return DatePrinter(utc_ms, zone).Print(first.print);
}

}  // namespace tiercel::mapping
