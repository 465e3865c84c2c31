#include "tiercel/shard/recovery.h"

#include <algorithm>
#include <utility>

#include "tiercel/shard/log.h"
#include "tiercel/shard/object_kind.h"

namespace tiercel::shard {
namespace {

Status OpenSegments(const RecoveryParts& parts, const manifest::Manifest& manifest) {
  std::vector<ShardSegment> segments;
  for (const manifest::SegmentEntry& entry : manifest.segments) {
    ShardSegment opened{.view = {}, .object = entry.object, .image = nullptr};
    TIERCEL_TRY_ASSIGN(opened.view.segment, parts.registry.OpenSegment(entry.object));
    const uint32_t doc_count = opened.view.segment->doc_count();
    if (doc_count != entry.doc_count) {
      return Corruption(parts.context.Path(entry.object) + ": holds " + std::to_string(doc_count) +
                        " documents, the manifest says " + std::to_string(entry.doc_count));
    }
    if (!entry.live_docs_object.empty()) {
      const std::string object = parts.context.Path(entry.live_docs_object);
      TIERCEL_TRY_ASSIGN(const Bytes bytes, parts.context.store().Get(object));
      TIERCEL_TRY_ASSIGN(segment::LiveDocs live, segment::LiveDocs::Decode(bytes, object, doc_count));
      opened.view.live = std::make_shared<const segment::LiveDocs>(std::move(live));
    }
    if (opened.view.live_count() != entry.live_count) {
      return Corruption(parts.context.Path(entry.object) + ": " + std::to_string(opened.view.live_count()) +
                        " documents live, the manifest says " + std::to_string(entry.live_count));
    }
    segments.push_back(std::move(opened));
  }
  parts.registry.Publish(std::move(segments));
  return {};
}

// Numbers of segments go on after every one ever seen, orphans of crashes included.
Status NumberSegments(const RecoveryParts& parts, const manifest::Manifest& manifest) {
  uint64_t next = manifest.next_segment_number;
  TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects,
                     parts.context.store().List(parts.context.prefix() + "/"));
  for (const store::ObjectInfo& object : objects) {
    const ObjectKind kind = KindOf(std::string_view(object.name).substr(parts.context.prefix().size() + 1));
    if (kind.kind == ObjectKind::Kind::kSegment || kind.kind == ObjectKind::Kind::kLiveDocs)
      next = std::max(next, kind.number + 1);
  }
  parts.registry.SetNextNumber(next);
  return {};
}

Status ReplayRecord(const RecoveryParts& parts, const LogRecord& record) {
  Status replayed = parts.writes.Replay(record);
  if (replayed.code() == Code::kResourceExhausted) {
    TIERCEL_TRY(parts.refresher.Refresh().status());
    replayed = parts.writes.Replay(record);
  }
  if (!replayed.ok()) return std::move(replayed).WithContext("replaying operation " + std::to_string(record.seq_no));
  if (parts.writes.buffer_bytes() >= parts.context.settings()->buffer_bytes)
    TIERCEL_TRY(parts.refresher.Refresh().status());
  return {};
}

// Operations that were read back may have been no further than the operating system's cache.
Status SyncOldLog(const RecoveryParts& parts, uint64_t generation) {
  if (generation == 0) return {};
  TIERCEL_TRY_ASSIGN(const std::unique_ptr<store::Appender> log,
                     parts.context.store().OpenAppender(LogObjectName(parts.context.prefix(), generation)));
  return log->Sync();
}

}  // namespace

Status Recover(RecoveryParts parts) {
  TIERCEL_TRY(parts.owner.TakeOver());
  const manifest::Manifest manifest = parts.owner.current();
  TIERCEL_TRY(NumberSegments(parts, manifest));
  TIERCEL_TRY(OpenSegments(parts, manifest));
  TIERCEL_TRY_ASSIGN(
      const ReplaySummary replay,
      ReplayLogs(parts.context.store(), parts.context.prefix(), manifest.log_generation, manifest.persisted_seq_no,
                 [&](const LogRecord& record) { return ReplayRecord(parts, record); }));
  if (replay.operations > 0) TIERCEL_TRY(SyncOldLog(parts, replay.last_generation));
  const uint64_t last_generation = std::max(replay.last_generation, manifest.log_generation - 1);
  TIERCEL_TRY(parts.writes.Start(manifest.primary_term, last_generation, replay.max_seq_no));
  TIERCEL_TRY(parts.refresher.Refresh().status());
  // Orphans that cannot be deleted now are found again later: they are no reason to refuse service.
  static_cast<void>(parts.garbage.Collect());
  return {};
}

}  // namespace tiercel::shard
