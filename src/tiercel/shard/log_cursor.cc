#include "tiercel/shard/log_cursor.h"

#include <algorithm>
#include <utility>

#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"

namespace tiercel::shard {
namespace {

constexpr uint64_t kWindowBytes = 1 << 20;

}  // namespace

LogCursor::LogCursor(const store::ObjectStore& store, std::string object, uint64_t size, const LogHeader& header)
    : store_(store), object_(std::move(object)), size_(size), header_(header) {}

Result<ByteSpan> LogCursor::At(uint64_t offset, uint64_t length) {
  if (offset < window_offset_ || offset + length > window_offset_ + window_.size()) {
    const uint64_t wanted = std::min(std::max(length, kWindowBytes), size_ - offset);
    TIERCEL_TRY_ASSIGN(window_, store_.GetRange(object_, offset, wanted));
    window_offset_ = offset;
    if (window_.size() < length)
      return Corruption(object_ + ": cut short at offset " + std::to_string(offset + window_.size()));
  }
  return ByteSpan(window_).subspan(offset - window_offset_, length);
}

Result<bool> LogCursor::WholeFrameAt(uint64_t offset) {
  if (size_ - offset < kFrameHeaderBytes) return false;
  TIERCEL_TRY_ASSIGN(const ByteSpan head, At(offset, kFrameHeaderBytes));
  const std::optional<FrameHeader> header = DecodeFrameHeader(head);
  if (!header || size_ - offset - kFrameHeaderBytes < header->payload_bytes) return false;
  TIERCEL_TRY_ASSIGN(const ByteSpan frame, At(offset, kFrameHeaderBytes + header->payload_bytes));
  if (format::Checksum(frame.subspan(8)) != header->checksum) return false;
  frame_ = *header;
  return true;
}

Result<bool> LogCursor::Next() {
  if (next_offset_ == size_) return false;
  TIERCEL_TRY_ASSIGN(bool whole, WholeFrameAt(next_offset_));
  if (!whole) {
    // A bit that flipped on the way here is no torn log: look again before acknowledged records are given up.
    window_.clear();
    TIERCEL_TRY_ASSIGN(whole, WholeFrameAt(next_offset_));
  }
  if (!whole) {
    TIERCEL_TRY(CheckNothingSyncedAfter(next_offset_));
    return false;
  }
  frame_offset_ = next_offset_;
  next_offset_ += kFrameHeaderBytes + frame_.payload_bytes;
  return true;
}

Status LogCursor::Visit(const std::function<Status(const LogRecord&)>& visit) {
  const uint64_t payload = frame_offset_ + kFrameHeaderBytes;
  TIERCEL_TRY_ASSIGN(const ByteSpan bytes, At(payload, frame_.payload_bytes));
  return DecodeRecords(frame_, bytes, header_, object_, payload, visit);
}

Status LogCursor::CheckNothingSyncedAfter(uint64_t bad_offset) {
  uint8_t magic[4];
  format::StoreU32(kFrameMagic, magic);
  uint64_t offset = bad_offset + 1;
  while (size_ - offset >= kFrameHeaderBytes) {
    const uint64_t length = std::min(kWindowBytes, size_ - offset);
    TIERCEL_TRY_ASSIGN(const ByteSpan window, At(offset, length));
    const auto found = std::search(window.begin() + 8, window.end(), std::begin(magic), std::end(magic));
    if (found == window.end()) {
      // The last bytes may hold the beginning of a magic.
      if (length == size_ - offset) return {};
      offset += length - kFrameHeaderBytes;
      continue;
    }
    const uint64_t candidate = offset + static_cast<uint64_t>(found - window.begin()) - 8;
    TIERCEL_TRY_ASSIGN(const bool whole, WholeFrameAt(candidate));
    if (whole && frame_.synced_offset > bad_offset) {
      return Corruption(object_ + ": a log record was damaged after it had been durable, at offset " +
                        std::to_string(bad_offset));
    }
    offset = candidate + 1;
  }
  return {};
}

}  // namespace tiercel::shard
