// Progress: what a person sees while documents load. A bar that redraws itself on a terminal, plain lines elsewhere.
//
// Thread safety: one thread. Lifetime: borrows the stream. The clock and the kind of output are given, so tests can
// look.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "tiercel/base/clock.h"

namespace tiercel::loader {

struct ProgressNow {
  uint64_t documents = 0;
  uint64_t bytes = 0;  // of documents, uncompressed
  uint64_t failed = 0;
  uint64_t input_bytes = 0, input_bytes_total = 0;  // of the input as stored; total 0 when unknown
};

class Progress {
 public:
  enum class Style { kNone, kLines, kBar };
  Progress(Style style, std::FILE* to, const Clock& clock);

  // Call as often as convenient; draws at most every 100 ms (bar) or 5 s (lines).
  void Update(const ProgressNow& now);
  void Finish(const ProgressNow& now);

  // One line: "[=====>    ] 52.1 %  33,180 docs  11,020 docs/s  9.8 MB/s  ETA 3 s", without a line end.
  std::string Render(const ProgressNow& now, bool bar) const;

 private:
  double Seconds() const;
  const Style style_;
  std::FILE* const to_;
  const Clock& clock_;
  const int64_t start_ms_;
  int64_t drawn_ms_ = 0;
  size_t width_ = 0;
};

// 1234567 → "1,234,567".
std::string WithCommas(uint64_t number);

}  // namespace tiercel::loader
