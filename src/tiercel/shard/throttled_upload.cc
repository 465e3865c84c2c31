#include "tiercel/shard/throttled_upload.h"

#include <chrono>
#include <thread>

namespace tiercel::shard {
namespace {

constexpr uint64_t kPauseEveryBytes = 512 << 10;
constexpr auto kSlice = std::chrono::milliseconds(20);  // how late a cancellation may be noticed

}  // namespace

Status ThrottledUpload::Append(ByteSpan bytes) {
  TIERCEL_TRY(upload_->Append(bytes));
  since_pause_ += bytes.size();
  if (since_pause_ < kPauseEveryBytes) return {};
  const auto due_ns =
      static_cast<int64_t>(static_cast<double>(since_pause_) * 1e9 / static_cast<double>(bytes_per_second_));
  while (true) {
    TIERCEL_TRY(cancellation_.Check());
    const int64_t early_ns = due_ns - (Clock::System().MonotonicNs() - pause_started_ns_);
    if (early_ns <= 0) break;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(kSlice, std::chrono::nanoseconds(early_ns)));
  }
  since_pause_ = 0;
  pause_started_ns_ = Clock::System().MonotonicNs();
  return {};
}

}  // namespace tiercel::shard
