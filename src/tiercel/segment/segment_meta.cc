#include "tiercel/segment/segment_meta.h"

namespace tiercel::segment {
namespace {

using format::Reader;
using format::Writer;

enum Component : uint8_t {
  kNumeric = 1,
  kDictionary = 2,
  kOrdinals = 4,
  kPostings = 8,
  kNorms = 16,
  kVectors = 32,
  kAll = 63
};

uint8_t ComponentsOf(const FieldMeta& field) {
  uint8_t components = 0;
  if (field.numeric != kNoSection) components |= kNumeric;
  if (field.dictionary != kNoSection) components |= kDictionary;
  if (field.ordinals != kNoSection) components |= kOrdinals;
  if (field.postings != kNoSection) components |= kPostings;
  if (field.norms != kNoSection) components |= kNorms;
  if (field.vectors != kNoSection) components |= kVectors;
  return components;
}

void EncodeField(const FieldMeta& field, Writer& writer) {
  const uint8_t components = ComponentsOf(field);
  writer.String(field.name);
  writer.U8(static_cast<uint8_t>(field.type));
  writer.U8(components);
  if (components & kNumeric) {
    writer.Varint(field.numeric);
    writer.U8(static_cast<uint8_t>(field.encoding));
    writer.Varint(field.numeric_counts.docs_with_value);
    writer.Varint(field.numeric_counts.value_count);
    writer.SignedVarint(field.numeric_counts.min);
    writer.SignedVarint(field.numeric_counts.max);
  }
  if (components & kDictionary) {
    writer.Varint(field.dictionary);
    writer.Varint(field.term_count);
  }
  if (components & kOrdinals) {
    writer.Varint(field.ordinals);
    writer.Varint(field.ordinal_counts.docs_with_value);
    writer.Varint(field.ordinal_counts.value_count);
  }
  if (components & kPostings) {
    writer.Varint(field.postings);
    writer.U8(field.postings_kind == PostingsKind::kPositions);
    writer.Varint(field.docs_with_term);
    writer.Varint(field.tokens);
  }
  if (components & kNorms) {
    writer.Varint(field.norms);
    writer.Varint(field.docs_with_norm);
  }
  if (components & kVectors) {
    writer.Varint(field.vectors);
    writer.U8(static_cast<uint8_t>(field.shape.element));
    writer.Varint(field.shape.dims);
    writer.Varint(field.vector_count);
  }
}

Status ReadSection(Reader& reader, uint64_t sections, uint32_t& out) {
  TIERCEL_TRY_ASSIGN(const uint64_t section, reader.Varint());
  if (section >= sections) return reader.Bad("number of a section that does not exist");
  out = static_cast<uint32_t>(section);
  return {};
}

// An enumerator below or at `last`.
template <typename Enum>
Status ReadEnum(Reader& reader, Enum last, Enum& out) {
  TIERCEL_TRY_ASSIGN(const uint8_t value, reader.U8());
  if (value > static_cast<uint8_t>(last)) return reader.Bad("unknown value of an enumeration");
  out = static_cast<Enum>(value);
  return {};
}

Status DecodeColumns(Reader& reader, uint64_t sections, uint8_t components, FieldMeta& field) {
  if (components & kNumeric) {
    TIERCEL_TRY(ReadSection(reader, sections, field.numeric));
    TIERCEL_TRY(ReadEnum(reader, mapping::NumericEncoding::kFloat, field.encoding));
    TIERCEL_TRY_ASSIGN(field.numeric_counts.docs_with_value, reader.Varint());
    TIERCEL_TRY_ASSIGN(field.numeric_counts.value_count, reader.Varint());
    TIERCEL_TRY_ASSIGN(field.numeric_counts.min, reader.SignedVarint());
    TIERCEL_TRY_ASSIGN(field.numeric_counts.max, reader.SignedVarint());
  }
  if (components & kDictionary) {
    TIERCEL_TRY(ReadSection(reader, sections, field.dictionary));
    TIERCEL_TRY_ASSIGN(field.term_count, reader.Varint());
  }
  if (components & kOrdinals) {
    TIERCEL_TRY(ReadSection(reader, sections, field.ordinals));
    TIERCEL_TRY_ASSIGN(field.ordinal_counts.docs_with_value, reader.Varint());
    TIERCEL_TRY_ASSIGN(field.ordinal_counts.value_count, reader.Varint());
  }
  return {};
}

Status DecodeField(Reader& reader, uint64_t sections, FieldMeta& field) {
  TIERCEL_TRY_ASSIGN(field.name, reader.String());
  TIERCEL_TRY(ReadEnum(reader, mapping::FieldType::kNested, field.type));
  TIERCEL_TRY_ASSIGN(const uint8_t components, reader.U8());
  if (components > kAll) return reader.Bad("unknown component of a field");
  if ((components & (kOrdinals | kPostings)) != 0 && (components & kDictionary) == 0)
    return reader.Bad("postings without a dictionary");
  TIERCEL_TRY(DecodeColumns(reader, sections, components, field));
  if (components & kPostings) {
    TIERCEL_TRY(ReadSection(reader, sections, field.postings));
    TIERCEL_TRY_ASSIGN(const uint8_t positions, reader.U8());
    if (positions > 1) return reader.Bad("unknown kind of postings");
    field.postings_kind = positions == 1 ? PostingsKind::kPositions : PostingsKind::kDocuments;
    TIERCEL_TRY_ASSIGN(field.docs_with_term, reader.Varint());
    TIERCEL_TRY_ASSIGN(field.tokens, reader.Varint());
  }
  if (components & kNorms) {
    TIERCEL_TRY(ReadSection(reader, sections, field.norms));
    TIERCEL_TRY_ASSIGN(field.docs_with_norm, reader.Varint());
  }
  if (components & kVectors) {
    TIERCEL_TRY(ReadSection(reader, sections, field.vectors));
    TIERCEL_TRY(ReadEnum(reader, mapping::ElementType::kBit, field.shape.element));
    TIERCEL_TRY_ASSIGN(const uint64_t dims, reader.Varint());
    if (dims > kMaxVectorDims) return reader.Bad("impossible dimensions");
    field.shape.dims = static_cast<uint32_t>(dims);
    TIERCEL_TRY_ASSIGN(field.vector_count, reader.Varint());
  }
  return {};
}

}  // namespace

void EncodeMeta(const SegmentMeta& meta, Bytes& out) {
  Writer writer(out);
  writer.String(meta.name);
  writer.Varint(meta.doc_count);
  writer.String(meta.codec);
  for (const uint32_t section : {meta.stored, meta.stored_index, meta.ids, meta.id_hash}) writer.Varint(section);
  writer.Varint(meta.fields.size());
  for (const FieldMeta& field : meta.fields) EncodeField(field, writer);
}

Result<SegmentMeta> DecodeMeta(Reader& reader, uint64_t sections) {
  SegmentMeta meta;
  TIERCEL_TRY_ASSIGN(meta.name, reader.String());
  TIERCEL_TRY_ASSIGN(const uint64_t docs, reader.Varint());
  if (docs == 0 || docs > kMaxDocs) return reader.Bad("impossible document count");
  meta.doc_count = static_cast<uint32_t>(docs);
  TIERCEL_TRY_ASSIGN(meta.codec, reader.String());
  for (uint32_t* section : {&meta.stored, &meta.stored_index, &meta.ids, &meta.id_hash}) {
    TIERCEL_TRY(ReadSection(reader, sections, *section));
  }
  TIERCEL_TRY_ASSIGN(const uint64_t fields, reader.Varint());
  if (fields > reader.remaining() / 3) return reader.Bad("impossible field count");
  meta.fields.reserve(fields);
  for (uint64_t i = 0; i < fields; ++i) {
    FieldMeta field;
    TIERCEL_TRY(DecodeField(reader, sections, field));
    if (i > 0 && field.name <= meta.fields.back().name) return reader.Bad("fields out of order");
    meta.fields.push_back(std::move(field));
  }
  if (!reader.AtEnd()) return reader.Bad("bytes after the fields");
  return meta;
}

}  // namespace tiercel::segment
