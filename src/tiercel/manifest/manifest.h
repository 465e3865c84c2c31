// The manifest: a shard's list of segments, one immutable generation after another. docs/format/manifest.md has the
// bytes.
//
// Invariants (tests cite them):
//   M1  Generation N+1 is committed by putting `PREFIX/manifest/<N+1, 16 hex digits>` if absent: exactly one writer
//   wins. M2  A committed generation names only objects that were durable before the commit. M3  Every operation with
//   seq_no <= persisted_seq_no is in the named segments and live-docs; every acknowledged
//       operation above it is in a log object of generation >= log_generation.
//   M4  A newest generation that fails its checksum is an error, never silently skipped.
//   M5  An object named by no generation that is newest or pinned is garbage.
//
// Thread safety: free functions over a thread-safe store. Cost: one list and one get to read; one put to commit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/store/object_store.h"

namespace tiercel::manifest {

struct SegmentEntry {
  std::string object;            // "segments/<name>", relative to the shard's prefix
  std::string live_docs_object;  // empty when nothing is deleted
  uint64_t bytes = 0;
  uint32_t doc_count = 0;
  uint32_t live_count = 0;
  int64_t min_seq_no = -1;
  int64_t max_seq_no = -1;
};

struct Manifest {
  uint64_t generation = 0;
  uint64_t primary_term = 1;
  int64_t persisted_seq_no = -1;
  uint64_t log_generation = 1;
  uint64_t next_segment_number = 0;
  std::vector<SegmentEntry> segments;
};

Bytes Encode(const Manifest& manifest);
Result<Manifest> Decode(ByteSpan bytes, std::string_view object);

// Path of generation `generation` below `prefix`.
std::string ObjectName(std::string_view prefix, uint64_t generation);
// NotFound when the shard has none yet.
Result<Manifest> ReadNewest(const store::ObjectStore& store, std::string_view prefix);
// Conflict when the generation exists: somebody else owns the shard now. After any other error the generation may or
// may not have been committed: ReadNewest tells.
Status Commit(store::ObjectStore& store, std::string_view prefix, const Manifest& manifest);

}  // namespace tiercel::manifest
