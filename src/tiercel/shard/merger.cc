#include "tiercel/shard/merger.h"

#include <algorithm>
#include <utility>

#include "tiercel/segment/builder.h"
#include "tiercel/shard/throttled_upload.h"

namespace tiercel::shard {
namespace {

constexpr uint64_t kBackgroundBytesPerSecond = 200ull << 20;
// Merging segments of the write buffer with each other stays in memory up to this size.
constexpr uint64_t kMemoryMergeBytes = 16ull << 20;
// One shard's merges leave threads of the pool to other shards.
constexpr uint32_t kMergesAtOnce = 2;

bool AllInMemory(const std::vector<ShardSegment>& segments) {
  return std::all_of(segments.begin(), segments.end(), [](const ShardSegment& s) { return s.in_memory(); });
}

uint64_t TotalBytes(const std::vector<ShardSegment>& segments) {
  uint64_t bytes = 0;
  for (const ShardSegment& s : segments) bytes += s.view.segment->size_bytes();
  return bytes;
}

}  // namespace

Merger::Merger(ShardContext& context, SegmentRegistry& registry, Refresher& refresher)
    : context_(context), registry_(registry), refresher_(refresher), cancellation_(context.clock()) {}

Merger::Reservation::~Reservation() {
  if (merger_ != nullptr) merger_->Release(names_);
}

void Merger::Release(const std::vector<std::string>& names) {
  MutexLock lock(mutex_);
  for (const std::string& name : names) reserved_.erase(name);
  idle_.NotifyAll();
}

Merger::Reservation Merger::Reserve(const std::vector<ShardSegment>& segments) {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const ShardSegment& segment : segments) {
    if (reserved_.contains(segment.name())) return {};
    names.push_back(segment.name());
  }
  reserved_.insert(names.begin(), names.end());
  return {this, std::move(names)};
}

Merger::Plan Merger::Choose(const Picker& pick) {
  MutexLock lock(mutex_);
  const std::shared_ptr<const SegmentSet> set = registry_.Current();
  std::vector<MergeCandidate> candidates;
  for (const ShardSegment& s : set->segments) {
    candidates.push_back({.bytes = s.view.segment->size_bytes(),
                          .docs = s.view.segment->doc_count(),
                          .live = s.view.live_count(),
                          .busy = reserved_.contains(s.name())});
  }
  std::vector<ShardSegment> inputs;
  std::vector<std::string> names;
  for (const size_t i : pick(candidates)) {
    inputs.push_back(set->segments[i]);
    names.push_back(set->segments[i].name());
  }
  if (inputs.empty()) return {};
  reserved_.insert(names.begin(), names.end());
  return {.inputs = std::move(inputs), .reservation = Reservation(this, std::move(names))};
}

Result<ShardSegment> Merger::Write(std::span<const segment::SegmentView> views, const std::string& name, Target target,
                                   bool throttled, std::vector<std::vector<segment::DocId>>* remap) {
  const segment::BuilderOptions builder{.codec = context_.settings()->codec};
  ShardSegment output;
  if (target == Target::kMemory) {
    segment::MemoryUpload image;
    TIERCEL_TRY(segment::MergeSegments(views, name, builder, image, cancellation_, remap));
    TIERCEL_TRY(image.Finish());
    output.image = std::move(image).IntoInput(name);
    TIERCEL_TRY_ASSIGN(output.view.segment, segment::Segment::Open(output.image));
    return output;
  }
  output.object = "segments/" + name;
  TIERCEL_TRY_ASSIGN(std::unique_ptr<store::Upload> upload, context_.store().NewUpload(context_.Path(output.object)));
  if (throttled)
    upload = std::make_unique<ThrottledUpload>(std::move(upload), kBackgroundBytesPerSecond, cancellation_);
  TIERCEL_TRY(segment::MergeSegments(views, name, builder, *upload, cancellation_, remap));
  TIERCEL_TRY(upload->Finish());
  TIERCEL_TRY_ASSIGN(output.view.segment, registry_.OpenSegment(output.object));
  return output;
}

Result<std::optional<Merger::Merged>> Merger::Merge(const std::vector<ShardSegment>& inputs, Target target,
                                                    bool throttled) {
  ShardCounters& counters = context_.counters();
  const ScopedTimer timer(context_.clock(), counters.merge_ns);
  ++counters.merges_current;
  std::vector<segment::SegmentView> views;
  uint64_t live = 0;
  for (const ShardSegment& input : inputs) {
    views.push_back(input.view);
    live += input.view.live_count();
  }
  const std::string name = registry_.NewSegmentName();
  ObjectLease lease = registry_.LeaseSegment(name);
  std::vector<std::vector<segment::DocId>> remap;
  std::optional<Merged> merged;
  Status status;
  if (live > 0) {
    auto written = Write(views, name, target, throttled, &remap);
    status = written.status();
    if (written.ok()) {
      merged = Merged{.segment = std::move(written).value(), .lease = std::move(lease)};
    }
  }
  if (status.ok()) status = Replace(inputs, remap, merged);
  --counters.merges_current;
  if (!status.ok()) return std::move(status).WithContext("merging into " + name);
  ++counters.merge_total;
  counters.merge_docs += live;
  counters.merge_bytes += TotalBytes(inputs);
  return merged;
}

Status Merger::Replace(const std::vector<ShardSegment>& inputs, const std::vector<std::vector<segment::DocId>>& remap,
                       const std::optional<Merged>& merged) {
  return refresher_.Edit([&](std::vector<ShardSegment>& segments) -> Status {
    std::optional<ShardSegment> output;
    if (merged) output = merged->segment;
    std::shared_ptr<segment::LiveDocs> live;
    for (size_t i = 0; output && i < inputs.size(); ++i) {
      const segment::SegmentView& before = inputs[i].view;
      const auto now =
          std::find_if(segments.begin(), segments.end(), [&](const auto& s) { return s.name() == inputs[i].name(); });
      // A segment that lost its last live document meanwhile has left the list.
      const bool gone = now == segments.end();
      if (!gone && now->view.live_count() == before.live_count()) continue;
      for (segment::DocId doc = 0; doc < before.segment->doc_count(); ++doc) {
        if (!before.IsLive(doc) || (!gone && now->view.IsLive(doc))) continue;
        if (!live) live = std::make_shared<segment::LiveDocs>(output->view.segment->doc_count());
        live->Delete(remap[i][doc]);
      }
    }
    if (output) output->view.live = std::move(live);
    size_t place = segments.size();
    for (const ShardSegment& input : inputs) {
      const auto at =
          std::find_if(segments.begin(), segments.end(), [&](const auto& s) { return s.name() == input.name(); });
      if (at == segments.end()) continue;
      place = std::min(place, static_cast<size_t>(at - segments.begin()));
      segments.erase(at);
    }
    if (output && output->view.live_count() > 0) {
      segments.insert(segments.begin() + static_cast<ptrdiff_t>(std::min(place, segments.size())), std::move(*output));
    }
    return {};
  });
}

Status Merger::RunPlan(const Plan& plan, bool throttled) {
  const bool in_memory = AllInMemory(plan.inputs) && TotalBytes(plan.inputs) <= kMemoryMergeBytes;
  return Merge(plan.inputs, in_memory ? Target::kMemory : Target::kStore, throttled).status();
}

void Merger::RunPolicy() {
  while (!cancellation_.Cancelled() && context_.failure().ok()) {
    const Plan plan = Choose([](std::span<const MergeCandidate> candidates) { return PickMerge(candidates, {}); });
    if (plan.inputs.empty()) return;
    Status status = RunPlan(plan, context_.options().background);
    const bool ok = status.ok();
    MutexLock lock(mutex_);
    last_error_ = std::move(status);
    if (!ok) return;  // the next refresh or flush asks again
  }
}

void Merger::MergeInBackground() {
  runtime::ThreadPool* pool = context_.options().merge_pool;
  if (pool == nullptr || !context_.options().background) {
    RunPolicy();
    return;
  }
  {
    MutexLock lock(mutex_);
    if (stopped_ || running_ >= kMergesAtOnce) return;
    ++running_;
  }
  const Status submitted = pool->Submit([this] {
    RunPolicy();
    MutexLock lock(mutex_);
    --running_;
    idle_.NotifyAll();
  });
  if (submitted.ok()) return;
  MutexLock lock(mutex_);
  --running_;
  last_error_ = submitted;
}

Status Merger::ForceMerge(uint32_t max_segments, bool only_expunge_deletes) {
  while (true) {
    TIERCEL_TRY(context_.failure());
    TIERCEL_TRY(cancellation_.Check());
    const Plan plan = Choose([&](std::span<const MergeCandidate> candidates) {
      return only_expunge_deletes ? PickExpungeDeletes(candidates) : PickForceMerge(candidates, max_segments);
    });
    if (!plan.inputs.empty()) {
      TIERCEL_TRY(Merge(plan.inputs, Target::kStore, false).status());
      continue;
    }
    // Segments in a background merge were left out: wait for it, then look again.
    const size_t segments = registry_.Current()->segments.size();
    MutexLock lock(mutex_);
    if (reserved_.empty() || (!only_expunge_deletes && segments <= std::max(max_segments, 1u))) return {};
    idle_.Wait(mutex_);
  }
}

void Merger::Stop() {
  cancellation_.Cancel();
  MutexLock lock(mutex_);
  stopped_ = true;
  while (running_ > 0) idle_.Wait(mutex_);
}

Status Merger::last_error() const {
  MutexLock lock(mutex_);
  return last_error_;
}

}  // namespace tiercel::shard
