#include "tiercel/engine/metadata_store.h"

#include <map>

namespace tiercel::engine {
namespace {

constexpr std::string_view kRoot = "indices/";
constexpr std::string_view kMeta = "/meta/";
constexpr std::string_view kTombstone = "/tombstone";
// More generations than this in the way of a commit are not leftovers of failed attempts.
constexpr int kCommitAttempts = 16;

std::string GenerationName(std::string_view uuid, uint64_t generation) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = IndexPrefix(uuid) + std::string(kMeta);
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[generation >> shift & 15];
  return name;
}

struct Found {
  std::string newest_meta;  // names sort by generation
  bool tombstone = false;
};

}  // namespace

std::string IndexPrefix(std::string_view uuid) { return std::string(kRoot) + std::string(uuid); }

Status CommitMetadata(store::ObjectStore& store, IndexMetadata& metadata) {
  const uint64_t before = metadata.generation;
  Status status;
  for (int attempt = 0; attempt < kCommitAttempts; ++attempt) {
    ++metadata.generation;
    status = store.Put(GenerationName(metadata.uuid, metadata.generation), Encode(metadata));
    if (status.ok()) break;
    if (status.code() != Code::kConflict) {
      metadata.generation = before;
      return std::move(status).WithContext("index [" + metadata.name + "] metadata");
    }
  }
  if (!status.ok()) return status;
  // An older generation that stays behind is harmless: the newest is the truth (E2).
  if (before > 0) static_cast<void>(store.Delete(GenerationName(metadata.uuid, before)).ok());
  return {};
}

Status PutTombstone(store::ObjectStore& store, std::string_view uuid) {
  Status status = store.Put(IndexPrefix(uuid) + std::string(kTombstone), {});
  return status.code() == Code::kConflict ? Status() : status;
}

Status RemoveIndex(store::ObjectStore& store, std::string_view uuid) {
  const std::string prefix = IndexPrefix(uuid);
  const std::string tombstone = prefix + std::string(kTombstone);
  TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects, store.List(prefix + "/"));
  for (const store::ObjectInfo& object : objects) {
    if (object.name != tombstone) TIERCEL_TRY(store.Delete(object.name));
  }
  return store.Delete(tombstone);
}

Result<StoredIndices> LoadIndices(const store::ObjectStore& store) {
  TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects, store.List(kRoot));
  std::map<std::string, Found, std::less<>> found;
  for (const store::ObjectInfo& object : objects) {
    const std::string_view rest = std::string_view(object.name).substr(kRoot.size());
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) continue;
    Found& index = found[std::string(rest.substr(0, slash))];
    if (rest.substr(slash) == kTombstone) index.tombstone = true;
    if (rest.substr(slash).starts_with(kMeta)) index.newest_meta = object.name;
  }
  StoredIndices stored;
  for (const auto& [uuid, index] : found) {
    if (index.tombstone) {
      stored.tombstoned.push_back(uuid);
      continue;
    }
    if (index.newest_meta.empty()) {
      stored.problems.push_back(
          Corruption(IndexPrefix(uuid) + ": has objects but no metadata").With("object", IndexPrefix(uuid)));
      continue;
    }
    const Result<Bytes> bytes = store.Get(index.newest_meta);
    Result<IndexMetadata> metadata =
        bytes.ok() ? DecodeIndexMetadata(*bytes, index.newest_meta) : Result<IndexMetadata>(bytes.error());
    if (!metadata.ok()) {
      stored.problems.push_back(metadata.error());
    } else if (GenerationName(uuid, metadata->generation) != index.newest_meta) {
      stored.problems.push_back(Corruption(index.newest_meta + ": holds generation " +
                                           std::to_string(metadata->generation) + " of " + metadata->uuid));
    } else {
      stored.indices.push_back(std::move(*metadata));
    }
  }
  return stored;
}

}  // namespace tiercel::engine
