#include "tiercel/search/aggs/date_rounding.h"

#include <gtest/gtest.h>

#include "tiercel/base/random.h"
#include "tiercel/mapping/values.h"

namespace tiercel::search::aggs {
namespace {

using mapping::CalendarUnit;

mapping::TimeZone Zone(std::string_view name) { return mapping::TimeZone::Parse(name).value(); }
int64_t Ms(std::string_view text) { return mapping::ParseDate(text, {}).value(); }
std::string Text(int64_t ms, std::string_view zone) { return mapping::FormatDate(ms, "", zone).value(); }

constexpr int64_t kHour = 3'600'000, kDay = 24 * kHour;

std::vector<DateRounding> ManyRoundings() {
  std::vector<DateRounding> roundings;
  for (const char* zone :
       {"UTC", "+05:30", "America/New_York", "Europe/Paris", "America/Sao_Paulo", "Australia/Lord_Howe"}) {
    for (const int64_t offset : {int64_t{0}, 6 * kHour, -kDay}) {
      for (const CalendarUnit unit : {CalendarUnit::kHour, CalendarUnit::kDay, CalendarUnit::kWeek,
                                      CalendarUnit::kMonth, CalendarUnit::kQuarter, CalendarUnit::kYear}) {
        roundings.push_back(DateRounding::Calendar(unit, Zone(zone), offset));
      }
      for (const int64_t interval : {kHour, 12 * kHour, 90 * kHour / 60, 7 * kDay, 365 * kDay}) {
        roundings.push_back(DateRounding::Fixed(interval, Zone(zone), offset));
      }
    }
  }
  return roundings;
}

TEST(DateRoundingTest, IntervalsCoverTimeWithoutGaps) {
  Random random(1);
  for (const DateRounding& rounding : ManyRoundings()) {
    for (int i = 0; i < 20; ++i) {
      const int64_t ms =
          Ms("1999-01-01") + static_cast<int64_t>(random.Below(26ULL * 365 * static_cast<uint64_t>(kDay)));
      const int64_t start = rounding.Floor(ms), next = rounding.Next(start);
      ASSERT_LE(start, ms);
      ASSERT_EQ(rounding.Floor(start), start) << Text(start, "UTC");
      ASSERT_GT(next, ms) << Text(ms, "UTC");
      ASSERT_EQ(rounding.Floor(next), next);
      ASSERT_EQ(rounding.Floor(next - 1), start);
    }
  }
}

TEST(DateRoundingTest, PreparedAnswersAreTheSame) {
  Random random(2);
  int numbered = 0;
  for (const DateRounding& rounding : ManyRoundings()) {
    const int64_t low = Ms("2018-03-04T05:06:07.008Z"), high = low + 400 * kDay;
    const PreparedRounding prepared(rounding, low, high);
    if (prepared.count() == 0) continue;
    ++numbered;
    for (int i = 0; i < 300; ++i) {
      const int64_t ms = i == 0   ? low
                         : i == 1 ? high
                                  : low + static_cast<int64_t>(random.Below(static_cast<uint64_t>(high - low)));
      const uint32_t number = prepared.Number(ms);
      ASSERT_LT(number, prepared.count());
      ASSERT_EQ(prepared.Start(number), rounding.Floor(ms)) << Text(ms, "UTC");
    }
  }
  EXPECT_GT(numbered, 150);
}

TEST(DateRoundingTest, TooManyIntervalsAreNotNumbered) {
  EXPECT_EQ(PreparedRounding(DateRounding::Fixed(1, {}, 0), 0, 1'000'000).count(), 0u);
  EXPECT_EQ(
      PreparedRounding(DateRounding::Calendar(CalendarUnit::kHour, Zone("Europe/Paris"), 0), 0, 40'000 * kDay).count(),
      0u);
  EXPECT_EQ(PreparedRounding(DateRounding::Fixed(1, {}, 0), 1, 0).count(), 0u) << "no values";
}

// What Elasticsearch 9.2 made of the nights the clocks change.
TEST(DateRoundingTest, FollowsTheClocks) {
  const auto starts = [](const DateRounding& rounding, std::string_view zone, std::string_view from, int count) {
    std::vector<std::string> texts;
    for (int64_t key = rounding.Floor(Ms(from)); count > 0; --count, key = rounding.Next(key))
      texts.push_back(Text(key, zone));
    return texts;
  };
  using Texts = std::vector<std::string>;
  const auto new_york = Zone("America/New_York");
  EXPECT_EQ(starts(DateRounding::Fixed(12 * kHour, new_york, 0), "America/New_York", "2020-03-08T05:00:00Z", 3),
            (Texts{"2020-03-08T00:00:00.000-05:00", "2020-03-08T12:00:00.000-04:00", "2020-03-09T00:00:00.000-04:00"}));
  EXPECT_EQ(starts(DateRounding::Fixed(2 * kHour, new_york, 0), "America/New_York", "2020-03-08T05:00:00Z", 3),
            (Texts{"2020-03-08T00:00:00.000-05:00", "2020-03-08T03:00:00.000-04:00", "2020-03-08T04:00:00.000-04:00"}));
  EXPECT_EQ(starts(DateRounding::Fixed(2 * kHour, new_york, 0), "America/New_York", "2020-11-01T04:00:00Z", 3),
            (Texts{"2020-11-01T00:00:00.000-04:00", "2020-11-01T02:00:00.000-05:00", "2020-11-01T04:00:00.000-05:00"}));
  EXPECT_EQ(
      starts(DateRounding::Calendar(CalendarUnit::kHour, new_york, 0), "America/New_York", "2020-11-01T05:00:00Z", 3),
      (Texts{"2020-11-01T01:00:00.000-04:00", "2020-11-01T01:00:00.000-05:00", "2020-11-01T02:00:00.000-05:00"}));
  EXPECT_EQ(starts(DateRounding::Calendar(CalendarUnit::kDay, Zone("America/Sao_Paulo"), 0), "America/Sao_Paulo",
                   "2018-11-03T12:00:00Z", 3),
            (Texts{"2018-11-03T00:00:00.000-03:00", "2018-11-04T01:00:00.000-02:00", "2018-11-05T00:00:00.000-02:00"}));
}

}  // namespace
}  // namespace tiercel::search::aggs
