#include "tiercel/shard/flusher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tiercel/cache/input.h"
#include "tiercel/segment/builder.h"

namespace tiercel::shard {
namespace {

constexpr uint64_t kCopyBytes = 1 << 20;

bool SameContent(const manifest::Manifest& a, const manifest::Manifest& b) {
  if (a.persisted_seq_no != b.persisted_seq_no || a.log_generation != b.log_generation ||
      a.segments.size() != b.segments.size()) {
    return false;
  }
  return std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), [](const auto& x, const auto& y) {
    return x.object == y.object && x.live_docs_object == y.live_docs_object;
  });
}

}  // namespace

Status Flusher::Flush() {
  MutexLock lock(flush_mutex_);
  const ScopedTimer timer(parts_.context.clock(), parts_.context.counters().flush_ns);
  TIERCEL_TRY(parts_.owner.Resolve());
  TIERCEL_TRY_ASSIGN(const Refresher::CutSet cut, parts_.refresher.Cut());
  std::vector<ObjectLease> leases;
  TIERCEL_TRY_ASSIGN(const std::vector<ShardSegment> segments, MakeDurable(*cut.set, leases));
  const manifest::Manifest previous = parts_.owner.current();
  manifest::Manifest next = previous;
  next.persisted_seq_no = cut.cut.seq_no;
  next.log_generation = cut.cut.log_generation;
  next.segments.clear();
  for (const ShardSegment& segment : segments) {
    TIERCEL_TRY_ASSIGN(manifest::SegmentEntry entry, Describe(segment, previous, leases));
    next.segments.push_back(std::move(entry));
  }
  next.next_segment_number = parts_.registry.next_number();
  if (!SameContent(previous, next)) TIERCEL_TRY(parts_.owner.Commit(std::move(next)));
  ++parts_.context.counters().flush_total;
  parts_.writes.Persisted(cut.cut.seq_no);
  // Garbage that cannot be deleted now is found again by the next collection: the flush itself has succeeded.
  static_cast<void>(parts_.garbage.Collect());
  return {};
}

Result<std::vector<ShardSegment>> Flusher::MakeDurable(const SegmentSet& set, std::vector<ObjectLease>& leases) {
  std::vector<ShardSegment> durable, in_memory;
  for (const ShardSegment& segment : set.segments) (segment.in_memory() ? in_memory : durable).push_back(segment);
  if (in_memory.size() > 1) {
    if (const Merger::Reservation reservation = parts_.merger.Reserve(in_memory)) {
      TIERCEL_TRY_ASSIGN(std::optional<Merger::Merged> merged,
                         parts_.merger.Merge(in_memory, Merger::Target::kStore, false));
      if (merged) {
        leases.push_back(std::move(merged->lease));
        durable.push_back(std::move(merged->segment));
      }
      return durable;
    }
  }
  // One, or a merge is at work on some of them, which writing them as they are does not disturb.
  for (const ShardSegment& segment : in_memory) {
    leases.push_back(parts_.registry.LeaseSegment(segment.name()));
    TIERCEL_TRY_ASSIGN(ShardSegment copy, CopyToStore(segment, leases.back().object()));
    durable.push_back(std::move(copy));
  }
  return durable;
}

Result<ShardSegment> Flusher::CopyToStore(const ShardSegment& segment, const std::string& object) {
  Status copied = Upload(segment, object);
  if (copied.code() == Code::kConflict) {
    // An earlier attempt reported a failure after it had worked. Nothing refers to what it left.
    TIERCEL_TRY(parts_.context.store().Delete(parts_.context.Path(object)));
    copied = Upload(segment, object);
  }
  TIERCEL_TRY(std::move(copied));
  ShardSegment copy = segment;
  copy.object = object;
  copy.image = nullptr;
  TIERCEL_TRY_ASSIGN(copy.view.segment, parts_.registry.OpenSegment(object));
  TIERCEL_TRY(parts_.refresher.Edit([&](std::vector<ShardSegment>& segments) -> Status {
    for (ShardSegment& published : segments) {
      if (published.name() != segment.name()) continue;
      published.view.segment = copy.view.segment;
      published.object = object;
      published.image = nullptr;
    }
    return {};
  }));
  return copy;
}

Status Flusher::Upload(const ShardSegment& segment, const std::string& object) {
  TIERCEL_TRY_ASSIGN(const std::unique_ptr<store::Upload> upload,
                     parts_.context.store().NewUpload(parts_.context.Path(object)));
  const cache::Input& image = *segment.image;
  for (uint64_t offset = 0; offset < image.size(); offset += kCopyBytes) {
    TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, image.Borrow(offset, std::min(kCopyBytes, image.size() - offset)));
    TIERCEL_TRY(upload->Append(bytes.bytes()));
  }
  return upload->Finish();
}

Result<manifest::SegmentEntry> Flusher::Describe(const ShardSegment& segment, const manifest::Manifest& previous,
                                                 std::vector<ObjectLease>& leases) {
  manifest::SegmentEntry entry;
  entry.object = segment.object;
  entry.bytes = segment.view.segment->size_bytes();
  entry.doc_count = segment.view.segment->doc_count();
  entry.live_count = segment.view.live_count();
  if (const segment::NumericColumn* seq_no = segment.view.segment->numeric(segment::kSeqNoField)) {
    entry.min_seq_no = seq_no->min();
    entry.max_seq_no = seq_no->max();
  }
  if (entry.live_count == entry.doc_count) return entry;
  const auto before = std::find_if(previous.segments.begin(), previous.segments.end(),
                                   [&](const manifest::SegmentEntry& e) { return e.object == entry.object; });
  // Documents only ever die: as many alive means the same ones.
  if (before != previous.segments.end() && before->live_count == entry.live_count) {
    entry.live_docs_object = before->live_docs_object;
    return entry;
  }
  leases.push_back(parts_.registry.LeaseLiveDocs(segment.name()));
  entry.live_docs_object = leases.back().object();
  TIERCEL_TRY(parts_.context.store().Put(parts_.context.Path(entry.live_docs_object), segment.view.live->Encode()));
  return entry;
}

}  // namespace tiercel::shard
