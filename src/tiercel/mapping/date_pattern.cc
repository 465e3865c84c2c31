#include "tiercel/mapping/date_pattern.h"

#include <algorithm>
#include <cctype>

namespace tiercel::mapping {
namespace {

constexpr int kNumberWidthMax = 10;

constexpr NamedDateFormat kNamed[] = {
    {"date_optional_time", "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[#]]]][@]]", "uuuu-MM-dd'T'HH:mm:ss.SSSXXX"},
    {"date_optional_time_nanos", "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[#]]]][@]]", "uuuu-MM-dd'T'HH:mm:ss.SSSXXX"},
    {"iso8601", "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[#]]]][@]]", "uuuu-MM-dd'T'HH:mm:ss.SSSXXX"},
    {"rfc3339_lenient", "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[#]]]][@]]", "uuuu-MM-dd'T'HH:mm:ss.SSSXXX"},
    {"basic_date", "uuuuMMdd", ""},
    {"basic_date_time", "uuuuMMdd'T'HHmmss#@", "uuuuMMdd'T'HHmmss.SSSXX"},
    {"basic_date_time_no_millis", "uuuuMMdd'T'HHmmss@", "uuuuMMdd'T'HHmmssXX"},
    {"basic_ordinal_date", "uuuuDDD", ""},
    {"basic_ordinal_date_time", "uuuuDDD'T'HHmmss#@", "uuuuDDD'T'HHmmss.SSSXX"},
    {"basic_ordinal_date_time_no_millis", "uuuuDDD'T'HHmmss@", "uuuuDDD'T'HHmmssXX"},
    {"basic_time", "HHmmss#@", "HHmmss.SSSXX"},
    {"basic_time_no_millis", "HHmmss@", "HHmmssXX"},
    {"basic_t_time", "'T'HHmmss#@", "'T'HHmmss.SSSXX"},
    {"basic_t_time_no_millis", "'T'HHmmss@", "'T'HHmmssXX"},
    {"basic_week_date", "YYYY'W'wwe", ""},
    {"basic_week_date_time", "YYYY'W'wwe'T'HHmmss#@", "YYYY'W'wwe'T'HHmmss.SSSXX"},
    {"basic_week_date_time_no_millis", "YYYY'W'wwe'T'HHmmss@", "YYYY'W'wwe'T'HHmmssXX"},
    {"date", "uuuu-MM-dd", ""},
    {"date_hour", "uuuu-MM-dd'T'HH", ""},
    {"date_hour_minute", "uuuu-MM-dd'T'HH:mm", ""},
    {"date_hour_minute_second", "uuuu-MM-dd'T'HH:mm:ss", ""},
    {"date_hour_minute_second_fraction", "uuuu-MM-dd'T'HH:mm:ss#", "uuuu-MM-dd'T'HH:mm:ss.SSS"},
    {"date_hour_minute_second_millis", "uuuu-MM-dd'T'HH:mm:ss#", "uuuu-MM-dd'T'HH:mm:ss.SSS"},
    {"date_time", "uuuu-MM-dd'T'HH:mm:ss[#]@", "uuuu-MM-dd'T'HH:mm:ss.SSSXXX"},
    {"date_time_no_millis", "uuuu-MM-dd'T'HH:mm:ss@", "uuuu-MM-dd'T'HH:mm:ssXXX"},
    {"hour", "HH", ""},
    {"hour_minute", "HH:mm", ""},
    {"hour_minute_second", "HH:mm:ss", ""},
    {"hour_minute_second_fraction", "HH:mm:ss#", "HH:mm:ss.SSS"},
    {"hour_minute_second_millis", "HH:mm:ss#", "HH:mm:ss.SSS"},
    {"ordinal_date", "uuuu-DDD", ""},
    {"ordinal_date_time", "uuuu-DDD'T'HH:mm:ss#@", "uuuu-DDD'T'HH:mm:ss.SSSXXX"},
    {"ordinal_date_time_no_millis", "uuuu-DDD'T'HH:mm:ss@", "uuuu-DDD'T'HH:mm:ssXXX"},
    {"time", "HH:mm:ss#@", "HH:mm:ss.SSSXXX"},
    {"time_no_millis", "HH:mm:ss@", "HH:mm:ssXXX"},
    {"t_time", "'T'HH:mm:ss#@", "'T'HH:mm:ss.SSSXXX"},
    {"t_time_no_millis", "'T'HH:mm:ss@", "'T'HH:mm:ssXXX"},
    {"week_date", "YYYY-'W'ww-e", ""},
    {"week_date_time", "YYYY-'W'ww-e'T'HH:mm:ss#@", "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX"},
    {"week_date_time_no_millis", "YYYY-'W'ww-e'T'HH:mm:ss@", "YYYY-'W'ww-e'T'HH:mm:ssXXX"},
    {"weekyear", "YYYY", ""},
    {"week_year", "YYYY", ""},
    {"weekyear_week", "YYYY-'W'ww", ""},
    {"weekyear_week_day", "YYYY-'W'ww-e", ""},
    {"year", "uuuu", ""},
    {"year_month", "uuuu-MM", ""},
    {"year_month_day", "uuuu-MM-dd", ""},
};

// Turns a pattern into items, one run of equal letters at a time.
class PatternCompiler {
 public:
  PatternCompiler(std::string_view pattern, bool own) : pattern_(pattern), own_(own) {}

  Result<DateItems> Run() {
    while (at_ < pattern_.size()) TIERCEL_TRY(Step());
    if (!open_.empty()) return InvalidArgument("Pattern ends with an open optional section: " + std::string(pattern_));
    FixAdjacentWidths();
    return std::move(items_);
  }

 private:
  Status Step() {
    const char c = pattern_[at_];
    if (c == '\'') return Quoted();
    if (c == '[') {
      ++at_;
      open_.push_back(items_.size());
      Add(DateItemKind::kOptional);
      return {};
    }
    if (c == ']') {
      ++at_;
      if (open_.empty()) return InvalidArgument("Pattern invalid as it contains ] without previous [");
      items_[open_.back()].span = static_cast<uint32_t>(items_.size() - open_.back() - 1);
      open_.pop_back();
      return {};
    }
    if (own_ && (c == '#' || c == '@')) {
      ++at_;
      DateItem& item = Add(c == '#' ? DateItemKind::kPointFraction : DateItemKind::kOffset);
      item.any_offset = true;
      return {};
    }
    if (std::isalpha(static_cast<unsigned char>(c))) return Letters(c);
    if (c == '{' || c == '}' || c == '#')
      return InvalidArgument(std::string("Pattern includes reserved character: '") + c + "'");
    Literal(c);
    ++at_;
    return {};
  }

  Status Quoted() {
    size_t at = at_ + 1;
    if (at < pattern_.size() && pattern_[at] == '\'') {
      Literal('\'');
      at_ += 2;
      return {};
    }
    for (;; ++at) {
      if (at >= pattern_.size())
        return InvalidArgument("Pattern ends with an incomplete string literal: " + std::string(pattern_));
      if (pattern_[at] == '\'') {
        if (at + 1 >= pattern_.size() || pattern_[at + 1] != '\'') break;
        ++at;
      }
      Literal(pattern_[at]);
    }
    at_ = at + 1;
    return {};
  }

  Status Letters(char letter) {
    int count = 0;
    while (at_ < pattern_.size() && pattern_[at_] == letter) {
      ++at_;
      ++count;
    }
    switch (letter) {
      case 'y':
      case 'u':
        return Year(count);
      case 'Y':
        return Number(DatePart::kWeekYear, count, count == 4 ? 4 : kNumberWidthMax);
      case 'M':
      case 'L':
        if (count >= 3) return Text(DateItemKind::kMonthText, count == 4);
        return Number(DatePart::kMonth, count, 2);
      case 'd':
        return Number(DatePart::kDay, count, 2);
      case 'D':
        return Number(DatePart::kDayOfYear, count, 3);
      case 'E':
        return Text(DateItemKind::kWeekdayText, count == 4);
      case 'e':
      case 'c':
        if (count >= 3) return Text(DateItemKind::kWeekdayText, count == 4);
        return Number(DatePart::kDayOfWeek, count, 2);
      case 'a':
        return Text(DateItemKind::kHalfDayText, false);
      case 'H':
        return Number(DatePart::kHour, count, 2);
      case 'k':
        return Number(DatePart::kHourOf24, count, 2);
      case 'K':
        return Number(DatePart::kHourOf11, count, 2);
      case 'h':
        return Number(DatePart::kHourOf12, count, 2);
      case 'm':
        return Number(DatePart::kMinute, count, 2);
      case 's':
        return Number(DatePart::kSecond, count, 2);
      case 'A':
        return Number(DatePart::kMilliOfDay, count, kNumberWidthMax);
      case 'n':
        return Number(DatePart::kNano, count, 9);
      case 'w':
        return Number(DatePart::kWeek, count, 2);
      case 'Q':
      case 'q':
        return Number(DatePart::kQuarter, count, 2);
      case 'S': {
        DateItem& item = Add(DateItemKind::kFraction);
        item.width_min = item.width_max = std::min(count, 9);
        return {};
      }
      case 'X':
      case 'x':
      case 'Z':
        return Offset(letter, count);
      case 'z':
      case 'V':
      case 'v':
      case 'O':
        Add(DateItemKind::kZoneName);
        return {};
      default:
        return InvalidArgument(std::string("Unknown pattern letter: ") + letter);
    }
  }

  Status Year(int count) {
    if (count == 2) return Number(DatePart::kYearShort, 2, 2);
    TIERCEL_TRY(Number(DatePart::kYear, count, std::max(count, kNumberWidthMax)));
    items_.back().width_max = std::max(count, kNumberWidthMax);
    return {};
  }
  Status Number(DatePart part, int count, int width_max) {
    if (count > width_max) return InvalidArgument("Too many pattern letters: " + std::string(1, pattern_[at_ - 1]));
    DateItem& item = Add(DateItemKind::kNumber);
    item.part = part;
    item.width_min = count;
    // One letter takes as many digits as there are, several as many as there are letters.
    item.width_max = count == 1 ? width_max : count;
    return {};
  }
  Status Text(DateItemKind kind, bool full) {
    Add(kind).full_text = full;
    return {};
  }
  Status Offset(char letter, int count) {
    if (count > 5) return InvalidArgument("Too many pattern letters: " + std::string(1, letter));
    DateItem& item = Add(DateItemKind::kOffset);
    item.zulu = letter == 'X' || (letter == 'Z' && count == 5);
    item.colon = letter == 'Z' ? count == 5 : count == 3 || count == 5;
    item.width_min = letter != 'Z' && count == 1 ? 1 : 2;  // 1: minutes only when they are not zero
    return {};
  }

  void Literal(char c) {
    if (items_.empty() || items_.back().kind != DateItemKind::kLiteral || SectionJustOpened())
      Add(DateItemKind::kLiteral);
    items_.back().literal += c;
  }
  // Whether the last item lies outside the section that is open now, or ended one.
  bool SectionJustOpened() const {
    if (!open_.empty() && open_.back() + 1 == items_.size()) return true;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].kind == DateItemKind::kOptional && items_[i].span != 0 && i + items_[i].span + 1 == items_.size())
        return true;
    }
    return false;
  }
  DateItem& Add(DateItemKind kind) {
    items_.push_back({});
    items_.back().kind = kind;
    return items_.back();
  }
  // A number that digits of another follow directly takes exactly its letters.
  void FixAdjacentWidths() {
    for (size_t i = 0; i + 1 < items_.size(); ++i) {
      const bool digits = items_[i + 1].kind == DateItemKind::kNumber || items_[i + 1].kind == DateItemKind::kFraction;
      if (items_[i].kind == DateItemKind::kNumber && digits && items_[i].width_min > 1)
        items_[i].width_max = items_[i].width_min;
    }
  }

  std::string_view pattern_;
  bool own_;
  size_t at_ = 0;
  DateItems items_;
  std::vector<size_t> open_;
};

}  // namespace

Result<DateItems> CompileDatePattern(std::string_view pattern, bool own) { return PatternCompiler(pattern, own).Run(); }

const NamedDateFormat* FindNamedDateFormat(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNamed), std::end(kNamed),
                                   [name](const NamedDateFormat& row) { return row.name == name; });
  return found == std::end(kNamed) ? nullptr : found;
}

}  // namespace tiercel::mapping
