// Index: one index at run time: its current metadata, and its shards while it is open.
//
// Thread safety: all methods from any thread. Changes of the metadata are serialised by a mutex that is held across
// store I/O; reading the metadata waits only for a pointer swap. Lifetime: shared; operations hold the Shards they work
// on, and Close waits for them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/base/result.h"
#include "tiercel/engine/index_metadata.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/shard/shard.h"

namespace tiercel::engine {

struct EngineOptions;
using IndexMetadataPtr = std::shared_ptr<const IndexMetadata>;

// The newest metadata of an index, shared with whoever has to see changes.
class MetadataCell {
 public:
  explicit MetadataCell(IndexMetadataPtr metadata) : metadata_(std::move(metadata)) {}
  IndexMetadataPtr Get() const {
    MutexLock lock(mutex_);
    return metadata_;
  }
  void Set(IndexMetadataPtr metadata) {
    MutexLock lock(mutex_);
    metadata_.swap(metadata);
  }

 private:
  mutable Mutex mutex_;
  IndexMetadataPtr metadata_ GUARDED_BY(mutex_);
};

class Index {
 public:
  // The shards of an open index. A shard that could not be opened keeps its error; the others work.
  class Shards {
   public:
    explicit Shards(std::vector<Result<std::unique_ptr<shard::Shard>>> shards);
    ~Shards();
    uint32_t size() const { return static_cast<uint32_t>(shards_.size()); }
    Result<shard::Shard*> at(uint32_t number) const;
    // Blocks until the Shards that returned this is gone.
    std::function<void()> Waiter() const;

   private:
    struct Gone;
    std::vector<Result<std::unique_ptr<shard::Shard>>> shards_;
    const std::shared_ptr<Gone> gone_;
  };

  // Opens the shards when the metadata says so. `metadata` is stored already.
  Index(const EngineOptions& options, IndexMetadata metadata);

  IndexMetadataPtr metadata() const { return cell_->Get(); }
  // index_closed_exception when the index is closed, index_not_found_exception when it is being deleted.
  Result<std::shared_ptr<Shards>> shards() const;

  // Runs `change` on a copy of the newest metadata, and when it returns true stores the copy and makes it current.
  Status Change(const std::function<Result<bool>(IndexMetadata&)>& change) EXCLUDES(change_mutex_);

  // Parses a document, bringing the mapping up to what it needs first; the new mapping is durable on return.
  Result<mapping::ParsedDocument> Parse(std::string_view id, std::string source);
  // The same under the current mapping; an error also when that lacks a field.
  Result<mapping::ParsedDocument> ParseAsMapped(std::string_view id, std::string source) const;

  // Flushes, closes the shards and waits for operations under way; the metadata stays.
  Status CloseShards(bool flush) EXCLUDES(shards_mutex_);
  void OpenShards() EXCLUDES(shards_mutex_);
  // Passes the current settings to the shards.
  Status ApplySettings();

 private:
  const EngineOptions& options_;
  const std::shared_ptr<MetadataCell> cell_;
  Mutex change_mutex_;
  mutable Mutex shards_mutex_;
  std::shared_ptr<Shards> shards_ GUARDED_BY(shards_mutex_);
};

// cluster_block_exception when `block` is not empty.
Status CheckBlock(const IndexMetadata& metadata, std::string_view block);
Status IndexClosed(const IndexMetadata& metadata);
// Adds the attributes index_uuid, shard and index, as errors of one document carry them.
Status InShard(Status status, const IndexMetadata& metadata, uint32_t shard_number);

}  // namespace tiercel::engine
