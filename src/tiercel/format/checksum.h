// The checksum of every stored block: XXH3, 64 bits.
//
// Thread safety: pure. Cost: about 15 GB/s in cache, bounded by memory beyond it.
#pragma once

#include <cstdint>

#include "tiercel/base/bytes.h"

namespace tiercel::format {

uint64_t Checksum(ByteSpan bytes);

}  // namespace tiercel::format
