#include "tiercel/format/checksum.h"

#include <xxhash.h>

namespace tiercel::format {

uint64_t Checksum(ByteSpan bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace tiercel::format
