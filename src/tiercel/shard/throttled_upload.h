// ThrottledUpload: an Upload that writes no faster than so many bytes a second, so that a merge leaves room for the
// log.
//
// Thread safety: as Upload. Lifetime: owns the upload, borrows the cancellation, which ends a wait early.
// Cost: sleeps once per few hundred kilobytes.
#pragma once

#include <cstdint>
#include <memory>

#include "tiercel/base/clock.h"
#include "tiercel/runtime/cancellation.h"
#include "tiercel/store/object_store.h"

namespace tiercel::shard {

class ThrottledUpload final : public store::Upload {
 public:
  ThrottledUpload(std::unique_ptr<store::Upload> upload, uint64_t bytes_per_second,
                  const runtime::Cancellation& cancellation)
      : upload_(std::move(upload)), bytes_per_second_(bytes_per_second), cancellation_(cancellation) {}

  Status Append(ByteSpan bytes) override;
  Status Finish() override { return upload_->Finish(); }
  uint64_t size() const override { return upload_->size(); }

 private:
  const std::unique_ptr<store::Upload> upload_;
  const uint64_t bytes_per_second_;
  const runtime::Cancellation& cancellation_;
  uint64_t since_pause_ = 0;
  int64_t pause_started_ns_ = Clock::System().MonotonicNs();
};

}  // namespace tiercel::shard
