#include "tiercel/segment/builder.h"

#include <algorithm>
#include <optional>

#include "tiercel/base/check.h"
#include "tiercel/format/compression.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/segment/field_buffers.h"
#include "tiercel/segment/segment_writer.h"
#include "tiercel/segment/source_vectors.h"
#include "tiercel/segment/stored_record.h"

namespace tiercel::segment {
namespace {

// Arenas address 4 GiB with 32 bits; a builder that comes near is full.
constexpr uint64_t kMaxArena = 3ULL << 30;
constexpr uint32_t kNoSlot = UINT32_MAX;

// One field of the write buffer: whichever of its parts have values.
struct FieldBuffer {
  std::string name;
  mapping::FieldType type;
  mapping::NumericEncoding encoding = mapping::NumericEncoding::kInt64;
  bool indexed = true;
  bool doc_values = true;
  bool norms = true;
  NumericBuffer numeric;
  KeywordBuffer keyword;
  TextBuffer text;
  VectorBuffer vectors;

  uint64_t memory_bytes() const {
    return sizeof *this + numeric.memory_bytes() + keyword.memory_bytes() + text.memory_bytes() +
           vectors.memory_bytes();
  }
};

struct StoredDocument {
  std::string id;
  std::string text;             // the source without the cuts
  std::vector<VectorCut> cuts;  // their fields are slots of the builder

  uint64_t memory_bytes() const {
    return sizeof *this + id.capacity() + text.capacity() + cuts.capacity() * sizeof(VectorCut);
  }
};

mapping::FieldType ColumnType(std::string_view name) {
  return name == kIgnoredField || name == kRoutingField ? mapping::FieldType::kKeyword : mapping::FieldType::kLong;
}

}  // namespace

struct SegmentBuilder::State {
  BuilderOptions options;
  std::vector<std::unique_ptr<FieldBuffer>> fields;
  std::vector<uint32_t> slots;  // of mapped fields, by id
  uint32_t seq_no, primary_term, version;
  uint32_t ignored = kNoSlot;
  uint32_t routing = kNoSlot;
  std::vector<StoredDocument> documents;
  uint64_t document_bytes = 0;

  uint32_t NewColumn(std::string_view name);
  uint32_t SlotOf(const mapping::Field& field);
  Status Validate(const mapping::ParsedDocument& document) const;
  Status ValidateVectors(const mapping::ParsedDocument& document) const;
  Status ValidateTexts(const mapping::ParsedDocument& document) const;
  void AddValues(DocId doc, const mapping::ParsedDocument& document);
  void AddVectors(DocId doc, const mapping::ParsedDocument& document, StoredDocument& stored);
  Status WriteField(FieldBuffer& field, SegmentWriter& out) const;
  Status WriteDocuments(SegmentWriter& out) const;
};

uint32_t SegmentBuilder::State::NewColumn(std::string_view name) {
  auto field = std::make_unique<FieldBuffer>();
  field->name = name;
  field->type = ColumnType(name);
  fields.push_back(std::move(field));
  return static_cast<uint32_t>(fields.size()) - 1;
}

uint32_t SegmentBuilder::State::SlotOf(const mapping::Field& field) {
  if (slots.size() <= field.id) slots.resize(field.id + size_t{1}, kNoSlot);
  uint32_t& slot = slots[field.id];
  if (slot != kNoSlot) return slot;
  auto buffer = std::make_unique<FieldBuffer>();
  buffer->name = field.name;
  buffer->type = field.type;
  if (field.is_numeric_column()) buffer->encoding = field.encoding();
  buffer->indexed = field.index;
  buffer->doc_values = field.doc_values;
  buffer->norms = field.norms;
  fields.push_back(std::move(buffer));
  return slot = static_cast<uint32_t>(fields.size()) - 1;
}

SegmentBuilder::SegmentBuilder(BuilderOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->seq_no = state_->NewColumn(kSeqNoField);
  state_->primary_term = state_->NewColumn(kPrimaryTermField);
  state_->version = state_->NewColumn(kVersionField);
}

SegmentBuilder::~SegmentBuilder() = default;

Status SegmentBuilder::State::ValidateTexts(const mapping::ParsedDocument& document) const {
  for (size_t i = 0; i < document.texts.size(); ++i) {
    const mapping::TextValue& text = document.texts[i];
    for (size_t j = 0; j < i; ++j) {
      if (document.texts[j].field == text.field) return InvalidArgument("a document with two texts for one field");
    }
    if (text.first_token > document.tokens.size() || text.token_count > document.tokens.size() - text.first_token) {
      return InvalidArgument("a document whose text exceeds its tokens");
    }
    uint32_t position = 0;
    for (uint32_t t = text.first_token; t < text.first_token + text.token_count; ++t) {
      if (document.tokens[t].position < position) return InvalidArgument("a document whose token positions descend");
      position = document.tokens[t].position;
    }
  }
  return {};
}

Status SegmentBuilder::State::ValidateVectors(const mapping::ParsedDocument& document) const {
  for (size_t i = 0; i < document.vectors.size(); ++i) {
    const mapping::VectorValue& vector = document.vectors[i];
    for (size_t j = 0; j < i; ++j) {
      if (document.vectors[j].field == vector.field)
        return InvalidArgument("a document with two vectors for one field");
    }
    const mapping::Field& field = document.mapping->field(vector.field);
    const uint32_t slot = vector.field < slots.size() ? slots[vector.field] : kNoSlot;
    const bool first = slot == kNoSlot || fields[slot]->vectors.empty();
    const uint32_t unit = field.vector.element == mapping::ElementType::kFloat ? 4 : 1;
    const bool fits = vector.length > 0 && vector.length % unit == 0 && vector.length / unit <= kMaxVectorDims / 8 &&
                      vector.offset <= document.vector_bytes.size() &&
                      vector.length <= document.vector_bytes.size() - vector.offset &&
                      (first || fields[slot]->vectors.shape().row_bytes() == vector.length);
    if (!fits)
      return InvalidArgument("vector of " + std::to_string(vector.length) + " bytes does not fit field [" + field.name +
                             "]");
  }
  return {};
}

Status SegmentBuilder::State::Validate(const mapping::ParsedDocument& document) const {
  if (documents.size() >= kMaxDocs)
    return ResourceExhausted("a segment of more than " + std::to_string(kMaxDocs) + " documents");
  if (document.source.size() > format::kMaxCompressible / 2) {
    return InvalidArgument("a document of " + std::to_string(document.source.size()) + " bytes cannot be stored");
  }
  if (!document.mapping) return InvalidArgument("a document without its mapping");
  // Every occurrence takes at most 16 bytes of a chain.
  const uint64_t more = document.term_bytes.size() + document.tokens.size() * uint64_t{16};
  for (const auto& field : fields) {
    if (std::max(field->text.arena_bytes(), field->keyword.term_bytes()) + more > kMaxArena) {
      return ResourceExhausted("the write buffer of field [" + field->name + "] is full");
    }
  }
  TIERCEL_TRY(ValidateTexts(document));
  return ValidateVectors(document);
}

void SegmentBuilder::State::AddValues(DocId doc, const mapping::ParsedDocument& document) {
  const mapping::Mapping& mapping = *document.mapping;
  for (const mapping::NumericValue& value : document.numerics) {
    fields[SlotOf(mapping.field(value.field))]->numeric.Add(doc, value.encoded);
  }
  for (const mapping::KeywordValue& value : document.keywords) {
    FieldBuffer& field = *fields[SlotOf(mapping.field(value.field))];
    if (field.indexed || field.doc_values) field.keyword.Add(doc, document.Term(value.offset, value.length));
  }
  for (const mapping::TextValue& text : document.texts) {
    FieldBuffer& field = *fields[SlotOf(mapping.field(text.field))];
    const std::span tokens = std::span(document.tokens).subspan(text.first_token, text.token_count);
    if (field.indexed) field.text.Add(doc, document, tokens, field.norms);
  }
  for (const std::string& name : document.ignored) {
    if (ignored == kNoSlot) ignored = NewColumn(kIgnoredField);
    fields[ignored]->keyword.Add(doc, name);
  }
  if (document.routing.empty()) return;
  if (routing == kNoSlot) routing = NewColumn(kRoutingField);
  fields[routing]->keyword.Add(doc, document.routing);
}

void SegmentBuilder::State::AddVectors(DocId doc, const mapping::ParsedDocument& document, StoredDocument& stored) {
  struct Place {
    uint64_t begin, end;
    VectorCut cut;
  };
  std::vector<Place> places;
  for (const mapping::VectorValue& value : document.vectors) {
    const mapping::Field& field = document.mapping->field(value.field);
    const uint32_t slot = SlotOf(field);
    VectorBuffer& buffer = fields[slot]->vectors;
    const mapping::ElementType element = field.vector.element;
    if (buffer.empty()) {
      const uint32_t dims = element == mapping::ElementType::kFloat  ? value.length / 4
                            : element == mapping::ElementType::kByte ? value.length
                                                                     : value.length * 8;
      buffer = VectorBuffer({element, dims});
    }
    const ByteSpan row = ByteSpan(document.vector_bytes).subspan(value.offset, value.length);
    buffer.Add(doc, row);
    const uint64_t size = document.source.size();
    if (value.source_length == 0 || value.source_offset > size || value.source_length > size - value.source_offset)
      continue;
    const std::string_view text = std::string_view(document.source).substr(value.source_offset, value.source_length);
    if (const std::optional<VectorForm> form = FindVectorForm(text, row, element)) {
      places.push_back({value.source_offset, value.source_offset + value.source_length, {slot, *form, 0}});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  uint64_t done = 0;
  stored.text.reserve(document.source.size());
  for (Place& place : places) {
    if (place.begin < done) continue;  // two fields fed from one array: the first keeps it
    stored.text.append(document.source, done, place.begin - done);
    place.cut.position = stored.text.size();
    stored.cuts.push_back(place.cut);
    done = place.end;
  }
  stored.text.append(document.source, done);
  if (!places.empty()) stored.text.shrink_to_fit();
}

Result<DocId> SegmentBuilder::Add(const mapping::ParsedDocument& document, const DocMeta& meta) {
  State& state = *state_;
  TIERCEL_TRY(state.Validate(document));
  const DocId doc = doc_count();
  state.fields[state.seq_no]->numeric.Add(doc, meta.seq_no);
  state.fields[state.primary_term]->numeric.Add(doc, meta.primary_term);
  state.fields[state.version]->numeric.Add(doc, meta.version);
  state.AddValues(doc, document);
  StoredDocument stored;
  stored.id = document.id;
  state.AddVectors(doc, document, stored);
  state.document_bytes += stored.memory_bytes();
  state.documents.push_back(std::move(stored));
  return doc;
}

uint32_t SegmentBuilder::doc_count() const { return static_cast<uint32_t>(state_->documents.size()); }

uint64_t SegmentBuilder::memory_bytes() const {
  uint64_t bytes = state_->document_bytes;
  for (const auto& field : state_->fields) bytes += field->memory_bytes();
  return bytes;
}

std::string SegmentBuilder::Source(DocId doc) const {
  const StoredDocument& stored = state_->documents[doc];
  std::string source;
  uint64_t done = 0;
  for (const VectorCut& cut : stored.cuts) {
    source.append(stored.text, done, cut.position - done);
    done = cut.position;
    const VectorBuffer& vectors = state_->fields[cut.field]->vectors;
    TIERCEL_CHECK(PrintVector(vectors.RowOf(doc), vectors.shape().element, cut.form, source));
  }
  source.append(stored.text, done);
  return source;
}

Status SegmentBuilder::State::WriteField(FieldBuffer& field, SegmentWriter& out) const {
  FieldMeta meta;
  meta.name = field.name;
  meta.type = field.type;
  meta.encoding = field.encoding;
  if (!field.numeric.empty()) TIERCEL_TRY(field.numeric.Write(out, meta));
  if (!field.keyword.empty()) TIERCEL_TRY(field.keyword.Write(out, meta, field.indexed, field.doc_values));
  if (!field.text.empty()) TIERCEL_TRY(field.text.Write(out, meta, static_cast<uint32_t>(documents.size())));
  if (!field.vectors.empty()) TIERCEL_TRY(field.vectors.Write(out, meta));
  out.AddField(std::move(meta));
  return {};
}

Status SegmentBuilder::State::WriteDocuments(SegmentWriter& out) const {
  const auto add_ids = [&](IdWriter& writer) -> Status {
    for (const StoredDocument& document : documents) TIERCEL_TRY(writer.Add(document.id));
    return {};
  };
  TIERCEL_TRY(out.WriteIds(add_ids));
  return out.WriteStored([&](StoredWriter& writer) -> Status {
    std::string record;
    std::vector<VectorCut> cuts;
    for (const StoredDocument& document : documents) {
      cuts = document.cuts;
      for (VectorCut& cut : cuts) cut.field = out.NumberOf(fields[cut.field]->name);
      EncodeRecord(cuts, document.text, record);
      TIERCEL_TRY(writer.Add(record));
    }
    return {};
  });
}

Status SegmentBuilder::Finish(std::string_view name, store::Upload& sink) {
  State& state = *state_;
  TIERCEL_CHECK(doc_count() > 0, "a segment without documents");
  std::vector<FieldBuffer*> sorted;
  for (const auto& field : state.fields) sorted.push_back(field.get());
  std::sort(sorted.begin(), sorted.end(), [](const FieldBuffer* a, const FieldBuffer* b) { return a->name < b->name; });
  SegmentWriter out(name, state.options, doc_count(), sink);
  for (FieldBuffer* field : sorted) TIERCEL_TRY(state.WriteField(*field, out));
  TIERCEL_TRY(state.WriteDocuments(out));
  return out.Finish();
}

}  // namespace tiercel::segment
