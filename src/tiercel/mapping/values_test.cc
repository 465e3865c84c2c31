#include "tiercel/mapping/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tiercel/base/random.h"
#include "tiercel/mapping/dates.h"
#include "tiercel/mapping/numbers.h"

namespace tiercel::mapping {
namespace {

int64_t MustParse(std::string_view text, const DateParseOptions& options = {}) {
  const auto ms = ParseDate(text, options);
  EXPECT_TRUE(ms.ok()) << text << ": " << ms.status().ToString();
  return ms.ok() ? *ms : INT64_MIN;
}
std::string Iso(int64_t ms) { return FormatDate(ms, "").value(); }

TEST(ValuesTest, EncodingsKeepOrderAndValue) {
  const double doubles[] = {-std::numeric_limits<double>::infinity(), -1e300, -1, -1e-300, -0.0, 0.0, 1e-300, 1, 1e300};
  for (size_t i = 1; i < std::size(doubles); ++i)
    EXPECT_LT(EncodeDouble(doubles[i - 1]), EncodeDouble(doubles[i])) << i;
  const float floats[] = {-1e30f, -1, -0.0f, 0.0f, 1e-30f, 1, 1e30f};
  for (size_t i = 1; i < std::size(floats); ++i) EXPECT_LT(EncodeFloat(floats[i - 1]), EncodeFloat(floats[i])) << i;
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const double value = (random.Unit() - 0.5) * std::pow(10, static_cast<double>(random.Below(40)));
    EXPECT_EQ(DecodeDouble(EncodeDouble(value)), value);
    EXPECT_EQ(DecodeFloat(EncodeFloat(static_cast<float>(value))), static_cast<float>(value));
  }
  EXPECT_EQ(DecodeToDouble(NumericEncoding::kUint64, INT64_MIN), 0);
}

TEST(ValuesTest, HalfPrecision) {
  EXPECT_EQ(RoundToHalf(2.1f), 2.099609375f);
  EXPECT_EQ(RoundToHalf(65519), 65504);
  EXPECT_TRUE(std::isinf(RoundToHalf(65520)));
  EXPECT_EQ(RoundToHalf(5.9604645e-8f), 5.9604645e-8f);
  EXPECT_EQ(RoundToHalf(1e-9f), 0);
}

TEST(ValuesTest, DefaultDateFormat) {
  EXPECT_EQ(MustParse("1970-01-01"), 0);
  EXPECT_EQ(MustParse("2020-01-02T03:04:05.678Z"), 1577934245678);
  EXPECT_EQ(MustParse("2020-01-02T03:04:05.678+05:30"), 1577934245678 - 19800000);
  EXPECT_EQ(MustParse("2020"), 1577836800000);
  EXPECT_EQ(MustParse("20"), 20);
  EXPECT_EQ(MustParse("20200"), 20200);
  EXPECT_EQ(MustParse("-5"), -5);
  EXPECT_EQ(MustParse("-1.5"), -2);
  EXPECT_EQ(Iso(MustParse("2020-01-01T")), "2020-01-01T00:00:00.000Z");
  EXPECT_EQ(Iso(MustParse("2020-01-01T10")), "2020-01-01T10:00:00.000Z");
  EXPECT_EQ(Iso(MustParse("2020-01-01T10:00:00.123456789Z")), "2020-01-01T10:00:00.123Z");
  EXPECT_EQ(Iso(MustParse("2020-01-01T10:00:00Europe/Berlin")), "2020-01-01T09:00:00.000Z");
  EXPECT_EQ(Iso(-1), "1969-12-31T23:59:59.999Z");
  for (const char* bad :
       {"tomorrow", "2020-13-01", "2020-02-30", "2020-1-1", "2020-01-01T24:00:00Z", "", "2020-01-01Z", "99999-01-01"}) {
    const auto ms = ParseDate(bad, {});
    ASSERT_FALSE(ms.ok()) << bad;
    EXPECT_EQ(ms.error().type(), "parse_exception") << bad;
  }
}

TEST(ValuesTest, DateErrors) {
  const auto ms = ParseDate("tomorrow", {});
  EXPECT_EQ(ms.error().message(),
            "failed to parse date field [tomorrow] with format [strict_date_optional_time||epoch_millis]: [failed to "
            "parse date field "
            "[tomorrow] with format [strict_date_optional_time||epoch_millis]]");
  ASSERT_NE(ms.error().cause(), nullptr);
  EXPECT_EQ(ms.error().cause()->type(), "illegal_argument_exception");
  EXPECT_EQ(ParseDate("now/2d", {}).error().message(), "rounding `/` can only be used on single unit types [/2d]");
  EXPECT_EQ(ParseDate("now+1x", {}).error().message(), "unit [x] not supported for date math [+1x]");
  EXPECT_EQ(ParseDate("now+1", {}).error().message(), "truncated date math [+1]");
  EXPECT_EQ(ParseDate("now*1d", {}).error().message(), "operator not supported for date math [*1d]");
  EXPECT_EQ(ParseDate("now-99999999999d", {}).error().type(), "number_format_exception");
  EXPECT_FALSE(ParseDate("2020", {.time_zone = "nosuch/zone"}).ok());
}

TEST(ValuesTest, DateMathAndRounding) {
  DateParseOptions options;
  options.now_ms = MustParse("2015-03-31T10:11:12Z");
  EXPECT_EQ(Iso(MustParse("now-1M", options)), "2015-02-28T10:11:12.000Z");
  EXPECT_EQ(Iso(MustParse("now/w", options)), "2015-03-30T00:00:00.000Z");
  EXPECT_EQ(Iso(MustParse("now-1y/M+2h", options)), "2014-03-01T02:00:00.000Z");
  EXPECT_EQ(Iso(MustParse("2012-06||/M")), "2012-06-01T00:00:00.000Z");
  options.rounding = Rounding::kUp;
  EXPECT_EQ(Iso(MustParse("2012-06||/M", options)), "2012-06-30T23:59:59.999Z");
  EXPECT_EQ(Iso(MustParse("2012-06", options)), "2012-06-01T23:59:59.999Z");
  EXPECT_EQ(Iso(MustParse("2015", options)), "2015-01-01T23:59:59.999Z");
  EXPECT_EQ(Iso(MustParse("2015-02-03T04", options)), "2015-02-03T04:59:59.999Z");
  EXPECT_EQ(Iso(MustParse("now/d", options)), "2015-03-31T23:59:59.999Z");
}

TEST(ValuesTest, TimeZones) {
  EXPECT_EQ(Iso(MustParse("2009-01-01", {.time_zone = "+05:00"})), "2008-12-31T19:00:00.000Z");
  EXPECT_EQ(MustParse("1000", {.format = "epoch_millis"}), 1000);
  const TimeZone berlin = TimeZone::Parse("Europe/Berlin").value();
  // The clocks went forward at 01:00 UTC: that day has 23 hours.
  const int64_t morning = MustParse("2020-03-29T10:00:00Z");
  EXPECT_EQ(Iso(FloorToUnit(morning, CalendarUnit::kDay, berlin)), "2020-03-28T23:00:00.000Z");
  EXPECT_EQ(Iso(AddUnits(MustParse("2020-03-28T23:00:00Z"), CalendarUnit::kDay, 1, berlin)),
            "2020-03-29T22:00:00.000Z");
  // They went back at 01:00 UTC: two o'clock came twice, and is two hours.
  EXPECT_EQ(Iso(FloorToUnit(MustParse("2020-10-25T00:30:00Z"), CalendarUnit::kHour, berlin)),
            "2020-10-25T00:00:00.000Z");
  EXPECT_EQ(Iso(FloorToUnit(MustParse("2020-10-25T01:30:00Z"), CalendarUnit::kHour, berlin)),
            "2020-10-25T01:00:00.000Z");
  EXPECT_EQ(FormatDate(morning, "yyyy-MM-dd HH:mm XXX", "Europe/Berlin").value(), "2020-03-29 12:00 +02:00");
}

TEST(ValuesTest, Formats) {
  const auto parse = [](std::string_view text, std::string_view format) {
    const auto ms = ParseDate(text, {.format = format});
    return ms.ok() ? Iso(*ms) : std::string("refused");
  };
  EXPECT_EQ(parse("01/02/2009", "dd/MM/yyyy"), "2009-02-01T00:00:00.000Z");
  EXPECT_EQ(parse("20090201", "basic_date"), "2009-02-01T00:00:00.000Z");
  EXPECT_EQ(parse("20090201T030405.006Z", "basic_date_time"), "2009-02-01T03:04:05.006Z");
  EXPECT_EQ(parse("2009-032", "ordinal_date"), "2009-02-01T00:00:00.000Z");
  EXPECT_EQ(parse("2009-W05-7", "week_date"), "2009-02-01T00:00:00.000Z");
  EXPECT_EQ(parse("2020-1-2", "date_optional_time"), "2020-01-02T00:00:00.000Z");
  EXPECT_EQ(parse("1577836800", "epoch_second"), "2020-01-01T00:00:00.000Z");
  EXPECT_EQ(parse("3 Feb 2020 4:05 PM", "d MMM yyyy h:mm a"), "2020-02-03T16:05:00.000Z");
  EXPECT_EQ(parse("2020-02-03 04:05:06.789 +0100", "yyyy-MM-dd HH:mm:ss.SSS Z"), "2020-02-03T03:05:06.789Z");
  EXPECT_EQ(parse("at 12", "'at' HH||yyyy"), "1970-01-01T12:00:00.000Z");
  EXPECT_EQ(parse("1999", "'at' HH||yyyy"), "1999-01-01T00:00:00.000Z");
  EXPECT_EQ(parse("20", "yyyy"), "refused");
  EXPECT_EQ(parse("70000", "yyyy"), "refused");
  const int64_t ms = MustParse("2020-02-03T04:05:06.789Z");
  EXPECT_EQ(FormatDate(ms, "yyyy-MM-dd").value(), "2020-02-03");
  EXPECT_EQ(FormatDate(ms, "epoch_millis").value(), std::to_string(ms));
  EXPECT_EQ(FormatDate(ms, "epoch_second").value(), "1580702706.789");
  EXPECT_EQ(FormatDate(ms, "E d MMMM yy, h:mm a").value(), "Mon 3 February 20, 4:05 AM");
  EXPECT_EQ(FormatDate(ms, "week_date").value(), "2020-W06-1");
  EXPECT_EQ(DateFormat::Compile("nosuch{").status().message(), "Invalid format: [nosuch{]: Unknown pattern letter: o");
}

TEST(ValuesTest, CivilDatesRoundTrip) {
  Random random(6);
  for (int i = 0; i < 20000; ++i) {
    const int64_t days = static_cast<int64_t>(random.Below(4'000'000)) - 2'000'000;
    EXPECT_EQ(DaysFromCivil(CivilFromDays(days)), days);
  }
  EXPECT_EQ(DayOfWeek(0), 4);
  EXPECT_EQ(DaysInMonth(2000, 2), 29);
  EXPECT_EQ(DaysInMonth(1900, 2), 28);
}

TEST(ValuesTest, Addresses) {
  const auto round_trip = [](std::string_view text) { return FormatIp(ParseIp(text).value()); };
  EXPECT_EQ(round_trip("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(round_trip("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(round_trip("::ffff:1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(round_trip("::"), "::");
  EXPECT_EQ(round_trip("1:0:2:0:0:3:0:0"), "1:0:2::3:0:0");
  EXPECT_EQ(ParseIp("300.1.1.1").error().message(), "'300.1.1.1' is not an IP string literal.");
  const IpRange v4 = ParseCidr("10.0.0.130/25").value();
  EXPECT_EQ(FormatIp(v4.low), "10.0.0.128");
  EXPECT_EQ(FormatIp(v4.high), "10.0.0.255");
  const IpRange v6 = ParseCidr("2001:db8::/64").value();
  EXPECT_EQ(FormatIp(v6.high), "2001:db8::ffff:ffff:ffff:ffff");
  EXPECT_EQ(FormatIp(ParseCidr("0.0.0.0/0").value().high), "255.255.255.255");
  EXPECT_FALSE(ParseCidr("10.0.0.0/33").ok());
  EXPECT_FALSE(ParseCidr("10.0.0.0").ok());
}

TEST(ValuesTest, NumbersOfQueries) {
  const json::Document values = json::Document::Parse(R"(["5",5.9,"abc",true,1e30])").value();
  Field field;
  field.type = FieldType::kInteger;
  std::vector<std::string> out;
  for (const json::Value value : values.root().elements()) {
    const auto encoded = EncodeNumeric(field, value, 0);
    out.push_back(encoded.ok() ? std::to_string(*encoded) : std::string(encoded.error().type()));
  }
  EXPECT_EQ(out, (std::vector<std::string>{"5", "5", "number_format_exception", "number_format_exception",
                                           "x_content_parse_exception"}));
}

TEST(ValuesTest, WritesNumbersAsTheyAreShown) {
  const auto write = [](FieldType type, int64_t encoded, std::string_view format = {}) {
    Field field;
    field.type = type;
    field.scaling_factor = 100;
    std::string out;
    json::Writer writer(out);
    WriteNumeric(field, encoded, format, writer);
    return out;
  };
  EXPECT_EQ(write(FieldType::kLong, -5), "-5");
  EXPECT_EQ(write(FieldType::kBoolean, 1), "true");
  EXPECT_EQ(write(FieldType::kDouble, EncodeDouble(0.1)), "0.1");
  EXPECT_EQ(write(FieldType::kFloat, EncodeFloat(0.1f)), "0.10000000149011612");
  EXPECT_EQ(write(FieldType::kScaledFloat, 1234), "12.34");
  EXPECT_EQ(write(FieldType::kUnsignedLong, -1), "9223372036854775807");
  EXPECT_EQ(write(FieldType::kDate, 0, "yyyy"), "\"1970\"");
}

}  // namespace
}  // namespace tiercel::mapping
