// FaultStore: a decorator that makes another store fail, by script or by seed.
//
//   FaultStore faults(base);
//   faults.Add({.on = FaultPoint::kSync, .kind = FaultKind::kIoError, .skip = 2});       // the third sync fails, once
//   faults.Add({.on = FaultPoint::kAppend, .kind = FaultKind::kTornWrite, .keep_bytes = 7});
//   faults.Randomize({.seed = 42, .one_in = 100});                                       // every call, one in a
//   hundred
//
// Rules are tried in order; the first whose point and name match and whose skip is used up strikes, `count` times. A
// store seen through this one has no LocalPath, so that reads meet faults too. Crash() loses what was not synced
// through it.
//
// Thread safety: all methods from any thread. Lifetime: borrows the base store, which outlives it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/base/random.h"
#include "tiercel/store/object_store.h"

namespace tiercel::store {

enum class FaultPoint {
  kAny,
  kPut,
  kUploadAppend,
  kUploadFinish,
  kOpenAppender,
  kAppend,
  kSync,
  kTruncate,
  kGet,
  kSize,
  kList,
  kDelete
};

enum class FaultKind {
  kIoError,     // Unavailable; nothing happened
  kNoSpace,     // ResourceExhausted; nothing happened
  kTornWrite,   // Unavailable after the first keep_bytes of an append took effect; on other calls like kIoError
  kLateError,   // Unavailable although the call took effect: the caller cannot know
  kFlippedBit,  // a Get or GetRange succeeds with one bit wrong; on other calls like kIoError
  kSlow,        // succeeds after on_slow was called
};

struct FaultRule {
  FaultPoint on = FaultPoint::kAny;
  FaultKind kind = FaultKind::kIoError;
  std::string name_contains;
  uint64_t skip = 0;
  uint64_t count = 1;
  uint64_t keep_bytes = 0;
};

struct FaultProfile {
  uint64_t seed = 0;
  uint64_t one_in = 0;  // calls per fault; 0 for none
  std::vector<FaultKind> kinds = {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kTornWrite,
                                  FaultKind::kLateError};
};

class FaultStore final : public ObjectStore {
 public:
  explicit FaultStore(ObjectStore& base, std::function<void()> on_slow = {})
      : base_(base), on_slow_(std::move(on_slow)) {}

  void Add(FaultRule rule);
  void Randomize(const FaultProfile& profile);
  // Drops all rules and the profile.
  void Heal();
  // Truncates every log to what was synced (or, with `random`, to a random place after it) and disables the uploads and
  // appenders opened so far. Rules stay.
  Status Crash(Random* random = nullptr);
  uint64_t faults() const;  // struck so far

  Status Put(std::string_view name, ByteSpan bytes) override;
  Result<std::unique_ptr<Upload>> NewUpload(std::string_view name) override;
  Result<std::unique_ptr<Appender>> OpenAppender(std::string_view name) override;
  Result<Bytes> Get(std::string_view name) const override;
  Result<Bytes> GetRange(std::string_view name, uint64_t offset, uint64_t length) const override;
  Result<uint64_t> Size(std::string_view name) const override;
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) const override;
  Status Delete(std::string_view name) override;

 private:
  class FaultUpload;
  class FaultAppender;
  struct Fault {
    FaultKind kind;
    uint64_t keep_bytes;
    uint64_t random;
  };

  // What, if anything, befalls this call.
  std::optional<Fault> Strike(FaultPoint point, std::string_view name) const;
  std::optional<Fault> Choose(FaultPoint point, std::string_view name) const REQUIRES(mutex_);
  // Runs `call` unless a fault forbids it; `torn`, when given, is what a torn write does instead.
  Status Run(FaultPoint point, std::string_view name, const std::function<Status()>& call,
             const std::function<void(const Fault&)>& torn = {}) const;
  Result<Bytes> Read(std::string_view name, const std::function<Result<Bytes>()>& call) const;
  bool Dead(uint64_t epoch) const;
  uint64_t epoch() const;
  void NoteSynced(const std::string& name, uint64_t size);

  ObjectStore& base_;
  const std::function<void()> on_slow_;
  mutable Mutex mutex_;
  mutable std::vector<FaultRule> rules_ GUARDED_BY(mutex_);
  mutable std::optional<Random> random_ GUARDED_BY(mutex_);
  FaultProfile profile_ GUARDED_BY(mutex_);
  mutable uint64_t faults_ GUARDED_BY(mutex_) = 0;
  uint64_t epoch_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, uint64_t> synced_sizes_ GUARDED_BY(mutex_);  // of logs appended to through this store
};

}  // namespace tiercel::store
