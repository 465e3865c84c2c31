#include "tiercel/segment/stored_segment.h"

#include <algorithm>

#include "tiercel/cache/checked_input.h"
#include "tiercel/format/compression.h"
#include "tiercel/segment/stored_record.h"

namespace tiercel::segment {

Result<std::shared_ptr<const Segment>> Segment::Open(std::shared_ptr<const cache::Input> input) {
  TIERCEL_TRY_ASSIGN(std::shared_ptr<const Segment> segment, StoredSegment::Open(std::move(input)));
  return segment;
}

Result<std::shared_ptr<const StoredSegment>> StoredSegment::Open(std::shared_ptr<const cache::Input> input) {
  auto segment = std::make_shared<StoredSegment>();
  segment->raw_ = std::move(input);
  TIERCEL_TRY(segment->OpenContainer());
  const format::Section* section = segment->container_.Find("meta");
  if (section == nullptr) return format::CorruptionAt(segment->raw_->name(), 0, "segment without meta");
  TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes, segment->input_->Borrow(section->offset, section->length));
  format::Reader reader(bytes.bytes(), segment->raw_->name(), section->offset);
  TIERCEL_TRY_ASSIGN(segment->meta_, DecodeMeta(reader, segment->container_.sections.size()));
  SegmentMeta& meta = segment->meta_;
  if (meta.codec != format::kLz4Codec) {
    return Unimplemented(segment->raw_->name() + ": codec [" + meta.codec + "] of stored documents is not known");
  }
  TIERCEL_TRY_ASSIGN(segment->stored_, StoredReader::Open(segment->Slice(meta.stored),
                                                          segment->Slice(meta.stored_index), meta.doc_count));
  TIERCEL_TRY_ASSIGN(segment->ids_,
                     IdReader::Open(segment->Slice(meta.ids), segment->Slice(meta.id_hash), meta.doc_count));
  std::vector<FieldMeta> fields = std::move(meta.fields);
  segment->fields_.reserve(fields.size());
  for (FieldMeta& field : fields) TIERCEL_TRY(segment->OpenField(std::move(field)));
  return std::shared_ptr<const StoredSegment>(std::move(segment));
}

Status StoredSegment::OpenContainer() {
  const uint64_t size = raw_->size();
  const std::string& object = raw_->name();
  if (size < format::kHeaderBytes + format::kFooterBytes)
    return format::CorruptionAt(object, 0, "too short for a segment");
  TIERCEL_TRY_ASSIGN(const cache::Borrowed last, raw_->Borrow(size - format::kFooterBytes, format::kFooterBytes));
  TIERCEL_TRY_ASSIGN(const format::Footer footer, format::ParseFooter(last.bytes(), size, object));
  TIERCEL_TRY_ASSIGN(const cache::Borrowed tail, raw_->Borrow(footer.directory_offset, size - footer.directory_offset));
  TIERCEL_TRY_ASSIGN(container_, format::ParseContainer(footer, tail.bytes(), size, object));
  TIERCEL_TRY_ASSIGN(const cache::Borrowed first, raw_->Borrow(0, format::kHeaderBytes));
  TIERCEL_TRY(format::CheckHeader(first.bytes(), footer, format::ContainerKind::kSegment, object));
  if (footer.content_version != kSegmentVersion) {
    return Unimplemented(object + ": segment version " + std::to_string(footer.content_version) + " is not known");
  }
  input_ = cache::MakeChecked(raw_, container_.checksums, footer.table_offset);
  return {};
}

InputSlice StoredSegment::Slice(uint32_t section) const {
  const format::Section& found = container_.sections[section];
  return InputSlice(input_.get(), found.offset, found.length);
}

Status StoredSegment::OpenField(FieldMeta meta) {
  FieldReaders field;
  const uint32_t docs = meta_.doc_count;
  if (meta.numeric != kNoSection) {
    TIERCEL_TRY_ASSIGN(field.numeric,
                       NumericColumnReader::Open(Slice(meta.numeric), meta.encoding, docs, meta.numeric_counts));
  }
  if (meta.norms != kNoSection) {
    TIERCEL_TRY_ASSIGN(field.norms, NormsReader::Open(Slice(meta.norms), docs, meta.docs_with_norm));
  }
  if (meta.vectors != kNoSection) {
    TIERCEL_TRY_ASSIGN(field.vectors,
                       VectorColumnReader::Open(Slice(meta.vectors), meta.shape, meta.vector_count, docs));
  }
  infos_.push_back({meta.name, meta.type});
  field.meta = std::move(meta);
  if (field.meta.dictionary != kNoSection) TIERCEL_TRY(OpenTerms(field));
  fields_.push_back(std::move(field));
  return {};
}

Status StoredSegment::OpenTerms(FieldReaders& field) const {
  const FieldMeta& meta = field.meta;
  TIERCEL_TRY_ASSIGN(DictionaryReader dictionary,
                     DictionaryReader::Open(Slice(meta.dictionary), meta.term_count, meta.postings_kind));
  field.dictionary = std::make_unique<DictionaryReader>(std::move(dictionary));
  if (meta.ordinals != kNoSection) {
    TIERCEL_TRY_ASSIGN(field.keyword, KeywordColumnReader::Open(Slice(meta.ordinals), field.dictionary.get(),
                                                                meta_.doc_count, meta.ordinal_counts));
  }
  if (meta.postings == kNoSection) return {};
  const InputSlice section = Slice(meta.postings);
  if (meta.docs_with_term > meta_.doc_count || meta.docs_with_term == 0 || meta.tokens < meta.docs_with_term) {
    return section.Bad(0, "impossible counts of postings");
  }
  if (meta.postings_kind == PostingsKind::kPositions && !field.norms)
    return section.Bad(0, "positions without field lengths");
  const PostingsField postings{section, meta.postings_kind, meta_.doc_count, field.norms.get()};
  field.terms = std::make_unique<TermIndexReader>(field.dictionary.get(), postings,
                                                  static_cast<uint32_t>(meta.docs_with_term), meta.tokens);
  return {};
}

Result<std::string> StoredSegment::Source(DocId doc) const {
  std::string encoded;
  TIERCEL_TRY(stored_.Read(doc, encoded));
  const InputSlice section = Slice(meta_.stored);
  format::Reader reader(AsBytes(encoded), raw_->name(), section.offset());
  TIERCEL_TRY_ASSIGN(const Record record, DecodeRecord(reader));
  if (record.cuts.empty()) return std::string(record.text);
  std::string source;
  uint64_t done = 0;
  for (const VectorCut& cut : record.cuts) {
    source += record.text.substr(done, cut.position - done);
    done = cut.position;
    const VectorColumnReader* column = cut.field < fields_.size() ? fields_[cut.field].vectors.get() : nullptr;
    const std::optional<uint32_t> row = column == nullptr ? std::nullopt : column->row_of(doc);
    if (!row)
      return section.Bad(0, "source of document " + std::to_string(doc) + " refers to a vector that is not there");
    TIERCEL_TRY_ASSIGN(const VectorColumn::Run run, column->BorrowRun(*row, 1));
    if (!PrintVector(run.bytes.bytes(), column->element(), cut.form, source)) {
      return section.Bad(0, "source of document " + std::to_string(doc) + " has a vector in an unknown form");
    }
  }
  source += record.text.substr(done);
  return source;
}

const FieldReaders* StoredSegment::Find(std::string_view field) const {
  const auto at =
      std::lower_bound(fields_.begin(), fields_.end(), field,
                       [](const FieldReaders& readers, std::string_view name) { return readers.meta.name < name; });
  return at != fields_.end() && at->meta.name == field ? &*at : nullptr;
}

const NumericColumn* StoredSegment::numeric(std::string_view field) const {
  const FieldReaders* readers = Find(field);
  return readers == nullptr ? nullptr : readers->numeric.get();
}
const KeywordColumn* StoredSegment::keyword(std::string_view field) const {
  const FieldReaders* readers = Find(field);
  return readers == nullptr ? nullptr : readers->keyword.get();
}
const VectorColumn* StoredSegment::vector(std::string_view field) const {
  const FieldReaders* readers = Find(field);
  return readers == nullptr ? nullptr : readers->vectors.get();
}
const TermIndex* StoredSegment::terms(std::string_view field) const {
  const FieldReaders* readers = Find(field);
  return readers == nullptr ? nullptr : readers->terms.get();
}
const Norms* StoredSegment::norms(std::string_view field) const {
  const FieldReaders* readers = Find(field);
  return readers == nullptr ? nullptr : readers->norms.get();
}

Status StoredSegment::Verify() const {
  const uint64_t covered = container_.footer.table_offset;
  for (uint64_t block = 0; block < container_.checksums.size(); ++block) {
    const uint64_t start = block * format::kChecksumBlock;
    TIERCEL_TRY_ASSIGN(const cache::Borrowed bytes,
                       raw_->Borrow(start, std::min(format::kChecksumBlock, covered - start)));
    TIERCEL_TRY(container_.CheckBlock(block, bytes.bytes(), raw_->name()));
  }
  TIERCEL_TRY(ids_.Verify());
  for (const FieldReaders& field : fields_) {
    if (Status status = VerifyField(field); !status.ok())
      return std::move(status).WithContext("field [" + field.meta.name + "]");
  }
  for (DocId doc = 0; doc < meta_.doc_count; ++doc) TIERCEL_TRY(Source(doc).status());
  return {};
}

Status StoredSegment::VerifyField(const FieldReaders& field) const {
  if (field.numeric) TIERCEL_TRY(field.numeric->Verify());
  if (field.keyword) TIERCEL_TRY(field.keyword->Verify());
  if (field.norms) TIERCEL_TRY(field.norms->Verify(Slice(field.meta.norms)));
  if (field.vectors) TIERCEL_TRY(field.vectors->Verify());
  if (field.terms) return field.terms->Verify();
  if (!field.dictionary) return {};
  DictionaryCursor cursor(field.dictionary.get());
  TIERCEL_TRY(cursor.Seek(0));
  for (std::string previous; cursor.valid();) {
    if (cursor.ordinal() > 0 && cursor.term() <= previous)
      return Slice(field.meta.dictionary).Bad(0, "terms out of order");
    previous = cursor.term();
    TIERCEL_TRY(cursor.Next());
  }
  return {};
}

}  // namespace tiercel::segment
