// ObjectStore: named, immutable objects. The truth of every index lives here; nodes are disposable.
//
// Names are '/'-separated paths of [A-Za-z0-9._-] segments (object_name.h); no object's name is a directory of
// another's. An object is never changed once it exists: Put and Upload::Finish succeed only when the name is free,
// which is what commits and leadership are built on. An object is visible whole or not at all, and durable when the
// call that made it returns OK. The log is the one exception to immutability: an Appender grows an object, and what
// Sync returned OK for survives a crash.
//
// Errors: NotFound, Conflict (the name is taken), Unavailable (I/O; a retry may help), ResourceExhausted (no space
// left). Thread safety: all methods from any thread; an Upload or Appender belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"

namespace tiercel::store {

struct ObjectInfo {
  std::string name;
  uint64_t size = 0;
};

// Streams a new object in. Nothing is visible before Finish; destroying it unfinished leaves no trace.
class Upload {
 public:
  virtual ~Upload() = default;
  virtual Status Append(ByteSpan bytes) = 0;
  // Makes the object durable and visible under its name, if the name is still free.
  virtual Status Finish() = 0;
  virtual uint64_t size() const = 0;
};

// Grows a log object. After a failed Append the object may end in part of the bytes, which size() does not count; after
// a failed Sync everything since the last good one may be lost. Truncate to a size known to be good before appending
// again; stores refuse to Sync (with Unavailable) what a failed Sync left in doubt.
class Appender {
 public:
  virtual ~Appender() = default;
  virtual Status Append(ByteSpan bytes) = 0;
  // On OK, everything appended so far survives a crash.
  virtual Status Sync() = 0;
  // Drops everything after `size`, durably: how a failed append is taken back.
  virtual Status Truncate(uint64_t size) = 0;
  virtual uint64_t size() const = 0;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  virtual Status Put(std::string_view name, ByteSpan bytes) = 0;
  virtual Result<std::unique_ptr<Upload>> NewUpload(std::string_view name) = 0;
  // Opens `name` for appending, at its end when it exists.
  virtual Result<std::unique_ptr<Appender>> OpenAppender(std::string_view name) = 0;

  virtual Result<Bytes> Get(std::string_view name) const = 0;
  // OutOfRange reads are InvalidArgument: callers know the size.
  virtual Result<Bytes> GetRange(std::string_view name, uint64_t offset, uint64_t length) const = 0;
  virtual Result<uint64_t> Size(std::string_view name) const = 0;
  // All objects whose name starts with `prefix`, sorted by name.
  virtual Result<std::vector<ObjectInfo>> List(std::string_view prefix) const = 0;
  // OK when the object is gone, even if it never was.
  virtual Status Delete(std::string_view name) = 0;

  // Where the object lies as a plain local file that can be mapped; nothing for remote or decorated stores.
  virtual std::optional<std::filesystem::path> LocalPath(std::string_view) const { return std::nullopt; }
};

}  // namespace tiercel::store
