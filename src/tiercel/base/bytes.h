// Names for runs of bytes, and the two casts between bytes and text.
//
// ByteSpan borrows and never owns; Bytes owns. Thread safety: values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tiercel {

using ByteSpan = std::span<const uint8_t>;
using Bytes = std::vector<uint8_t>;

inline ByteSpan AsBytes(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }
inline std::string_view AsText(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace tiercel
