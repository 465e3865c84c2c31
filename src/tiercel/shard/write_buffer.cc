#include "tiercel/shard/write_buffer.h"

#include <utility>

#include "tiercel/runtime/cancellation.h"

namespace tiercel::shard {
namespace {

// What a document takes in the builder, estimated before it is added: its terms are kept once as bytes and once as
// postings.
uint64_t ExpectedBytes(const mapping::ParsedDocument& document) { return document.memory_bytes() * 2; }

}  // namespace

WriteBuffer::WriteBuffer(const std::string& codec, runtime::MemoryBudget* budget)
    : codec_(codec),
      builder_(std::make_shared<segment::SegmentBuilder>(segment::BuilderOptions{.codec = codec})),
      budget_(budget) {}

Result<segment::DocId> WriteBuffer::Stage(const mapping::ParsedDocument& document, const segment::DocMeta& meta) {
  MutexLock lock(mutex_);
  if (budget_ != nullptr) {
    const uint64_t bytes = ExpectedBytes(document);
    if (charge_.bytes() == 0) {
      TIERCEL_TRY_ASSIGN(charge_, budget_->indexing().Charge(bytes, "write buffer"));
    } else {
      TIERCEL_TRY(charge_.Grow(bytes, "write buffer"));
    }
  }
  TIERCEL_TRY_ASSIGN(const segment::DocId doc, builder_->Add(document, meta));
  ++doc_count_;
  if (!document.routing.empty()) routing_.emplace(doc, document.routing);
  return doc;
}

void WriteBuffer::Kill(segment::DocId doc) {
  MutexLock lock(mutex_);
  dead_.push_back(doc);
}

void WriteBuffer::Abandon(segment::DocId doc) {
  MutexLock lock(mutex_);
  dead_.push_back(doc);
  abandoned_ = true;
}

void WriteBuffer::DeleteElsewhere(PendingDelete deletion) {
  MutexLock lock(mutex_);
  deletes_.push_back(std::move(deletion));
}

Result<std::optional<StoredDocument>> WriteBuffer::Read(segment::DocId doc) const {
  StoredDocument stored;
  std::shared_ptr<const segment::Segment> segment;
  {
    MutexLock lock(mutex_);
    if (const auto routing = routing_.find(doc); routing != routing_.end()) stored.routing = routing->second;
    if (builder_) {
      stored.source = builder_->Source(doc);
      return std::optional(std::move(stored));
    }
    segment = frozen_.segment.view.segment;
    if (!frozen_.remap.empty()) doc = frozen_.remap[doc];
  }
  if (!segment || doc == segment::kNoMoreDocs) return std::optional<StoredDocument>();
  TIERCEL_TRY_ASSIGN(stored.source, segment->Source(doc));
  return std::optional(std::move(stored));
}

uint32_t WriteBuffer::doc_count() const {
  MutexLock lock(mutex_);
  return doc_count_;
}

bool WriteBuffer::empty() const {
  MutexLock lock(mutex_);
  return doc_count_ == 0 && deletes_.empty();
}

uint64_t WriteBuffer::memory_bytes() const {
  MutexLock lock(mutex_);
  return builder_ ? builder_->memory_bytes() : 0;
}

Result<ShardSegment> WriteBuffer::Freeze(const std::string& name) {
  {
    MutexLock lock(mutex_);
    if (!builder_) return frozen_.segment;
  }
  TIERCEL_TRY_ASSIGN(Frozen frozen, Build(name));
  MutexLock lock(mutex_);
  frozen_ = std::move(frozen);
  builder_ = nullptr;
  charge_.Release();
  return frozen_.segment;
}

Result<WriteBuffer::Frozen> WriteBuffer::Build(const std::string& name) {
  std::shared_ptr<segment::SegmentBuilder> builder;
  std::vector<segment::DocId> dead;
  bool abandoned = false;
  {
    MutexLock lock(mutex_);
    builder = builder_;
    dead = dead_;
    abandoned = abandoned_;
  }
  Frozen frozen;
  if (builder->doc_count() == dead.size()) return frozen;
  // Without the mutex: nobody adds any more, and sources may be read meanwhile.
  segment::MemoryUpload image;
  TIERCEL_TRY(builder->Finish(name, image));
  frozen.segment.image = std::move(image).IntoInput(name);
  TIERCEL_TRY_ASSIGN(frozen.segment.view.segment, segment::Segment::Open(frozen.segment.image));
  if (!dead.empty()) {
    auto live = std::make_shared<segment::LiveDocs>(frozen.segment.view.segment->doc_count());
    for (const segment::DocId doc : dead) live->Delete(doc);
    frozen.segment.view.live = std::move(live);
  }
  if (abandoned) TIERCEL_TRY(DropDead(name, frozen));
  return frozen;
}

// A segment finds the last document of an id. That may be an abandoned one here, with a live one before it: the segment
// is rewritten without them.
Status WriteBuffer::DropDead(const std::string& name, Frozen& frozen) const {
  segment::MemoryUpload image;
  std::vector<std::vector<segment::DocId>> remap;
  const segment::SegmentView& view = frozen.segment.view;
  TIERCEL_TRY(segment::MergeSegments({&view, 1}, name, {.codec = codec_}, image, runtime::Cancellation(), &remap));
  frozen.segment.image = std::move(image).IntoInput(name);
  TIERCEL_TRY_ASSIGN(frozen.segment.view.segment, segment::Segment::Open(frozen.segment.image));
  frozen.segment.view.live = nullptr;
  frozen.remap = std::move(remap.front());
  return {};
}

std::vector<PendingDelete> WriteBuffer::deletes() const {
  MutexLock lock(mutex_);
  return deletes_;
}

}  // namespace tiercel::shard
