#include "tiercel/store/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace tiercel::store {
namespace {

// Linux moves at most about 2 GiB a call.
constexpr size_t kTransferBytesMax = 1u << 30;

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Status ErrnoStatus(int error, std::string_view what, std::string_view name) {
  std::string message = std::string(what) + " [" + std::string(name) + "]: " + std::generic_category().message(error);
  switch (error) {
    case ENOENT:
      return NotFound(std::move(message));
    case EEXIST:
      return Conflict(std::move(message));
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ResourceExhausted(std::move(message)).WithType("i_o_exception");
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
      return InvalidArgument(std::move(message));
    default:
      return Unavailable(std::move(message)).WithType("i_o_exception");
  }
}

Result<FileDescriptor> OpenFile(const std::filesystem::path& path, int flags, std::string_view name) {
  int fd;
  do fd = open(path.c_str(), flags | O_CLOEXEC, 0644);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return ErrnoStatus(errno, "opening", name);
  return FileDescriptor(fd);
}

Status WriteAt(int fd, ByteSpan bytes, uint64_t offset, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t wrote =
        pwrite(fd, bytes.data(), std::min(bytes.size(), kTransferBytesMax), static_cast<off_t>(offset));
    if (wrote < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "writing", name);
    }
    bytes = bytes.subspan(static_cast<size_t>(wrote));
    offset += static_cast<uint64_t>(wrote);
  }
  return {};
}

Result<Bytes> ReadAt(int fd, uint64_t offset, uint64_t length, std::string_view name) {
  Bytes bytes(length);
  for (uint64_t done = 0; done < length;) {
    const ssize_t got = pread(fd, bytes.data() + done, std::min<uint64_t>(length - done, kTransferBytesMax),
                              static_cast<off_t>(offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "reading", name);
    }
    if (got == 0) {
      return Unavailable("reading [" + std::string(name) + "]: ends at offset " + std::to_string(offset + done) +
                         " of " + std::to_string(offset + length));
    }
    done += static_cast<uint64_t>(got);
  }
  return bytes;
}

Result<uint64_t> FileSize(int fd, std::string_view name) {
  struct stat info;
  if (fstat(fd, &info) != 0) return ErrnoStatus(errno, "examining", name);
  if (!S_ISREG(info.st_mode)) return NotFound("[" + std::string(name) + "] is not an object");
  return static_cast<uint64_t>(info.st_size);
}

Status SyncData(int fd, std::string_view name) {
  int rc;
  do rc = fdatasync(fd);
  while (rc != 0 && errno == EINTR);
  return rc == 0 ? Status() : ErrnoStatus(errno, "syncing", name);
}

Status SyncDirectory(const std::filesystem::path& directory) {
  TIERCEL_TRY_ASSIGN(const FileDescriptor fd, OpenFile(directory, O_RDONLY | O_DIRECTORY, directory.native()));
  int rc;
  do rc = fsync(fd.get());
  while (rc != 0 && errno == EINTR);
  return rc == 0 ? Status() : ErrnoStatus(errno, "syncing", directory.native());
}

}  // namespace tiercel::store
