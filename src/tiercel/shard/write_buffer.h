// WriteBuffer: the documents since the last refresh, inverted and waiting to become a segment in memory.
//
// A document is staged first, while its log record is on its way, and is dead until that is durable: nobody can find it
// through the version map, and Kill marks it dead for good when the log failed or a newer version arrived. The buffer
// also collects the ids whose older copies, in segments published before, die when it is published.
//
// Thread safety: all methods from any thread, but Stage, Kill, Abandon and DeleteElsewhere come from the write path
// alone and not after the buffer was taken for freezing, and Freeze comes from one thread at a time. Read never waits
// for a freeze. Lifetime: shared by the version map's entries, readable for as long as any of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/base/result.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/segment/builder.h"
#include "tiercel/segment/source.h"
#include "tiercel/shard/segment_registry.h"

namespace tiercel::shard {

// An id whose copies in segments published earlier are to be deleted; `hint` is where the live one was when last seen.
struct PendingDelete {
  std::string id;
  std::shared_ptr<const segment::Segment> hint;
  segment::DocId hint_doc = 0;
};

class WriteBuffer {
 public:
  WriteBuffer(const std::string& codec, runtime::MemoryBudget* budget);

  // ResourceExhausted when the indexing budget has no room; InvalidArgument when the segment cannot hold the document.
  Result<segment::DocId> Stage(const mapping::ParsedDocument& document, const segment::DocMeta& meta) EXCLUDES(mutex_);
  // The document was superseded by a later one.
  void Kill(segment::DocId doc) EXCLUDES(mutex_);
  // The document never was: its log record failed.
  void Abandon(segment::DocId doc) EXCLUDES(mutex_);
  void DeleteElsewhere(PendingDelete deletion) EXCLUDES(mutex_);

  // Source and routing of a staged document; its meta is in the version map. Nothing when the document died and the
  // buffer froze without it: whoever found it in the version map looks there again.
  Result<std::optional<StoredDocument>> Read(segment::DocId doc) const EXCLUDES(mutex_);

  uint32_t doc_count() const EXCLUDES(mutex_);
  bool empty() const EXCLUDES(mutex_);  // no documents and no deletes
  uint64_t memory_bytes() const EXCLUDES(mutex_);

  // The finished segment in memory: `view.segment` is null when no document lives. Freezing again returns the same.
  Result<ShardSegment> Freeze(const std::string& name) EXCLUDES(mutex_);
  std::vector<PendingDelete> deletes() const EXCLUDES(mutex_);

 private:
  struct Frozen {
    ShardSegment segment;
    std::vector<segment::DocId> remap;  // staged documents in the frozen segment; empty when they are the same
  };
  Result<Frozen> Build(const std::string& name) EXCLUDES(mutex_);
  Status DropDead(const std::string& name, Frozen& frozen) const;

  const std::string codec_;
  mutable Mutex mutex_;
  std::shared_ptr<segment::SegmentBuilder> builder_ GUARDED_BY(mutex_);  // null once frozen
  runtime::MemoryBudget* const budget_;
  runtime::MemoryCharge charge_ GUARDED_BY(mutex_);
  std::vector<segment::DocId> dead_ GUARDED_BY(mutex_);
  std::vector<PendingDelete> deletes_ GUARDED_BY(mutex_);
  std::unordered_map<segment::DocId, std::string> routing_ GUARDED_BY(mutex_);
  uint32_t doc_count_ GUARDED_BY(mutex_) = 0;
  bool abandoned_ GUARDED_BY(mutex_) = false;
  Frozen frozen_ GUARDED_BY(mutex_);
};

}  // namespace tiercel::shard
