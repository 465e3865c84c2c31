#include "tiercel/shard/garbage.h"

#include <set>
#include <utility>

#include "tiercel/shard/object_kind.h"

namespace tiercel::shard {
namespace {

bool Needed(const std::string& relative, const std::set<std::string>& pinned, const manifest::Manifest& newest) {
  const ObjectKind kind = KindOf(relative);
  switch (kind.kind) {
    case ObjectKind::Kind::kManifest:
      return kind.number >= newest.generation;
    case ObjectKind::Kind::kLog:
      return kind.number >= newest.log_generation;
    case ObjectKind::Kind::kSegment:
    case ObjectKind::Kind::kLiveDocs:
      break;
    case ObjectKind::Kind::kForeign:
      return true;
  }
  if (pinned.contains(relative)) return true;
  for (const manifest::SegmentEntry& entry : newest.segments) {
    if (entry.object == relative || entry.live_docs_object == relative) return true;
  }
  return false;
}

}  // namespace

Result<uint64_t> Garbage::Collect() {
  // In this order: an object that is listed and still needed is in one of what is read after, since it moves from a
  // lease to the published list or the manifest before the lease ends, and a commit of unknown outcome is settled after
  // that.
  TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects, context_.store().List(context_.prefix() + "/"));
  const std::set<std::string> pinned = registry_.PinnedObjects();
  TIERCEL_TRY(owner_.Resolve());
  TIERCEL_TRY(context_.failure());
  const manifest::Manifest newest = owner_.current();
  uint64_t deleted = 0;
  Status failed;
  for (const store::ObjectInfo& object : objects) {
    if (Needed(object.name.substr(context_.prefix().size() + 1), pinned, newest)) continue;
    Status status = context_.store().Delete(object.name);
    if (status.ok()) {
      ++deleted;
    } else if (failed.ok()) {
      failed = std::move(status).WithContext("deleting " + object.name);
    }
  }
  if (!failed.ok()) return failed;
  return deleted;
}

}  // namespace tiercel::shard
