#include "tiercel/shard/segment_registry.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tiercel/cache/open.h"

namespace tiercel::shard {
namespace {

std::string Base36(uint64_t number) {
  char digits[16];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, 36);
  return {digits, end};
}

Result<int64_t> SingleValue(const segment::Segment& segment, std::string_view column, segment::DocId doc) {
  std::optional<int64_t> value;
  if (const segment::NumericColumn* const values = segment.numeric(column)) {
    TIERCEL_TRY_ASSIGN(value, values->OnlyValue(doc));
  }
  if (!value) {
    return Corruption(segment.name() + ": document " + std::to_string(doc) + " has not one value of " +
                      std::string(column));
  }
  return *value;
}

Result<KnownVersion> VersionOf(const segment::Segment& segment, segment::DocId doc) {
  KnownVersion known{.state = KnownVersion::State::kLive};
  TIERCEL_TRY_ASSIGN(known.seq_no, SingleValue(segment, segment::kSeqNoField, doc));
  TIERCEL_TRY_ASSIGN(known.primary_term, SingleValue(segment, segment::kPrimaryTermField, doc));
  TIERCEL_TRY_ASSIGN(known.version, SingleValue(segment, segment::kVersionField, doc));
  return known;
}

}  // namespace

std::string SegmentName(uint64_t number) { return "_" + Base36(number); }

std::optional<uint64_t> SegmentNumber(std::string_view name) {
  if (!name.starts_with('_')) return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number, 36);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

const ShardSegment* SegmentSet::Find(std::string_view name) const {
  const auto found =
      std::find_if(segments.begin(), segments.end(), [&](const ShardSegment& s) { return s.name() == name; });
  return found == segments.end() ? nullptr : &*found;
}

Result<std::optional<SegmentHit>> FindLive(const SegmentSet& set, std::string_view id) {
  for (auto it = set.segments.rbegin(); it != set.segments.rend(); ++it) {
    TIERCEL_TRY_ASSIGN(const std::optional<segment::DocId> doc, it->view.segment->FindId(id));
    if (!doc || !it->view.IsLive(*doc)) continue;
    SegmentHit hit{.segment = it->view.segment, .doc = *doc, .known = {}};
    TIERCEL_TRY_ASSIGN(hit.known, VersionOf(*it->view.segment, *doc));
    return std::optional(std::move(hit));
  }
  return std::optional<SegmentHit>();
}

Result<std::optional<StoredDocument>> ReadLive(const SegmentSet& set, std::string_view id) {
  TIERCEL_TRY_ASSIGN(const std::optional<SegmentHit> hit, FindLive(set, id));
  if (!hit) return std::optional<StoredDocument>();
  StoredDocument stored;
  TIERCEL_TRY_ASSIGN(stored.source, hit->segment->Source(hit->doc));
  if (const segment::KeywordColumn* routing = hit->segment->keyword(segment::kRoutingField)) {
    segment::KeywordCursor cursor(routing);
    TIERCEL_TRY_ASSIGN(const std::span<const segment::Ordinal> ordinals, cursor.Ordinals(hit->doc));
    if (!ordinals.empty()) {
      TIERCEL_TRY_ASSIGN(stored.routing, routing->Term(ordinals.front()));
    }
  }
  stored.seq_no = hit->known.seq_no;
  stored.primary_term = hit->known.primary_term;
  stored.version = hit->known.version;
  return std::optional(std::move(stored));
}

Result<std::shared_ptr<const segment::Segment>> SegmentRegistry::OpenSegment(std::string_view object) const {
  TIERCEL_TRY_ASSIGN(std::shared_ptr<const cache::Input> input,
                     cache::OpenObject(context_.store(), context_.Path(object)));
  return segment::Segment::Open(std::move(input));
}

SegmentRegistry::SegmentRegistry(ShardContext& context) : context_(context) { Publish({}); }

std::shared_ptr<const SegmentSet> SegmentRegistry::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

void SegmentRegistry::Publish(std::vector<ShardSegment> segments) {
  ObjectNames objects;
  auto snapshot = std::make_shared<segment::Snapshot>();
  for (const ShardSegment& segment : segments) {
    if (!segment.in_memory()) objects.push_back(segment.object);
    snapshot->segments.push_back(segment.view);
  }
  auto next = std::make_shared<SegmentSet>();
  next->segments = std::move(segments);
  std::shared_ptr<const SegmentSet> previous;  // destroyed after the lock: it may be the last owner of mapped segments
  MutexLock lock(mutex_);
  snapshot->pin = Track(std::move(objects));
  next->snapshot = std::move(snapshot);
  previous = std::exchange(current_, std::move(next));
}

std::string SegmentRegistry::NewSegmentName() {
  MutexLock lock(mutex_);
  return SegmentName(next_number_++);
}

uint64_t SegmentRegistry::next_number() const {
  MutexLock lock(mutex_);
  return next_number_;
}

void SegmentRegistry::SetNextNumber(uint64_t number) {
  MutexLock lock(mutex_);
  next_number_ = number;
}

ObjectLease SegmentRegistry::LeaseSegment(std::string_view name) {
  MutexLock lock(mutex_);
  return ObjectLease(Track({"segments/" + std::string(name)}));
}

ObjectLease SegmentRegistry::LeaseLiveDocs(std::string_view segment_name) {
  MutexLock lock(mutex_);
  return ObjectLease(Track({"live/" + std::string(segment_name) + "." + Base36(next_number_++)}));
}

std::set<std::string> SegmentRegistry::PinnedObjects() {
  std::set<std::string> names;
  std::vector<std::shared_ptr<const ObjectNames>> held;  // released after the lock
  MutexLock lock(mutex_);
  std::erase_if(pins_, [](const std::weak_ptr<const ObjectNames>& pin) { return pin.expired(); });
  for (const std::weak_ptr<const ObjectNames>& pin : pins_) {
    if (auto objects = pin.lock()) {
      names.insert(objects->begin(), objects->end());
      held.push_back(std::move(objects));
    }
  }
  return names;
}

std::shared_ptr<const ObjectNames> SegmentRegistry::Track(ObjectNames names) {
  if (pins_.size() % 64 == 63) {
    std::erase_if(pins_, [](const std::weak_ptr<const ObjectNames>& pin) { return pin.expired(); });
  }
  auto tracked = std::make_shared<const ObjectNames>(std::move(names));
  pins_.push_back(tracked);
  return tracked;
}

}  // namespace tiercel::shard
