// LogCursor: walks the whole frames of one log object and decides where it ends (rule L2 of docs/format/log.md).
//
// Thread safety: one thread. Lifetime: borrows the store. Cost: one ranged read per megabyte or frame, whichever is
// larger; after a damaged frame the rest of the object is read once, in search of a whole one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tiercel/shard/log.h"
#include "tiercel/shard/log_frame.h"

namespace tiercel::shard {

class LogCursor {
 public:
  LogCursor(const store::ObjectStore& store, std::string object, uint64_t size, const LogHeader& header);

  // Moves to the next whole frame; false at the end, torn or not. Corruption when synced bytes have changed.
  Result<bool> Next();
  const FrameHeader& frame() const { return frame_; }
  uint64_t frame_offset() const { return frame_offset_; }
  // Decodes the records of the current frame.
  Status Visit(const std::function<Status(const LogRecord&)>& visit);

  // After the end: where the whole frames end, and whether anything follows.
  uint64_t valid_size() const { return next_offset_; }
  bool torn() const { return next_offset_ != size_; }

 private:
  // Bytes [offset, offset + length) of the object, valid until the next call.
  Result<ByteSpan> At(uint64_t offset, uint64_t length);
  // Whether a whole frame stands at `offset`; sets frame_ when it does.
  Result<bool> WholeFrameAt(uint64_t offset);
  Status CheckNothingSyncedAfter(uint64_t bad_offset);

  const store::ObjectStore& store_;
  const std::string object_;
  const uint64_t size_;
  const LogHeader header_;
  uint64_t next_offset_ = LogHeader::kBytes;
  uint64_t frame_offset_ = 0;
  FrameHeader frame_;
  Bytes window_;
  uint64_t window_offset_ = 0;
};

}  // namespace tiercel::shard
