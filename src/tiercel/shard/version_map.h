// VersionMap: the newest version of every id written since the last refresh, and of ids deleted not long ago.
//
// Three layers, newest first: writes since the last refresh, writes of the buffer that is being frozen, and tombstones.
// An id in none of them stands in the published segments, or nowhere. A tombstone older than gc_deletes counts as never
// having been, but still hides the segments until the delete has reached them.
//
// Thread safety: none; the write path's state mutex guards it. Cost: at most three hash lookups.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tiercel/shard/version_rules.h"
#include "tiercel/shard/write_buffer.h"

namespace tiercel::shard {

struct VersionEntry {
  KnownVersion known;
  std::shared_ptr<WriteBuffer> buffer;  // kLive: where the document is
  segment::DocId doc = 0;
  int64_t deleted_at_ms = 0;  // kDeleted, monotonic
};

class VersionMap {
 public:
  // Nothing: look in the published segments. An expired tombstone comes back as kUnknown: do not look there.
  std::optional<VersionEntry> Find(std::string_view id, int64_t now_ms, int64_t gc_deletes_ms) const;
  void Put(const std::string& id, VersionEntry entry);

  // The current layer becomes the one that is being frozen. The one before was dropped.
  void Freeze();
  // The frozen layer's documents are published: only its tombstones are kept, while they are young.
  void DropFrozen(int64_t now_ms, int64_t gc_deletes_ms);

  size_t size() const { return current_.size() + frozen_.size() + tombstones_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Layer = std::unordered_map<std::string, VersionEntry, Hash, std::equal_to<>>;

  Layer current_;
  Layer frozen_;
  Layer tombstones_;
};

}  // namespace tiercel::shard
