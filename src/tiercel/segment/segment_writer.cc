#include "tiercel/segment/segment_writer.h"

#include <algorithm>

#include "tiercel/base/check.h"

namespace tiercel::segment {

SegmentWriter::SegmentWriter(std::string_view name, const BuilderOptions& options, uint32_t doc_count,
                             store::Upload& sink)
    : out_(format::ContainerKind::kSegment, kSegmentVersion, [&sink](ByteSpan bytes) { return sink.Append(bytes); }) {
  meta_.name = name;
  meta_.codec = options.codec;
  meta_.doc_count = doc_count;
}

Status SegmentWriter::Begin(std::string_view kind, std::string_view field) {
  return out_.BeginSection(field.empty() ? std::string(kind) : std::string(kind) + "/" + std::string(field));
}

Status SegmentWriter::WriteIds(const std::function<Status(IdWriter&)>& feed) {
  TIERCEL_TRY(Begin("ids", {}));
  meta_.ids = out_.section();
  IdWriter writer(out_);
  TIERCEL_TRY(feed(writer));
  TIERCEL_TRY(writer.Finish());
  TIERCEL_TRY(Begin("id_hash", {}));
  meta_.id_hash = out_.section();
  return writer.WriteHash();
}

Status SegmentWriter::WriteStored(const std::function<Status(StoredWriter&)>& feed) {
  TIERCEL_TRY(Begin("stored", {}));
  meta_.stored = out_.section();
  StoredWriter writer(out_);
  TIERCEL_TRY(feed(writer));
  TIERCEL_TRY(writer.Finish());
  TIERCEL_TRY(Begin("stored_index", {}));
  meta_.stored_index = out_.section();
  return writer.WriteIndex();
}

Status SegmentWriter::WriteNumeric(FieldMeta& field, const std::function<Status(ValueBlocksWriter&)>& feed) {
  TIERCEL_TRY(Begin("numeric", field.name));
  ValueBlocksWriter writer(out_);
  TIERCEL_TRY(feed(writer));
  TIERCEL_TRY(writer.SkipTo(meta_.doc_count));
  TIERCEL_TRY(writer.Finish());
  if (writer.value_count() == 0) return {};
  field.numeric = out_.section();
  field.numeric_counts = {writer.docs_with_value(), writer.value_count(), writer.min(), writer.max()};
  return {};
}

Status SegmentWriter::WriteTerms(FieldMeta& field, PostingsKind kind, ByteSpan norms,
                                 const std::function<Status(DictionaryWriter&, PostingsWriter*)>& feed) {
  DictionaryWriter dictionary(kind);
  if (kind == PostingsKind::kNone) {
    TIERCEL_TRY(feed(dictionary, nullptr));
  } else {
    TIERCEL_TRY(Begin("terms", field.name));
    PostingsWriter postings(out_, kind, norms, meta_.doc_count);
    TIERCEL_TRY(feed(dictionary, &postings));
    if (dictionary.term_count() == 0) return {};
    field.postings = out_.section();
    field.postings_kind = kind;
    field.docs_with_term = postings.docs_with_term();
    field.tokens = postings.tokens();
  }
  if (dictionary.term_count() == 0) return {};
  TIERCEL_TRY(Begin("dict", field.name));
  field.dictionary = out_.section();
  field.term_count = dictionary.term_count();
  return dictionary.Write(out_);
}

Status SegmentWriter::WriteOrdinals(FieldMeta& field, const std::function<Status(ValueBlocksWriter&)>& feed) {
  TIERCEL_TRY(Begin("ordinals", field.name));
  ValueBlocksWriter writer(out_);
  TIERCEL_TRY(feed(writer));
  TIERCEL_TRY(writer.SkipTo(meta_.doc_count));
  TIERCEL_TRY(writer.Finish());
  if (writer.value_count() == 0) return {};
  field.ordinals = out_.section();
  field.ordinal_counts = {writer.docs_with_value(), writer.value_count(), writer.min(), writer.max()};
  return {};
}

Status SegmentWriter::WriteNorms(FieldMeta& field, const NormsBuffer& norms) {
  if (norms.docs_with_field() == 0) return {};
  TIERCEL_TRY(Begin("norms", field.name));
  field.norms = out_.section();
  field.docs_with_norm = norms.docs_with_field();
  return norms.Write(out_);
}

Status SegmentWriter::WriteVectors(FieldMeta& field, VectorShape shape,
                                   const std::function<Status(VectorWriter&)>& feed) {
  TIERCEL_TRY(Begin("vectors", field.name));
  VectorWriter writer(out_, shape);
  TIERCEL_TRY(feed(writer));
  TIERCEL_TRY(writer.Finish(meta_.doc_count));
  if (writer.count() == 0) return {};
  field.vectors = out_.section();
  field.shape = shape;
  field.vector_count = writer.count();
  return {};
}

void SegmentWriter::AddField(FieldMeta field) {
  const uint32_t none = kNoSection;
  if (field.numeric == none && field.dictionary == none && field.norms == none && field.vectors == none) return;
  TIERCEL_CHECK(meta_.fields.empty() || meta_.fields.back().name < field.name, "fields are added in order");
  meta_.fields.push_back(std::move(field));
}

uint32_t SegmentWriter::NumberOf(std::string_view field) const {
  const auto at = std::lower_bound(meta_.fields.begin(), meta_.fields.end(), field,
                                   [](const FieldMeta& meta, std::string_view name) { return meta.name < name; });
  TIERCEL_CHECK(at != meta_.fields.end() && at->name == field, "a cut names a field that was not written");
  return static_cast<uint32_t>(at - meta_.fields.begin());
}

Status SegmentWriter::Finish() {
  Bytes meta;
  EncodeMeta(meta_, meta);
  TIERCEL_TRY(Begin("meta", {}));
  TIERCEL_TRY(out_.Append(meta));
  return out_.Finish();
}

}  // namespace tiercel::segment
