// DirectoryLock: one process at a time owns a data directory.
//
// An flock on DIRECTORY/.lock, which the kernel drops with the process, so a crash leaves nothing to clean up. The file
// holds the owner's process id for the error message of the one who comes second.
//
// Thread safety: movable value, one thread at a time. Lifetime: the lock is held until it is destroyed.
#pragma once

#include <filesystem>

#include "tiercel/base/result.h"
#include "tiercel/store/posix_file.h"

namespace tiercel::store {

class DirectoryLock {
 public:
  // Conflict, naming directory and holder, when another process (or another lock in this one) holds it.
  static Result<DirectoryLock> Acquire(const std::filesystem::path& directory);

 private:
  explicit DirectoryLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace tiercel::store
