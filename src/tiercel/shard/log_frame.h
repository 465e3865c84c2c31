// Frames of the log, between its encoder and its replay. docs/format/log.md has the bytes.
//
// Thread safety: pure functions. Lifetime: decoded records borrow the payload.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "tiercel/shard/log.h"

namespace tiercel::shard {

inline constexpr uint32_t kFrameMagic = 0x4d524654;

struct FrameHeader {
  uint64_t checksum = 0;
  uint32_t payload_bytes = 0;
  int64_t first_seq_no = 0;
  uint64_t synced_offset = 0;
  uint32_t count = 0;
};

// Nothing when the bytes begin no frame: magic, header check, or limits do not hold. The payload is not looked at.
std::optional<FrameHeader> DecodeFrameHeader(ByteSpan bytes);
// `payload` lies at `offset` of `object` and passed its checksum.
Status DecodeRecords(const FrameHeader& header, ByteSpan payload, const LogHeader& log, std::string_view object,
                     uint64_t offset, const std::function<Status(const LogRecord&)>& visit);

}  // namespace tiercel::shard
