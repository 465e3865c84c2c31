// SegmentMeta: the section `meta` of a segment, as values. Bytes: docs/format/segment.md.
//
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"
#include "tiercel/format/coding.h"
#include "tiercel/mapping/field.h"
#include "tiercel/segment/columns.h"
#include "tiercel/segment/vector_column.h"

namespace tiercel::segment {

inline constexpr uint32_t kSegmentVersion = 1;  // of the content
inline constexpr uint32_t kMaxDocs = 1u << 28;  // in one segment
inline constexpr uint32_t kNoSection = UINT32_MAX;

// One field and the sections its parts lie in; kNoSection for parts it does not have.
struct FieldMeta {
  std::string name;
  mapping::FieldType type = mapping::FieldType::kKeyword;

  uint32_t numeric = kNoSection;
  mapping::NumericEncoding encoding = mapping::NumericEncoding::kInt64;
  ColumnCounts numeric_counts;

  uint32_t dictionary = kNoSection;
  uint64_t term_count = 0;

  uint32_t ordinals = kNoSection;
  ColumnCounts ordinal_counts;

  uint32_t postings = kNoSection;
  PostingsKind postings_kind = PostingsKind::kNone;
  uint64_t docs_with_term = 0;
  uint64_t tokens = 0;

  uint32_t norms = kNoSection;
  uint64_t docs_with_norm = 0;

  uint32_t vectors = kNoSection;
  VectorShape shape;
  uint64_t vector_count = 0;
};

struct SegmentMeta {
  std::string name;
  uint32_t doc_count = 0;
  std::string codec;
  uint32_t stored = kNoSection;
  uint32_t stored_index = kNoSection;
  uint32_t ids = kNoSection;
  uint32_t id_hash = kNoSection;
  std::vector<FieldMeta> fields;  // in order of name
};

void EncodeMeta(const SegmentMeta& meta, Bytes& out);
// `sections` is how many there are; every section number is below it.
Result<SegmentMeta> DecodeMeta(format::Reader& reader, uint64_t sections);

}  // namespace tiercel::segment
