#include "tiercel/store/memory_store.h"

#include <algorithm>

#include "tiercel/base/check.h"
#include "tiercel/store/object_name.h"

namespace tiercel::store {
namespace {

Status Crashed(std::string_view name) {
  return Unavailable("[" + std::string(name) + "]: opened before the store crashed");
}

}  // namespace

class MemoryStore::MemoryUpload final : public Upload {
 public:
  MemoryUpload(MemoryStore* store, std::string name, uint64_t epoch)
      : store_(store), name_(std::move(name)), epoch_(epoch) {}

  Status Append(ByteSpan bytes) override {
    TIERCEL_CHECK(!finished_, "append to a finished upload");
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    size_ = bytes_.size();
    return {};
  }
  Status Finish() override {
    TIERCEL_CHECK(!finished_, "an upload is finished once");
    finished_ = true;
    return store_->Add(name_, std::move(bytes_), epoch_);
  }
  uint64_t size() const override { return size_; }

 private:
  MemoryStore* const store_;
  const std::string name_;
  const uint64_t epoch_;
  Bytes bytes_;
  uint64_t size_ = 0;
  bool finished_ = false;
};

class MemoryStore::MemoryAppender final : public Appender {
 public:
  MemoryAppender(MemoryStore* store, std::string name, uint64_t epoch, uint64_t size)
      : store_(store), name_(std::move(name)), epoch_(epoch), size_(size) {}

  Status Append(ByteSpan bytes) override {
    return Change([&](Object& object) {
      object.bytes.insert(object.bytes.end(), bytes.begin(), bytes.end());
      return Status();
    });
  }
  Status Sync() override {
    return Change([](Object& object) {
      object.synced = object.bytes.size();
      return Status();
    });
  }
  Status Truncate(uint64_t size) override {
    return Change([&](Object& object) {
      if (size > object.bytes.size())
        return InvalidArgument("[" + name_ + "] is shorter than " + std::to_string(size) + " bytes");
      object.bytes.resize(size);
      object.synced = size;
      return Status();
    });
  }
  uint64_t size() const override { return size_; }

 private:
  template <typename F>
  Status Change(F&& change) {
    MutexLock lock(store_->mutex_);
    if (store_->epoch_ != epoch_) return Crashed(name_);
    // A deleted log goes on in a file without a name; nobody will read it.
    const auto found = store_->objects_.find(name_);
    if (found == store_->objects_.end()) return Unavailable("[" + name_ + "] was deleted while it was appended to");
    TIERCEL_TRY(change(found->second));
    size_ = found->second.bytes.size();
    return {};
  }

  MemoryStore* const store_;
  const std::string name_;
  const uint64_t epoch_;
  uint64_t size_;
};

Result<const MemoryStore::Object*> MemoryStore::Find(std::string_view name) const {
  TIERCEL_TRY(CheckObjectName(name));
  const auto found = objects_.find(name);
  if (found == objects_.end()) return NotFound("object [" + std::string(name) + "] does not exist");
  return &found->second;
}

Status MemoryStore::CheckTree(std::string_view name) const {
  const std::string below = std::string(name) + "/";
  const auto first = objects_.lower_bound(below);
  bool clash = first != objects_.end() && first->first.starts_with(below);
  for (size_t slash = name.find('/'); !clash && slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    clash = objects_.contains(name.substr(0, slash));
  }
  if (clash) return InvalidArgument("object [" + std::string(name) + "] would be both an object and a directory");
  return {};
}

Status MemoryStore::Add(std::string_view name, Bytes bytes, uint64_t epoch) {
  MutexLock lock(mutex_);
  if (epoch != epoch_) return Crashed(name);
  if (objects_.contains(name)) return Conflict("object [" + std::string(name) + "] already exists");
  TIERCEL_TRY(CheckTree(name));
  const uint64_t size = bytes.size();
  objects_.emplace(name, Object{std::move(bytes), size});
  return {};
}

Status MemoryStore::Put(std::string_view name, ByteSpan bytes) {
  TIERCEL_TRY_ASSIGN(const std::unique_ptr<Upload> upload, NewUpload(name));
  TIERCEL_TRY(upload->Append(bytes));
  return upload->Finish();
}

Result<std::unique_ptr<Upload>> MemoryStore::NewUpload(std::string_view name) {
  TIERCEL_TRY(CheckObjectName(name));
  MutexLock lock(mutex_);
  return std::unique_ptr<Upload>(std::make_unique<MemoryUpload>(this, std::string(name), epoch_));
}

Result<std::unique_ptr<Appender>> MemoryStore::OpenAppender(std::string_view name) {
  TIERCEL_TRY(CheckObjectName(name));
  MutexLock lock(mutex_);
  auto found = objects_.find(name);
  if (found == objects_.end()) {
    TIERCEL_TRY(CheckTree(name));
    found = objects_.emplace(name, Object{}).first;
  }
  return std::unique_ptr<Appender>(
      std::make_unique<MemoryAppender>(this, std::string(name), epoch_, found->second.bytes.size()));
}

Result<Bytes> MemoryStore::Get(std::string_view name) const {
  MutexLock lock(mutex_);
  TIERCEL_TRY_ASSIGN(const Object* object, Find(name));
  return object->bytes;
}

Result<Bytes> MemoryStore::GetRange(std::string_view name, uint64_t offset, uint64_t length) const {
  MutexLock lock(mutex_);
  TIERCEL_TRY_ASSIGN(const Object* object, Find(name));
  const uint64_t size = object->bytes.size();
  if (offset > size || length > size - offset) {
    return InvalidArgument("[" + std::string(name) + "] has " + std::to_string(size) + " bytes; cannot read " +
                           std::to_string(length) + " at offset " + std::to_string(offset));
  }
  const auto first = object->bytes.begin() + static_cast<ptrdiff_t>(offset);
  return Bytes(first, first + static_cast<ptrdiff_t>(length));
}

Result<uint64_t> MemoryStore::Size(std::string_view name) const {
  MutexLock lock(mutex_);
  TIERCEL_TRY_ASSIGN(const Object* object, Find(name));
  return static_cast<uint64_t>(object->bytes.size());
}

Result<std::vector<ObjectInfo>> MemoryStore::List(std::string_view prefix) const {
  TIERCEL_TRY(CheckPrefix(prefix));
  MutexLock lock(mutex_);
  std::vector<ObjectInfo> found;
  for (auto at = objects_.lower_bound(prefix); at != objects_.end() && at->first.starts_with(prefix); ++at) {
    found.push_back({at->first, at->second.bytes.size()});
  }
  return found;
}

Status MemoryStore::Delete(std::string_view name) {
  TIERCEL_TRY(CheckObjectName(name));
  MutexLock lock(mutex_);
  if (const auto found = objects_.find(name); found != objects_.end()) objects_.erase(found);
  return {};
}

void MemoryStore::Crash(Random* random) {
  MutexLock lock(mutex_);
  ++epoch_;
  for (auto& [name, object] : objects_) {
    const uint64_t unsynced = object.bytes.size() - object.synced;
    const uint64_t kept = random != nullptr ? random->Below(unsynced + 1) : 0;
    object.bytes.resize(object.synced + kept);
    object.synced = object.bytes.size();
  }
}

bool MemoryStore::FlipBit(std::string_view name, uint64_t offset, unsigned bit) {
  MutexLock lock(mutex_);
  const auto found = objects_.find(name);
  if (found == objects_.end() || offset >= found->second.bytes.size()) return false;
  found->second.bytes[offset] ^= static_cast<uint8_t>(1u << (bit % 8));
  return true;
}

}  // namespace tiercel::store
