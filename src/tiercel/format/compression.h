// Block compression: LZ4, with an optional dictionary that both sides hold.
//
// Thread safety: pure. Memory: the compressor keeps its tables on the stack or in the call. Errors: Corruption when a
// block does not decompress to exactly the length its reader expects.
#pragma once

#include <cstdint>
#include <string_view>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"

namespace tiercel::format {

inline constexpr std::string_view kLz4Codec = "lz4";
// Longest block that can be compressed at once.
inline constexpr uint64_t kMaxCompressible = 0x7E000000;

// Appends the compressed form of `raw` to `out`.
void Lz4Compress(ByteSpan raw, ByteSpan dictionary, Bytes& out);
// Fills `raw`, whose length is known from elsewhere, from all of `compressed`; false when that is not possible.
bool Lz4Decompress(ByteSpan compressed, ByteSpan dictionary, std::span<uint8_t> raw);
// As above for the first raw.size() bytes of `whole_bytes`: the rest is neither decoded nor checked.
bool Lz4DecompressPrefix(ByteSpan compressed, ByteSpan dictionary, uint64_t whole_bytes, std::span<uint8_t> raw);

}  // namespace tiercel::format
