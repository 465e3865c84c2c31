// SegmentRegistry: the published list of segments, the names of new ones, and which objects are in use.
//
// A published SegmentSet never changes; Publish swaps in the next one. Whoever holds a set, or the Snapshot made from
// it, pins its objects. An ObjectLease pins an object between its upload and the moment a set or a manifest names it.
//
// Thread safety: all methods from any thread; its mutex is a leaf. Publish is called with the refresher's publish mutex
// held, so that the next list is made from the current one. Lifetime: sets, snapshots and leases may not outlive the
// store, but may outlive the registry. Cost: Current is a lock and a reference count; Publish is linear in the number
// of segments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/base/result.h"
#include "tiercel/segment/source.h"
#include "tiercel/shard/context.h"
#include "tiercel/shard/version_rules.h"

namespace tiercel::shard {

struct ShardSegment {
  segment::SegmentView view;
  std::string object;                         // relative to the prefix; empty while the segment is only in memory
  std::shared_ptr<const cache::Input> image;  // its bytes, while it is only in memory

  const std::string& name() const { return view.segment->name(); }
  bool in_memory() const { return object.empty(); }
};

struct SegmentSet {
  std::vector<ShardSegment> segments;
  std::shared_ptr<const segment::Snapshot> snapshot;

  const ShardSegment* Find(std::string_view name) const;
};

// Where a document stands.
struct SegmentHit {
  std::shared_ptr<const segment::Segment> segment;
  segment::DocId doc = 0;
  KnownVersion known;
};
// The live document with this id, if there is one. Invariant S5: there is at most one.
Result<std::optional<SegmentHit>> FindLive(const SegmentSet& set, std::string_view id);

// As FindLive, and reads it.
Result<std::optional<StoredDocument>> ReadLive(const SegmentSet& set, std::string_view id);

// The object names in use by published sets and leases; kept alive by them.
using ObjectNames = std::vector<std::string>;

class ObjectLease {
 public:
  ObjectLease() = default;
  explicit ObjectLease(std::shared_ptr<const ObjectNames> names) : names_(std::move(names)) {}
  const std::string& object() const { return names_->front(); }

 private:
  std::shared_ptr<const ObjectNames> names_;
};

class SegmentRegistry {
 public:
  explicit SegmentRegistry(ShardContext& context);

  std::shared_ptr<const SegmentSet> Current() const EXCLUDES(mutex_);
  void Publish(std::vector<ShardSegment> segments) EXCLUDES(mutex_);

  // "_0", "_1", … "_z", "_10": never given out twice, not even by a later owner.
  std::string NewSegmentName() EXCLUDES(mutex_);
  uint64_t next_number() const EXCLUDES(mutex_);
  void SetNextNumber(uint64_t number) EXCLUDES(mutex_);
  // Leases "segments/<name>" or "live/<name>.<number>" (relative names).
  ObjectLease LeaseSegment(std::string_view name) EXCLUDES(mutex_);
  ObjectLease LeaseLiveDocs(std::string_view segment_name) EXCLUDES(mutex_);
  // Everything pinned by leases, snapshots and the current set.
  std::set<std::string> PinnedObjects() EXCLUDES(mutex_);

  // Opens an object as a segment.
  Result<std::shared_ptr<const segment::Segment>> OpenSegment(std::string_view object) const;

 private:
  std::shared_ptr<const ObjectNames> Track(ObjectNames names) REQUIRES(mutex_);

  ShardContext& context_;
  mutable Mutex mutex_;
  std::shared_ptr<const SegmentSet> current_ GUARDED_BY(mutex_);
  uint64_t next_number_ GUARDED_BY(mutex_) = 0;
  std::vector<std::weak_ptr<const ObjectNames>> pins_ GUARDED_BY(mutex_);
};

// "_" and the number in base 36, and back: nothing when `name` is no such name.
std::string SegmentName(uint64_t number);
std::optional<uint64_t> SegmentNumber(std::string_view name);

}  // namespace tiercel::shard
