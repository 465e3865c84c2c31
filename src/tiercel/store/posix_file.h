// File descriptors with an owner, and errno as Status: the only place of this module that knows errno.
//
// Thread safety: a FileDescriptor belongs to one thread at a time; the functions are pure. Every wait is retried on
// EINTR.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"

namespace tiercel::store {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

// "what NAME: No such file or directory". ENOENT is NotFound, EEXIST Conflict, no space left or over quota
// ResourceExhausted, a file where a directory is needed (or the reverse) InvalidArgument, anything else Unavailable.
Status ErrnoStatus(int error, std::string_view what, std::string_view name);

Result<FileDescriptor> OpenFile(const std::filesystem::path& path, int flags, std::string_view name);
Status WriteAt(int fd, ByteSpan bytes, uint64_t offset, std::string_view name);
// Exactly `length` bytes; a file that ends early is Unavailable.
Result<Bytes> ReadAt(int fd, uint64_t offset, uint64_t length, std::string_view name);
Result<uint64_t> FileSize(int fd, std::string_view name);
Status SyncData(int fd, std::string_view name);
// Makes the entries of a directory durable.
Status SyncDirectory(const std::filesystem::path& directory);

}  // namespace tiercel::store
