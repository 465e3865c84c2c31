#include "tiercel/store/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace tiercel::store {

Result<DirectoryLock> DirectoryLock::Acquire(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / ".lock";
  TIERCEL_TRY_ASSIGN(FileDescriptor file, OpenFile(path, O_RDWR | O_CREAT, path.native()));
  int rc;
  do rc = flock(file.get(), LOCK_EX | LOCK_NB);
  while (rc != 0 && errno == EINTR);
  if (rc != 0 && errno != EWOULDBLOCK) return ErrnoStatus(errno, "locking", path.native());
  if (rc != 0) {
    char holder[32] = {};
    const ssize_t got = pread(file.get(), holder, sizeof holder - 1, 0);
    const std::string pid = got > 0 ? std::string(holder, static_cast<size_t>(got)) : "unknown";
    return Conflict("data directory [" + directory.native() + "] is in use by process " + pid);
  }
  // Best effort: the id only serves the message above.
  const std::string pid = std::to_string(getpid());
  if (ftruncate(file.get(), 0) == 0) static_cast<void>(WriteAt(file.get(), AsBytes(pid), 0, path.native()).ok());
  return DirectoryLock(std::move(file));
}

}  // namespace tiercel::store
