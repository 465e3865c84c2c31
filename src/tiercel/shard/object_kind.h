// What an object below a shard's prefix is, by its name.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace tiercel::shard {

struct ObjectKind {
  enum class Kind { kManifest, kSegment, kLiveDocs, kLog, kForeign } kind = Kind::kForeign;
  uint64_t number = 0;  // manifest and log: generation; segment and live docs: their own number
};

// `relative` is the name below the shard's prefix: "log/0000000000000001", "segments/_3", "live/_3.7".
ObjectKind KindOf(std::string_view relative);

}  // namespace tiercel::shard
