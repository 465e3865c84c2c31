#include "tiercel/shard/write_buffer.h"

#include <utility>

#include "tiercel/runtime/cancellation.h"

namespace tiercel::shard {
namespace {

// What a document takes in the builder, estimated before it is added: its terms are kept once as bytes and once as postings.
uint64_t ExpectedBytes(const mapping::ParsedDocument& document) { return document.memory_bytes() * 2; }

}  // namespace

WriteBuffer::WriteBuffer(const std::string& codec, runtime::MemoryBudget* budget)
    : codec_(codec), builder_({.codec = codec}), budget_(budget) {}

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
  TIERCEL_TRY_ASSIGN(const segment::DocId doc, builder_.Add(document, meta));
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
    if (!frozen_) {
      stored.source = builder_.Source(doc);
      return std::optional(std::move(stored));
    }
    segment = result_.view.segment;
    if (!remap_.empty()) doc = remap_[doc];
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
  return frozen_ ? 0 : builder_.memory_bytes();
}

Result<ShardSegment> WriteBuffer::Freeze(const std::string& name) {
  MutexLock lock(mutex_);
  if (frozen_) return result_;
  if (doc_count_ > dead_.size()) {
    segment::MemoryUpload image;
    TIERCEL_TRY(builder_.Finish(name, image));
    result_.image = std::move(image).IntoInput(name);
    TIERCEL_TRY_ASSIGN(result_.view.segment, segment::Segment::Open(result_.image));
    if (!dead_.empty()) {
      auto live = std::make_shared<segment::LiveDocs>(result_.view.segment->doc_count());
      for (const segment::DocId doc : dead_) live->Delete(doc);
      result_.view.live = std::move(live);
    }
    if (abandoned_) TIERCEL_TRY(DropDead(name));
  }
  frozen_ = true;
  charge_.Release();
  return result_;
}

// A segment finds the last document of an id. That may be an abandoned one here, with a live one before it: the segment is
// rewritten without them.
Status WriteBuffer::DropDead(const std::string& name) {
  segment::MemoryUpload image;
  std::vector<std::vector<segment::DocId>> remap;
  TIERCEL_TRY(segment::MergeSegments({&result_.view, 1}, name, {.codec = codec_}, image, runtime::Cancellation(), &remap));
  result_.image = std::move(image).IntoInput(name);
  TIERCEL_TRY_ASSIGN(result_.view.segment, segment::Segment::Open(result_.image));
  result_.view.live = nullptr;
  remap_ = std::move(remap.front());
  return {};
}

std::vector<PendingDelete> WriteBuffer::deletes() const {
  MutexLock lock(mutex_);
  return deletes_;
}

}  // namespace tiercel::shard
