// gzip and deflate for HTTP bodies.
//
// Thread safety: free functions. Memory: Decompress never makes more than `size_max` bytes and charges them as it goes,
// so a small body cannot unfold into a large one unnoticed. Cost: zlib's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/runtime/memory_budget.h"

namespace tiercel::server {

// Undoes content-encoding "gzip" or "deflate" (zlib). Bad data: InvalidArgument; more than `size_max`: InvalidArgument
// of type content_too_long_exception; over budget: ResourceExhausted. `breaker` may be null.
Result<std::string> Decompress(std::string_view body, uint64_t size_max, runtime::CircuitBreaker* breaker,
                               runtime::MemoryCharge& charge);

// `body` as a gzip member.
std::string GzipCompress(std::string_view body);

// Whether an Accept-Encoding value lets us answer in gzip (q=0 forbids, "*" allows).
bool AcceptsGzip(std::string_view accept_encoding);

}  // namespace tiercel::server
