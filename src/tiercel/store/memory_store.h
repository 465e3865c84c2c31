// MemoryStore: an object store in memory, for tests: fast, and able to crash.
//
// Crash() does what losing power does to a DirectoryStore: bytes appended after the last Sync are dropped (or, given a
// Random, cut at a random place), and uploads and appenders opened before it only answer Unavailable.
//
// Thread safety: all methods from any thread. Lifetime: uploads and appenders must not outlive the store.
// Cost: one mutex; Get copies.
#pragma once

#include <map>
#include <string>

#include "tiercel/base/mutex.h"
#include "tiercel/base/random.h"
#include "tiercel/store/object_store.h"

namespace tiercel::store {

class MemoryStore final : public ObjectStore {
 public:
  Status Put(std::string_view name, ByteSpan bytes) override;
  Result<std::unique_ptr<Upload>> NewUpload(std::string_view name) override;
  Result<std::unique_ptr<Appender>> OpenAppender(std::string_view name) override;
  Result<Bytes> Get(std::string_view name) const override;
  Result<Bytes> GetRange(std::string_view name, uint64_t offset, uint64_t length) const override;
  Result<uint64_t> Size(std::string_view name) const override;
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) const override;
  Status Delete(std::string_view name) override;

  void Crash(Random* random = nullptr);
  // Changes stored bytes behind the store's back, for corruption tests. False when there is no such byte.
  bool FlipBit(std::string_view name, uint64_t offset, unsigned bit);

 private:
  class MemoryUpload;
  class MemoryAppender;
  struct Object {
    Bytes bytes;
    uint64_t synced = 0;
  };

  Status Add(std::string_view name, Bytes bytes, uint64_t epoch);
  Result<const Object*> Find(std::string_view name) const REQUIRES(mutex_);
  // Conflict when `name` is a directory of another object's name or the reverse.
  Status CheckTree(std::string_view name) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Object, std::less<>> objects_ GUARDED_BY(mutex_);
  uint64_t epoch_ GUARDED_BY(mutex_) = 0;  // crashes so far
};

}  // namespace tiercel::store
