#include "tiercel/shard/manifest_owner.h"

#include <utility>

namespace tiercel::shard {

Status ManifestOwner::TakeOver() {
  MutexLock lock(mutex_);
  manifest::Manifest next;
  auto newest = manifest::ReadNewest(context_.store(), context_.prefix());
  if (newest.ok()) {
    next = std::move(newest).value();
    ++next.primary_term;
  } else if (newest.error().code() != Code::kNotFound) {
    return std::move(newest).status();
  }
  ++next.generation;
  TIERCEL_TRY(manifest::Commit(context_.store(), context_.prefix(), next));
  current_ = std::move(next);
  return {};
}

Status ManifestOwner::Commit(manifest::Manifest next) {
  MutexLock lock(mutex_);
  TIERCEL_TRY(ResolveLocked());
  next.generation = current_.generation + 1;
  next.primary_term = current_.primary_term;
  Status committed = manifest::Commit(context_.store(), context_.prefix(), next);
  if (committed.ok()) {
    current_ = std::move(next);
    return {};
  }
  uncertain_ = std::move(next);
  if (committed.code() != Code::kConflict) return committed;
  // A store that retried inside may have met its own first attempt.
  const uint64_t wanted = current_.generation + 1;
  TIERCEL_TRY(ResolveLocked());
  return current_.generation == wanted ? Status() : committed;
}

Status ManifestOwner::Resolve() {
  MutexLock lock(mutex_);
  return ResolveLocked();
}

Status ManifestOwner::ResolveLocked() {
  if (!uncertain_) return {};
  TIERCEL_TRY_ASSIGN(manifest::Manifest newest, manifest::ReadNewest(context_.store(), context_.prefix()));
  if (newest.generation == current_.generation) {
    uncertain_.reset();
    return {};
  }
  if (manifest::Encode(newest) != manifest::Encode(*uncertain_)) {
    return context_.Fail(Conflict("the shard has another owner: its manifest is at generation " +
                                  std::to_string(newest.generation) + ", term " + std::to_string(newest.primary_term)));
  }
  current_ = std::move(newest);
  uncertain_.reset();
  return {};
}

manifest::Manifest ManifestOwner::current() const {
  MutexLock lock(mutex_);
  return current_;
}

}  // namespace tiercel::shard
