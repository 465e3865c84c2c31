#include "tiercel/shard/version_map.h"

#include <utility>

namespace tiercel::shard {
namespace {

bool Expired(const VersionEntry& entry, int64_t now_ms, int64_t gc_deletes_ms) {
  return entry.known.state == KnownVersion::State::kDeleted && now_ms - entry.deleted_at_ms > gc_deletes_ms;
}

}  // namespace

std::optional<VersionEntry> VersionMap::Find(std::string_view id, int64_t now_ms, int64_t gc_deletes_ms) const {
  for (const Layer* layer : {&current_, &frozen_, &tombstones_}) {
    const auto found = layer->find(id);
    if (found == layer->end()) continue;
    if (Expired(found->second, now_ms, gc_deletes_ms)) return VersionEntry{};
    return found->second;
  }
  return std::nullopt;
}

void VersionMap::Put(const std::string& id, VersionEntry entry) { current_.insert_or_assign(id, std::move(entry)); }

void VersionMap::Freeze() {
  frozen_ = std::move(current_);
  current_ = {};
}

void VersionMap::DropFrozen(int64_t now_ms, int64_t gc_deletes_ms) {
  for (auto& [id, entry] : frozen_) {
    if (entry.known.state == KnownVersion::State::kDeleted) {
      tombstones_.insert_or_assign(id, std::move(entry));
    } else {
      tombstones_.erase(id);
    }
  }
  frozen_ = {};
  std::erase_if(tombstones_, [&](const auto& item) { return Expired(item.second, now_ms, gc_deletes_ms); });
}

}  // namespace tiercel::shard
