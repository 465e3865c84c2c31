// MergeTerms: dictionary, postings and ordinals of one field from several segments into one.
//
// Thread safety: one thread. Memory: four bytes per term of the inputs, the merged dictionary, the postings of one
// term.
#pragma once

#include <span>
#include <vector>

#include "tiercel/runtime/cancellation.h"
#include "tiercel/segment/segment_writer.h"
#include "tiercel/segment/stored_segment.h"

namespace tiercel::segment {

// One segment of a merge, and where its documents go: kNoMoreDocs for those that are dropped.
struct MergeInput {
  const StoredSegment* segment = nullptr;
  std::vector<DocId> remap;
};

// `parts[i]` is what inputs[i] has of the field, or null. `norms` are those of the new segment.
Status MergeTerms(std::span<const MergeInput> inputs, std::span<const FieldReaders* const> parts, ByteSpan norms,
                  const runtime::Cancellation& cancellation, SegmentWriter& out, FieldMeta& meta);

}  // namespace tiercel::segment
