// The requests that wait for a group commit, and the batch made of them. Private to the write path.
//
// Thread safety: guarded by the write path's mutexes. Lifetime: on the stacks of the callers that wait.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tiercel/shard/write_path.h"

namespace tiercel::shard {

struct WritePath::Request {
  std::span<Operation> operations;
  std::vector<OperationResult> results;
  uint64_t bytes = 0;
  bool done = false;  // guarded by commit_mutex_
};

// What is known of an id, and where its live document is, if it has one outside the current buffer.
struct WritePath::Located {
  KnownVersion known;
  bool elsewhere = false;
  std::shared_ptr<const segment::Segment> segment;  // null when it is in a buffer that is being frozen
  segment::DocId doc = 0;
};

// One operation that passed its checks and waits for the log.
struct WritePath::Staged {
  const Operation* operation;
  OperationResult* result;
  std::optional<segment::DocId> doc;  // in the buffer; nothing for deletes
  Located before;                     // meaningful for the first operation of the batch on this id
  bool first_on_id = true;
};

struct WritePath::Batch {
  std::shared_ptr<WriteBuffer> buffer;
  std::vector<Staged> staged;
  // Newest staged version of each id. Keys borrow the operations' ids.
  std::unordered_map<std::string_view, KnownVersion> overlay;
  // Refused because of what the batch itself would do: not true any more if the batch fails.
  std::vector<OperationResult*> refused_by_batch;
};

}  // namespace tiercel::shard
