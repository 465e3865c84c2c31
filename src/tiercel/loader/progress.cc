#include "tiercel/loader/progress.h"

#include <algorithm>

namespace tiercel::loader {
namespace {

std::string Format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string Duration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace

std::string WithCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

Progress::Progress(Style style, std::FILE* to, const Clock& clock)
    : style_(style), to_(to), clock_(clock), start_ms_(clock.MonotonicMs()) {}

double Progress::Seconds() const {
  return std::max(0.001, static_cast<double>(clock_.MonotonicMs() - start_ms_) / 1000.0);
}

std::string Progress::Render(const ProgressNow& now, bool bar) const {
  const double seconds = Seconds();
  std::string line;
  double share = -1;
  if (now.input_bytes_total > 0)
    share = std::min(1.0, static_cast<double>(now.input_bytes) / static_cast<double>(now.input_bytes_total));
  if (share >= 0) {
    if (bar) {
      constexpr int kWidth = 24;
      const int full = static_cast<int>(share * kWidth);
      line += '[' + std::string(static_cast<size_t>(full), '=') + (full < kWidth ? ">" : "") +
              std::string(static_cast<size_t>(std::max(0, kWidth - full - 1)), ' ') + "] ";
    }
    line += Format("%5.1f %%  ", share * 100);
  }
  line += WithCommas(now.documents) + " docs  " +
          WithCommas(static_cast<uint64_t>(static_cast<double>(now.documents) / seconds)) + " docs/s  ";
  line += Format("%.1f MB/s", static_cast<double>(now.bytes) / 1e6 / seconds);
  if (now.failed > 0) line += "  " + WithCommas(now.failed) + " failed";
  if (share > 0 && share < 1) line += "  ETA " + Duration(seconds / share * (1 - share));
  return line;
}

void Progress::Update(const ProgressNow& now) {
  const int64_t at = clock_.MonotonicMs();
  if (style_ == Style::kNone || at - std::max(drawn_ms_, start_ms_) < (style_ == Style::kBar ? 100 : 5000)) return;
  drawn_ms_ = at;
  std::string line = Render(now, style_ == Style::kBar);
  if (style_ == Style::kLines) {
    std::fprintf(to_, "%s\n", line.c_str());
  } else {
    const size_t length = line.size();
    line.resize(std::max(line.size(), width_), ' ');  // wipe what a longer line left
    width_ = length;
    std::fprintf(to_, "\r%s", line.c_str());
  }
  std::fflush(to_);
}

void Progress::Finish(const ProgressNow& now) {
  if (style_ == Style::kNone) return;
  std::string line = Render(now, style_ == Style::kBar);
  line.resize(std::max(line.size(), width_), ' ');
  std::fprintf(to_, "%s%s\n", style_ == Style::kBar ? "\r" : "", line.c_str());
  std::fflush(to_);
}

}  // namespace tiercel::loader
