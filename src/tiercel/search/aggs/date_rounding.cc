#include "tiercel/search/aggs/date_rounding.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tiercel::search::aggs {
namespace {

using mapping::CalendarUnit;

constexpr int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr uint64_t kStartsMax = 1 << 16;
constexpr uint64_t kGridMax = 1 << 20;

int64_t FloorTo(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

// Units whose length no calendar changes; 0 for the others.
int64_t ClockUnit(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kMillisecond:
      return 1;
    case CalendarUnit::kSecond:
      return kSecond;
    case CalendarUnit::kMinute:
      return kMinute;
    case CalendarUnit::kHour:
      return kHour;
    default:
      return 0;
  }
}

int64_t ShortestUnit(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kDay:
      return kDay;
    case CalendarUnit::kWeek:
      return 7 * kDay;
    case CalendarUnit::kMonth:
      return 28 * kDay;
    case CalendarUnit::kQuarter:
      return 90 * kDay;
    case CalendarUnit::kYear:
      return 365 * kDay;
    default:
      return ClockUnit(unit);
  }
}

}  // namespace

DateRounding DateRounding::Calendar(CalendarUnit unit, mapping::TimeZone zone, int64_t offset_ms) {
  // Hours and less follow the clock; they differ from fixed intervals in nothing.
  return DateRounding(unit, ClockUnit(unit), std::move(zone), offset_ms);
}

DateRounding DateRounding::Fixed(int64_t interval_ms, mapping::TimeZone zone, int64_t offset_ms) {
  return DateRounding(CalendarUnit::kMillisecond, interval_ms, std::move(zone), offset_ms);
}

int64_t DateRounding::uniform_ms() const {
  if (!zone_.fixed()) return 0;
  if (interval_ms_ > 0) return interval_ms_;
  return unit_ == CalendarUnit::kDay ? kDay : unit_ == CalendarUnit::kWeek ? 7 * kDay : 0;
}

int64_t DateRounding::phase_ms() const { return Floor(0); }

int64_t DateRounding::shortest_ms() const {
  const int64_t length = interval_ms_ > 0 ? interval_ms_ : ShortestUnit(unit_);
  return zone_.fixed() ? length : std::max<int64_t>(length - 2 * kHour, std::min(length, kMinute));
}

int64_t DateRounding::FloorPlain(int64_t utc_ms) const {
  if (interval_ms_ == 0) return mapping::FloorToUnit(utc_ms, unit_, zone_);
  const int64_t zone_offset = zone_.OffsetAt(utc_ms);
  const int64_t local = FloorTo(utc_ms + zone_offset, interval_ms_);
  const int64_t start = local - zone_offset;
  // When the clocks were changed since the start of the interval, it starts where they showed `local`, or where they
  // jumped over it.
  if (zone_.fixed() || zone_.OffsetAt(start) == zone_offset) return start;
  return std::min(zone_.ToUtc(local), utc_ms);
}

int64_t DateRounding::NextPlain(int64_t key) const {
  if (interval_ms_ == 0) {
    const int64_t next = mapping::FloorToUnit(mapping::AddUnits(key, unit_, 1, zone_), unit_, zone_);
    return next > key ? next : key + ShortestUnit(unit_);
  }
  const int64_t next = FloorPlain(key + interval_ms_);
  if (next > key) return next;
  const int64_t by_clock = FloorPlain(zone_.ToUtc(key + zone_.OffsetAt(key) + interval_ms_));
  return by_clock > key ? by_clock : key + interval_ms_;
}

PreparedRounding::PreparedRounding(const DateRounding& rounding, int64_t low, int64_t high) {
  constexpr int64_t kSane = std::numeric_limits<int64_t>::max() / 4;
  if (low > high || low < -kSane || high > kSane) return;
  first_ = rounding.Floor(low);
  const uint64_t span = static_cast<uint64_t>(high - first_);
  const int64_t uniform = rounding.uniform_ms();
  if (uniform > 0) {
    if (span / static_cast<uint64_t>(uniform) >= kStartsMax) return;
    uniform_ms_ = uniform;
    count_ = span / static_cast<uint64_t>(uniform) + 1;
    return;
  }
  if (span / static_cast<uint64_t>(rounding.shortest_ms()) >= kStartsMax) return;
  starts_.push_back(first_);
  while (starts_.back() <= high && starts_.size() <= kStartsMax) starts_.push_back(rounding.Next(starts_.back()));
  if (starts_.back() > high) BuildGrid(high);
}

void PreparedRounding::BuildGrid(int64_t high) {
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i + 1 < starts_.size(); ++i) shortest = std::min(shortest, starts_[i + 1] - starts_[i]);
  grid_shift_ = std::bit_width(static_cast<uint64_t>(shortest)) - 1;  // a cell is no longer than the shortest interval
  const uint64_t cells = (static_cast<uint64_t>(high - first_) >> grid_shift_) + 1;
  if (cells > kGridMax) return;
  grid_.resize(cells);
  uint32_t at = 0;
  for (uint64_t cell = 0; cell < cells; ++cell) {
    const int64_t begin = first_ + static_cast<int64_t>(cell << grid_shift_);
    while (starts_[at + 1] <= begin) ++at;
    grid_[cell] = at;
  }
  count_ = starts_.size() - 1;
}

}  // namespace tiercel::search::aggs
