// DateRounding: instants to the start of the interval they lie in, by calendar units or fixed lengths, on the clocks of
// a time zone.
//
// A PreparedRounding answers for a range of instants without looking at calendars: intervals of equal length by
// arithmetic, others through their boundaries and a grid fine enough to hold at most one boundary per cell. Thread
// safety: immutable. Cost: prepared, 1-3 ns an instant; unprepared, tens of ns.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/mapping/dates.h"

namespace tiercel::search::aggs {

class DateRounding {
 public:
  static DateRounding Calendar(mapping::CalendarUnit unit, mapping::TimeZone zone, int64_t offset_ms);
  // interval_ms > 0
  static DateRounding Fixed(int64_t interval_ms, mapping::TimeZone zone, int64_t offset_ms);

  int64_t Floor(int64_t utc_ms) const { return FloorPlain(utc_ms - offset_ms_) + offset_ms_; }
  // Start of the interval after the one that starts at `key`; greater than `key`.
  int64_t Next(int64_t key) const { return NextPlain(key - offset_ms_) + offset_ms_; }
  // Length of every interval, or 0 when they differ; they start at multiples of it plus phase().
  int64_t uniform_ms() const;
  int64_t phase_ms() const;
  // No interval is shorter.
  int64_t shortest_ms() const;

 private:
  DateRounding(mapping::CalendarUnit unit, int64_t interval_ms, mapping::TimeZone zone, int64_t offset_ms)
      : unit_(unit), interval_ms_(interval_ms), zone_(std::move(zone)), offset_ms_(offset_ms) {}
  int64_t FloorPlain(int64_t utc_ms) const;
  int64_t NextPlain(int64_t key) const;

  mapping::CalendarUnit unit_;
  int64_t interval_ms_;  // 0: by calendar
  mapping::TimeZone zone_;
  int64_t offset_ms_;
};

class PreparedRounding {
 public:
  // For instants in [low, high].
  PreparedRounding(const DateRounding& rounding, int64_t low, int64_t high);

  // How many intervals the range has; 0 when they are too many to number.
  uint64_t count() const { return count_; }
  // Number of the interval of an instant in the range. Only when count() > 0.
  uint32_t Number(int64_t utc_ms) const {
    if (uniform_ms_ > 0)
      return static_cast<uint32_t>(static_cast<uint64_t>(utc_ms - first_) / static_cast<uint64_t>(uniform_ms_));
    const uint32_t guess = grid_[static_cast<uint64_t>(utc_ms - first_) >> grid_shift_];
    return guess + (utc_ms >= starts_[guess + 1] ? 1 : 0);
  }
  int64_t Start(uint64_t number) const {
    return uniform_ms_ > 0 ? first_ + static_cast<int64_t>(number) * uniform_ms_ : starts_[number];
  }

 private:
  void BuildGrid(int64_t high);
  int64_t first_ = 0;
  int64_t uniform_ms_ = 0;
  uint64_t count_ = 0;
  std::vector<int64_t> starts_;  // and the end of the last
  std::vector<uint32_t> grid_;   // cell → interval its first instant lies in
  int grid_shift_ = 0;
};

}  // namespace tiercel::search::aggs
