// MakeChecked: an Input whose 64 KiB blocks are verified against their object's checksum table when they are first
// touched.
//
// A block that passed is never read again for checking: one bit remembers it. A block that fails turns the borrow into
// a Corruption that names object and offset, every time. Bytes from `covered_bytes` on (the table itself) are passed
// through.
//
// Thread safety: as Input; two threads may verify one block twice, to the same result. Cost: a bit test per block
// touched; the first touch reads the block whole (about 5 microseconds from memory).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tiercel/cache/input.h"

namespace tiercel::cache {

// `block_checksums` has one entry per 64 KiB of [0, covered_bytes), as format::ParseContainer returns them.
std::shared_ptr<const Input> MakeChecked(std::shared_ptr<const Input> raw, std::vector<uint64_t> block_checksums,
                                         uint64_t covered_bytes);

}  // namespace tiercel::cache
