// DirectoryStore: an object store in a local directory; object NAME is the file ROOT/NAME.
//
// A new object is written to ROOT/.tmp, synced, moved to its name with rename-if-absent, and its directory synced: a
// crash at any moment leaves the whole object or none, and a leftover in .tmp, which Open removes. Directories are made
// durable when they are made and removed when their last object is deleted.
//
// Thread safety: all methods from any thread. One mutex is held while directories are made or removed, I/O included;
// plain reads and writes of objects in existing directories take it only for a look-up. Lifetime: holds the directory's
// lock. Cost: a Put is two syncs; a Delete one; reads are one open and one pread.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>

#include "tiercel/base/mutex.h"
#include "tiercel/store/directory_lock.h"
#include "tiercel/store/object_store.h"

namespace tiercel::store {

class DirectoryStore final : public ObjectStore {
 public:
  // Creates the directory where needed, takes its DirectoryLock (Conflict names the holder) and removes leftover
  // temporaries.
  static Result<std::unique_ptr<DirectoryStore>> Open(const std::filesystem::path& root);
  // For offline tools: takes no lock, changes nothing; every write is Forbidden.
  static Result<std::unique_ptr<DirectoryStore>> OpenReadOnly(const std::filesystem::path& root);

  Status Put(std::string_view name, ByteSpan bytes) override;
  Result<std::unique_ptr<Upload>> NewUpload(std::string_view name) override;
  Result<std::unique_ptr<Appender>> OpenAppender(std::string_view name) override;
  Result<Bytes> Get(std::string_view name) const override;
  Result<Bytes> GetRange(std::string_view name, uint64_t offset, uint64_t length) const override;
  Result<uint64_t> Size(std::string_view name) const override;
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) const override;
  Status Delete(std::string_view name) override;
  std::optional<std::filesystem::path> LocalPath(std::string_view name) const override;

  const std::filesystem::path& root() const { return root_; }

 private:
  class FileUpload;
  class FileAppender;

  DirectoryStore(std::filesystem::path root, std::optional<DirectoryLock> lock)
      : root_(std::move(root)), lock_(std::move(lock)) {}
  std::filesystem::path PathOf(std::string_view name) const { return root_ / std::filesystem::path(name); }
  Status CheckWritable(std::string_view name) const;
  // Makes the directories above `name`, durably.
  Status EnsureParents(std::string_view name) EXCLUDES(directories_mutex_);
  void RemoveEmptyParents(std::string_view name) EXCLUDES(directories_mutex_);
  // Gives the synced file at `temporary` its name, if that is free, and makes the entry durable.
  Status Publish(const std::filesystem::path& temporary, std::string_view name);

  const std::filesystem::path root_;
  const std::optional<DirectoryLock> lock_;  // none: read only
  std::atomic<uint64_t> next_temporary_{0};
  Mutex directories_mutex_;
  std::set<std::string, std::less<>> durable_directories_ GUARDED_BY(directories_mutex_);
};

}  // namespace tiercel::store
