// One query or document value of a field ↔ its stored encoding: the single place where "12", 12, "2020-01-01||/M" or
// "10.0.0.1" become what columns hold, used by document parsing, queries, sorts, search_after and aggregations alike.
//
// Thread safety: pure functions (`now_ms` is an argument). Errors: InvalidArgument with Elasticsearch's messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/field.h"

namespace tiercel::mapping {

// ---- dates (dates.h implements formats, math and calendars) ----

enum class Rounding { kDown, kUp };  // kUp: "/d" and a missing time of day mean the last millisecond

struct DateParseOptions {
  std::string_view format;     // empty: strict_date_optional_time||epoch_millis
  std::string_view time_zone;  // empty: UTC; "+05:00" or "America/New_York"; ignored for epoch numbers and "now"
  Rounding rounding = Rounding::kDown;
  int64_t now_ms = 0;
};
// Text with date math ("now-1d/d", "2012-06||/M+1h") → milliseconds since the epoch.
Result<int64_t> ParseDate(std::string_view text, const DateParseOptions& options);
// Milliseconds → text. `format` empty: strict_date_optional_time ("2020-01-02T00:00:00.000Z").
Result<std::string> FormatDate(int64_t ms, std::string_view format, std::string_view time_zone = {});

// ---- addresses ----

Result<std::string> ParseIp(std::string_view text);    // 16 bytes, IPv4 as ::ffff:a.b.c.d
std::string FormatIp(std::string_view sixteen_bytes);  // "10.0.0.1", "2001:db8::1"
struct IpRange {
  std::string low, high;
};                                                 // inclusive
Result<IpRange> ParseCidr(std::string_view text);  // "10.0.0.0/25"

// ---- numbers and booleans ----

// A document's or query's scalar → the field's encoding. For integers 5.9 → 5 under coerce; out of range →
// InvalidArgument.
Result<int64_t> EncodeNumeric(const Field& field, json::Value value, int64_t now_ms);
// As ES prints a stored value in sort values, buckets and docvalue_fields: numbers as numbers, dates as ms (or
// formatted when `format` is given), booleans as true/false.
void WriteNumeric(const Field& field, int64_t encoded, std::string_view format, json::Writer& writer);

}  // namespace tiercel::mapping
