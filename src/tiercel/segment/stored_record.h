// A stored record: a source without the vectors that their columns can print, and where they belong. Bytes:
// docs/format/segment.md.
//
// Thread safety: pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/format/coding.h"
#include "tiercel/segment/source_vectors.h"

namespace tiercel::segment {

// `cuts` ascend by position; their fields are numbers in meta. Replaces `out`.
void EncodeRecord(std::span<const VectorCut> cuts, std::string_view text, std::string& out);

struct Record {
  std::vector<VectorCut> cuts;
  std::string_view text;  // borrowed from the encoded record
};
// `reader` stands on the record and is exhausted by it.
Result<Record> DecodeRecord(format::Reader& reader);

}  // namespace tiercel::segment
