#include "tiercel/store/directory_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tiercel/store/object_name.h"
#include "tiercel/store/posix_file.h"

namespace tiercel::store {
namespace {

constexpr const char* kTemporaryDirectory = ".tmp";
// How often making directories and publishing is tried again when a concurrent Delete removed the directory in between.
constexpr int kPublishAttempts = 100;

// 0 or an errno. Fails with EEXIST when `to` exists.
int RenameIfAbsent(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems without RENAME_NOREPLACE: a hard link refuses an existing name too.
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  unlink(from.c_str());
  return 0;
}

struct DirectoryCloser {
  void operator()(DIR* directory) const { closedir(directory); }
};

// Adds the objects below directory `relative` ("" or "a/b/") whose name starts with `prefix`. What vanishes meanwhile
// is skipped.
Status Walk(const std::filesystem::path& root, const std::string& relative, std::string_view prefix,
            std::vector<ObjectInfo>& found) {
  const std::filesystem::path path = root / relative;
  std::unique_ptr<DIR, DirectoryCloser> directory(opendir(path.c_str()));
  if (!directory) return errno == ENOENT || errno == ENOTDIR ? Status() : ErrnoStatus(errno, "listing", path.native());
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr)
      return errno == 0 || errno == ENOENT ? Status() : ErrnoStatus(errno, "listing", path.native());
    if (entry->d_name[0] == '.') continue;
    std::string name = relative + entry->d_name;
    struct stat info;
    if (fstatat(dirfd(directory.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;
      return ErrnoStatus(errno, "examining", name);
    }
    if (S_ISDIR(info.st_mode)) {
      name += '/';
      if (name.starts_with(prefix) || prefix.starts_with(name)) TIERCEL_TRY(Walk(root, name, prefix, found));
    } else if (S_ISREG(info.st_mode) && name.starts_with(prefix)) {
      found.push_back({std::move(name), static_cast<uint64_t>(info.st_size)});
    }
  }
}

}  // namespace

class DirectoryStore::FileUpload final : public Upload {
 public:
  FileUpload(DirectoryStore* store, std::string name, std::filesystem::path temporary, FileDescriptor file)
      : store_(store), name_(std::move(name)), temporary_(std::move(temporary)), file_(std::move(file)) {}
  ~FileUpload() override {
    if (file_.valid()) unlink(temporary_.c_str());
  }

  Status Append(ByteSpan bytes) override {
    TIERCEL_CHECK(file_.valid(), "append to a finished upload");
    TIERCEL_TRY(WriteAt(file_.get(), bytes, size_, name_));
    size_ += bytes.size();
    return {};
  }

  Status Finish() override {
    TIERCEL_CHECK(file_.valid(), "an upload is finished once");
    Status status = SyncData(file_.get(), name_);
    if (status.ok()) status = store_->Publish(temporary_, name_);
    if (!status.ok()) unlink(temporary_.c_str());
    file_.Close();
    return status;
  }

  uint64_t size() const override { return size_; }

 private:
  DirectoryStore* const store_;
  const std::string name_;
  const std::filesystem::path temporary_;
  FileDescriptor file_;
  uint64_t size_ = 0;
};

class DirectoryStore::FileAppender final : public Appender {
 public:
  FileAppender(std::string name, FileDescriptor file, uint64_t size)
      : name_(std::move(name)), file_(std::move(file)), size_(size), synced_size_(size) {}

  Status Append(ByteSpan bytes) override {
    TIERCEL_TRY(CheckSound());
    if (Status status = WriteAt(file_.get(), bytes, size_, name_); !status.ok()) {
      torn_ = ftruncate(file_.get(), static_cast<off_t>(size_)) != 0;
      return status;
    }
    size_ += bytes.size();
    return {};
  }

  Status Sync() override {
    TIERCEL_TRY(CheckSound());
    Status status = SyncData(file_.get(), name_);
    sync_failed_ = !status.ok();
    if (status.ok()) synced_size_ = size_;
    return status;
  }

  Status Truncate(uint64_t size) override {
    if (size > size_)
      return InvalidArgument("[" + name_ + "] has " + std::to_string(size_) + " bytes, cannot cut it to " +
                             std::to_string(size));
    if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return ErrnoStatus(errno, "truncating", name_);
    size_ = size;
    torn_ = false;
    synced_size_ = std::min(synced_size_, size);
    TIERCEL_TRY(SyncData(file_.get(), name_));
    if (size_ <= synced_size_) sync_failed_ = false;
    return {};
  }

  uint64_t size() const override { return size_; }

 private:
  // After a failed sync the kernel may have dropped the dirty pages and marked them clean: a second sync would report
  // success for bytes that never reached the disk. Only cutting them off makes the appender good again.
  Status CheckSound() const {
    if (torn_)
      return Unavailable("[" + name_ + "] ends in part of a failed append after offset " + std::to_string(size_));
    if (!sync_failed_) return {};
    return Unavailable("[" + name_ + "] may have lost the bytes after offset " + std::to_string(synced_size_) +
                       " to a failed sync");
  }

  const std::string name_;
  FileDescriptor file_;
  uint64_t size_;
  uint64_t synced_size_;
  bool sync_failed_ = false;
  bool torn_ = false;  // a failed append left bytes after size_
};

Result<std::unique_ptr<DirectoryStore>> DirectoryStore::Open(const std::filesystem::path& root) {
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error) return ErrnoStatus(error.value(), "creating data directory", root.native());
  const std::filesystem::path canonical = std::filesystem::canonical(root, error);
  if (error) return ErrnoStatus(error.value(), "opening data directory", root.native());
  TIERCEL_TRY_ASSIGN(DirectoryLock lock, DirectoryLock::Acquire(canonical));
  std::filesystem::remove_all(canonical / kTemporaryDirectory, error);
  if (!error) std::filesystem::create_directory(canonical / kTemporaryDirectory, error);
  if (error) return ErrnoStatus(error.value(), "clearing temporary files of", root.native());
  return std::unique_ptr<DirectoryStore>(new DirectoryStore(canonical, std::move(lock)));
}

Result<std::unique_ptr<DirectoryStore>> DirectoryStore::OpenReadOnly(const std::filesystem::path& root) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(root, error);
  if (error) return ErrnoStatus(error.value(), "opening data directory", root.native());
  return std::unique_ptr<DirectoryStore>(new DirectoryStore(canonical, std::nullopt));
}

Status DirectoryStore::CheckWritable(std::string_view name) const {
  TIERCEL_TRY(CheckObjectName(name));
  if (!lock_) return Forbidden("[" + std::string(name) + "]: the store was opened for reading only");
  return {};
}

Status DirectoryStore::EnsureParents(std::string_view name) {
  MutexLock lock(directories_mutex_);
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    const std::string_view directory = name.substr(0, slash);
    if (durable_directories_.contains(directory)) continue;
    const std::filesystem::path path = PathOf(directory);
    if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return ErrnoStatus(errno, "creating directory of", name);
    TIERCEL_TRY(SyncDirectory(path.parent_path()));
    durable_directories_.emplace(directory);
  }
  return {};
}

void DirectoryStore::RemoveEmptyParents(std::string_view name) {
  MutexLock lock(directories_mutex_);
  for (size_t slash = name.rfind('/'); slash != std::string_view::npos; slash = name.rfind('/')) {
    name = name.substr(0, slash);
    if (rmdir(PathOf(name).c_str()) != 0) return;
    if (const auto found = durable_directories_.find(name); found != durable_directories_.end())
      durable_directories_.erase(found);
  }
}

Status DirectoryStore::Publish(const std::filesystem::path& temporary, std::string_view name) {
  const std::filesystem::path path = PathOf(name);
  int error = ENOENT;
  for (int attempt = 0; error == ENOENT && attempt < kPublishAttempts; ++attempt) {
    TIERCEL_TRY(EnsureParents(name));
    error = RenameIfAbsent(temporary, path);
  }
  if (error == EEXIST) return Conflict("object [" + std::string(name) + "] already exists");
  if (error != 0) return ErrnoStatus(error, "publishing", name);
  return SyncDirectory(path.parent_path());
}

Status DirectoryStore::Put(std::string_view name, ByteSpan bytes) {
  TIERCEL_TRY_ASSIGN(const std::unique_ptr<Upload> upload, NewUpload(name));
  TIERCEL_TRY(upload->Append(bytes));
  return upload->Finish();
}

Result<std::unique_ptr<Upload>> DirectoryStore::NewUpload(std::string_view name) {
  TIERCEL_TRY(CheckWritable(name));
  std::filesystem::path temporary = root_ / kTemporaryDirectory / std::to_string(next_temporary_.fetch_add(1));
  TIERCEL_TRY_ASSIGN(FileDescriptor file, OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL, name));
  return std::unique_ptr<Upload>(
      std::make_unique<FileUpload>(this, std::string(name), std::move(temporary), std::move(file)));
}

Result<std::unique_ptr<Appender>> DirectoryStore::OpenAppender(std::string_view name) {
  TIERCEL_TRY(CheckWritable(name));
  const std::filesystem::path path = PathOf(name);
  for (int attempt = 1;; ++attempt) {
    TIERCEL_TRY(EnsureParents(name));
    Result<FileDescriptor> file = OpenFile(path, O_RDWR | O_CREAT, name);
    if (!file.ok() && file.error().code() == Code::kNotFound && attempt < kPublishAttempts) continue;
    if (!file.ok()) return file.error();
    TIERCEL_TRY_ASSIGN(const uint64_t size, FileSize(file->get(), name));
    // What stands in the file may be what a crashed process wrote and never synced; from here on it counts as synced.
    TIERCEL_TRY(SyncData(file->get(), name));
    TIERCEL_TRY(SyncDirectory(path.parent_path()));
    return std::unique_ptr<Appender>(std::make_unique<FileAppender>(std::string(name), std::move(*file), size));
  }
}

Result<Bytes> DirectoryStore::Get(std::string_view name) const {
  TIERCEL_TRY(CheckObjectName(name));
  TIERCEL_TRY_ASSIGN(const FileDescriptor file, OpenFile(PathOf(name), O_RDONLY, name));
  TIERCEL_TRY_ASSIGN(const uint64_t size, FileSize(file.get(), name));
  return ReadAt(file.get(), 0, size, name);
}

Result<Bytes> DirectoryStore::GetRange(std::string_view name, uint64_t offset, uint64_t length) const {
  TIERCEL_TRY(CheckObjectName(name));
  TIERCEL_TRY_ASSIGN(const FileDescriptor file, OpenFile(PathOf(name), O_RDONLY, name));
  TIERCEL_TRY_ASSIGN(const uint64_t size, FileSize(file.get(), name));
  if (offset > size || length > size - offset) {
    return InvalidArgument("[" + std::string(name) + "] has " + std::to_string(size) + " bytes; cannot read " +
                           std::to_string(length) + " at offset " + std::to_string(offset));
  }
  return ReadAt(file.get(), offset, length, name);
}

Result<uint64_t> DirectoryStore::Size(std::string_view name) const {
  TIERCEL_TRY(CheckObjectName(name));
  TIERCEL_TRY_ASSIGN(const FileDescriptor file, OpenFile(PathOf(name), O_RDONLY, name));
  return FileSize(file.get(), name);
}

Result<std::vector<ObjectInfo>> DirectoryStore::List(std::string_view prefix) const {
  TIERCEL_TRY(CheckPrefix(prefix));
  std::vector<ObjectInfo> found;
  const size_t slash = prefix.rfind('/');
  TIERCEL_TRY(
      Walk(root_, std::string(prefix.substr(0, slash == std::string_view::npos ? 0 : slash + 1)), prefix, found));
  std::sort(found.begin(), found.end(), [](const ObjectInfo& a, const ObjectInfo& b) { return a.name < b.name; });
  return found;
}

Status DirectoryStore::Delete(std::string_view name) {
  TIERCEL_TRY(CheckWritable(name));
  const std::filesystem::path path = PathOf(name);
  if (unlink(path.c_str()) != 0) {
    // A directory, or below an object: no object has that name.
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR) return {};
    return ErrnoStatus(errno, "deleting", name);
  }
  const Status synced = SyncDirectory(path.parent_path());
  // A concurrent Delete may have removed the directory after us: gone is gone.
  if (!synced.ok() && synced.code() != Code::kNotFound) return synced;
  RemoveEmptyParents(name);
  return {};
}

std::optional<std::filesystem::path> DirectoryStore::LocalPath(std::string_view name) const {
  if (!CheckObjectName(name).ok()) return std::nullopt;
  return PathOf(name);
}

}  // namespace tiercel::store
