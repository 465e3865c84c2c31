#include "tiercel/store/fault_store.h"

#include <algorithm>

namespace tiercel::store {
namespace {

Status Failure(FaultKind kind, std::string_view name) {
  if (kind == FaultKind::kNoSpace)
    return ResourceExhausted("writing [" + std::string(name) + "]: No space left on device").WithType("i_o_exception");
  return Unavailable("accessing [" + std::string(name) + "]: Input/output error").WithType("i_o_exception");
}

Status Crashed(std::string_view name) {
  return Unavailable("[" + std::string(name) + "]: opened before the store crashed");
}

}  // namespace

class FaultStore::FaultUpload final : public Upload {
 public:
  FaultUpload(const FaultStore* store, std::string name, std::unique_ptr<Upload> base, uint64_t epoch)
      : store_(store), name_(std::move(name)), base_(std::move(base)), epoch_(epoch) {}

  Status Append(ByteSpan bytes) override {
    if (store_->Dead(epoch_)) return Crashed(name_);
    return store_->Run(FaultPoint::kUploadAppend, name_, [&] { return base_->Append(bytes); });
  }
  Status Finish() override {
    if (store_->Dead(epoch_)) return Crashed(name_);
    return store_->Run(FaultPoint::kUploadFinish, name_, [&] { return base_->Finish(); });
  }
  uint64_t size() const override { return base_->size(); }

 private:
  const FaultStore* const store_;
  const std::string name_;
  const std::unique_ptr<Upload> base_;
  const uint64_t epoch_;
};

class FaultStore::FaultAppender final : public Appender {
 public:
  FaultAppender(FaultStore* store, std::string name, std::unique_ptr<Appender> base, uint64_t epoch)
      : store_(store), name_(std::move(name)), base_(std::move(base)), epoch_(epoch), size_(base_->size()) {}

  Status Append(ByteSpan bytes) override {
    if (store_->Dead(epoch_)) return Crashed(name_);
    const auto tear = [&](const Fault& fault) {
      const uint64_t kept = std::min<uint64_t>(fault.keep_bytes, bytes.size());
      static_cast<void>(base_->Append(bytes.subspan(0, kept)).ok());
    };
    TIERCEL_TRY(store_->Run(FaultPoint::kAppend, name_, [&] { return base_->Append(bytes); }, tear));
    size_ = base_->size();
    return {};
  }
  Status Sync() override {
    if (store_->Dead(epoch_)) return Crashed(name_);
    return store_->Run(FaultPoint::kSync, name_, [&] {
      TIERCEL_TRY(base_->Sync());
      store_->NoteSynced(name_, base_->size());
      return Status();
    });
  }
  Status Truncate(uint64_t size) override {
    if (store_->Dead(epoch_)) return Crashed(name_);
    return store_->Run(FaultPoint::kTruncate, name_, [&] {
      TIERCEL_TRY(base_->Truncate(size));
      size_ = size;
      store_->NoteSynced(name_, size);
      return Status();
    });
  }
  uint64_t size() const override { return size_; }

 private:
  FaultStore* const store_;
  const std::string name_;
  const std::unique_ptr<Appender> base_;
  const uint64_t epoch_;
  uint64_t size_;  // whole appends only; torn bytes lie after it until Truncate
};

void FaultStore::Add(FaultRule rule) {
  MutexLock lock(mutex_);
  rules_.push_back(std::move(rule));
}

void FaultStore::Randomize(const FaultProfile& profile) {
  MutexLock lock(mutex_);
  profile_ = profile;
  random_.reset();
  if (profile.one_in > 0 && !profile.kinds.empty()) random_.emplace(profile.seed);
}

void FaultStore::Heal() {
  MutexLock lock(mutex_);
  rules_.clear();
  random_.reset();
}

uint64_t FaultStore::faults() const {
  MutexLock lock(mutex_);
  return faults_;
}

Status FaultStore::Crash(Random* random) {
  std::map<std::string, uint64_t> synced;
  {
    MutexLock lock(mutex_);
    ++epoch_;
    synced.swap(synced_sizes_);
  }
  for (const auto& [name, size] : synced) {
    if (const auto now = base_.Size(name); !now.ok()) continue;  // deleted since
    TIERCEL_TRY_ASSIGN(const std::unique_ptr<Appender> appender, base_.OpenAppender(name));
    if (appender->size() <= size) continue;
    const uint64_t kept = random != nullptr ? random->Below(appender->size() - size + 1) : 0;
    TIERCEL_TRY(appender->Truncate(size + kept));
  }
  return {};
}

std::optional<FaultStore::Fault> FaultStore::Choose(FaultPoint point, std::string_view name) const {
  for (FaultRule& rule : rules_) {
    if (rule.count == 0 || (rule.on != FaultPoint::kAny && rule.on != point)) continue;
    if (name.find(rule.name_contains) == std::string_view::npos) continue;
    if (rule.skip > 0) {
      --rule.skip;
      continue;
    }
    --rule.count;
    return Fault{rule.kind, rule.keep_bytes, rule.keep_bytes};
  }
  if (!random_ || !random_->OneIn(profile_.one_in)) return std::nullopt;
  const FaultKind kind = profile_.kinds[random_->Below(profile_.kinds.size())];
  return Fault{kind, random_->Below(64), random_->Next()};
}

std::optional<FaultStore::Fault> FaultStore::Strike(FaultPoint point, std::string_view name) const {
  std::optional<Fault> fault;
  {
    MutexLock lock(mutex_);
    fault = Choose(point, name);
    if (fault) ++faults_;
  }
  if (!fault || fault->kind != FaultKind::kSlow) return fault;
  if (on_slow_) on_slow_();
  return std::nullopt;
}

Status FaultStore::Run(FaultPoint point, std::string_view name, const std::function<Status()>& call,
                       const std::function<void(const Fault&)>& torn) const {
  const std::optional<Fault> fault = Strike(point, name);
  if (!fault) return call();
  if (fault->kind == FaultKind::kLateError) TIERCEL_TRY(call());
  if (fault->kind == FaultKind::kTornWrite && torn) torn(*fault);
  return Failure(fault->kind, name);
}

Result<Bytes> FaultStore::Read(std::string_view name, const std::function<Result<Bytes>()>& call) const {
  const std::optional<Fault> fault = Strike(FaultPoint::kGet, name);
  if (fault && fault->kind != FaultKind::kFlippedBit) return Failure(fault->kind, name);
  Result<Bytes> bytes = call();
  if (fault && bytes.ok() && !bytes->empty()) (*bytes)[fault->random % bytes->size()] ^= 0x10;
  return bytes;
}

bool FaultStore::Dead(uint64_t epoch) const { return epoch != this->epoch(); }

uint64_t FaultStore::epoch() const {
  MutexLock lock(mutex_);
  return epoch_;
}

void FaultStore::NoteSynced(const std::string& name, uint64_t size) {
  MutexLock lock(mutex_);
  synced_sizes_[name] = size;
}

Status FaultStore::Put(std::string_view name, ByteSpan bytes) {
  return Run(FaultPoint::kPut, name, [&] { return base_.Put(name, bytes); });
}

Result<std::unique_ptr<Upload>> FaultStore::NewUpload(std::string_view name) {
  TIERCEL_TRY_ASSIGN(std::unique_ptr<Upload> base, base_.NewUpload(name));
  return std::unique_ptr<Upload>(std::make_unique<FaultUpload>(this, std::string(name), std::move(base), epoch()));
}

Result<std::unique_ptr<Appender>> FaultStore::OpenAppender(std::string_view name) {
  std::unique_ptr<Appender> base;
  TIERCEL_TRY(Run(FaultPoint::kOpenAppender, name, [&] {
    TIERCEL_TRY_ASSIGN(base, base_.OpenAppender(name));
    return Status();
  }));
  {
    // What stood in the log before we saw it counts as synced.
    MutexLock lock(mutex_);
    synced_sizes_.emplace(name, base->size());
  }
  return std::unique_ptr<Appender>(std::make_unique<FaultAppender>(this, std::string(name), std::move(base), epoch()));
}

Result<Bytes> FaultStore::Get(std::string_view name) const {
  return Read(name, [&] { return base_.Get(name); });
}

Result<Bytes> FaultStore::GetRange(std::string_view name, uint64_t offset, uint64_t length) const {
  return Read(name, [&] { return base_.GetRange(name, offset, length); });
}

Result<uint64_t> FaultStore::Size(std::string_view name) const {
  uint64_t size = 0;
  TIERCEL_TRY(Run(FaultPoint::kSize, name, [&] {
    TIERCEL_TRY_ASSIGN(size, base_.Size(name));
    return Status();
  }));
  return size;
}

Result<std::vector<ObjectInfo>> FaultStore::List(std::string_view prefix) const {
  std::vector<ObjectInfo> found;
  TIERCEL_TRY(Run(FaultPoint::kList, prefix, [&] {
    TIERCEL_TRY_ASSIGN(found, base_.List(prefix));
    return Status();
  }));
  return found;
}

Status FaultStore::Delete(std::string_view name) {
  return Run(FaultPoint::kDelete, name, [&] { return base_.Delete(name); });
}

}  // namespace tiercel::store
