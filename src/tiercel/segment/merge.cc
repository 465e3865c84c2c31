// MergeSegments: the fields of the inputs one by one, then their documents.
#include <algorithm>
#include <map>

#include "tiercel/segment/builder.h"
#include "tiercel/segment/merge_terms.h"
#include "tiercel/segment/segment_writer.h"
#include "tiercel/segment/stored_record.h"
#include "tiercel/segment/stored_segment.h"

namespace tiercel::segment {
namespace {

constexpr uint32_t kStepsBetweenChecks = 4096;

class Merger {
 public:
  Merger(std::vector<MergeInput> inputs, SegmentWriter& out, const runtime::Cancellation& cancellation,
         uint32_t doc_count)
      : inputs_(std::move(inputs)), out_(out), cancellation_(cancellation), doc_count_(doc_count) {}

  Status Run() {
    TIERCEL_TRY(MergeFields());
    TIERCEL_TRY(MergeIds());
    TIERCEL_TRY(MergeStored());
    return out_.Finish();
  }

 private:
  Status MergeFields();
  Status MergeField(std::string_view name, const std::vector<const FieldReaders*>& parts);
  Status MergeNumeric(FieldMeta& meta, const std::vector<const FieldReaders*>& parts);
  Status MergeNorms(FieldMeta& meta, const std::vector<const FieldReaders*>& parts, NormsBuffer& norms);
  Status MergeVectors(FieldMeta& meta, const std::vector<const FieldReaders*>& parts);
  Status MergeIds();
  Status MergeStored();

  const std::vector<MergeInput> inputs_;
  SegmentWriter& out_;
  const runtime::Cancellation& cancellation_;
  const uint32_t doc_count_;  // of the new segment
};

Status Merger::MergeFields() {
  // Readers of each field, by input; null where an input has nothing of it.
  std::map<std::string_view, std::vector<const FieldReaders*>> fields;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    for (const FieldReaders& field : inputs_[i].segment->readers()) {
      auto& parts = fields[field.meta.name];
      parts.resize(inputs_.size());
      parts[i] = &field;
    }
  }
  for (const auto& [name, parts] : fields) {
    TIERCEL_TRY(cancellation_.Check());
    if (Status status = MergeField(name, parts); !status.ok())
      return std::move(status).WithContext("merging field [" + std::string(name) + "]");
  }
  return {};
}

Status Merger::MergeField(std::string_view name, const std::vector<const FieldReaders*>& parts) {
  FieldMeta meta;
  meta.name = name;
  bool numeric = false;
  bool norms = false;
  bool terms = false;
  bool vectors = false;
  const FieldReaders* first = nullptr;
  for (const FieldReaders* part : parts) {
    if (part == nullptr) continue;
    if (first == nullptr) first = part;
    if (part->meta.type != first->meta.type) return InvalidArgument("segments disagree about the type of the field");
    numeric |= part->numeric != nullptr;
    norms |= part->norms != nullptr;
    terms |= part->dictionary != nullptr;
    vectors |= part->vectors != nullptr;
  }
  meta.type = first->meta.type;
  NormsBuffer lengths;
  if (numeric) TIERCEL_TRY(MergeNumeric(meta, parts));
  if (norms) TIERCEL_TRY(MergeNorms(meta, parts, lengths));
  if (terms) TIERCEL_TRY(MergeTerms(inputs_, parts, lengths.bytes(), cancellation_, out_, meta));
  if (vectors) TIERCEL_TRY(MergeVectors(meta, parts));
  out_.AddField(std::move(meta));
  return {};
}

Status Merger::MergeNumeric(FieldMeta& meta, const std::vector<const FieldReaders*>& parts) {
  const auto feed = [&](ValueBlocksWriter& writer) -> Status {
    NumericColumn::Block block;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (parts[i] == nullptr || !parts[i]->numeric) continue;
      const NumericColumn& column = *parts[i]->numeric;
      for (uint32_t b = 0; b < column.block_count(); ++b) {
        if (b % 64 == 0) TIERCEL_TRY(cancellation_.Check());
        TIERCEL_TRY(column.ReadBlock(b, block));
        for (uint32_t j = 0; j < block.doc_count; ++j) {
          const DocId doc = inputs_[i].remap[b * NumericColumn::kBlock + j];
          const auto values = block.Of(j);
          if (doc == kNoMoreDocs || values.empty()) continue;
          TIERCEL_TRY(writer.SkipTo(doc));
          TIERCEL_TRY(writer.Add(values));
        }
      }
    }
    return {};
  };
  for (const FieldReaders* part : parts) {
    if (part != nullptr && part->numeric) meta.encoding = part->meta.encoding;
  }
  return out_.WriteNumeric(meta, feed);
}

Status Merger::MergeNorms(FieldMeta& meta, const std::vector<const FieldReaders*>& parts, NormsBuffer& norms) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (parts[i] == nullptr || !parts[i]->norms) continue;
    const NormsReader& reader = *parts[i]->norms;
    for (DocId old = 0; old < inputs_[i].remap.size(); ++old) {
      const DocId doc = inputs_[i].remap[old];
      if (doc != kNoMoreDocs && reader.has(old)) norms.Set(doc, reader.bytes()[old]);
    }
  }
  norms.Close(doc_count_);
  return out_.WriteNorms(meta, norms);
}

Status Merger::MergeVectors(FieldMeta& meta, const std::vector<const FieldReaders*>& parts) {
  std::optional<VectorShape> shape;
  for (const FieldReaders* part : parts) {
    if (part == nullptr || !part->vectors) continue;
    if (shape && *shape != part->meta.shape)
      return InvalidArgument("segments disagree about the dimensions of the field");
    shape = part->meta.shape;
  }
  return out_.WriteVectors(meta, *shape, [&](VectorWriter& writer) -> Status {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (parts[i] == nullptr || !parts[i]->vectors) continue;
      const VectorColumnReader& column = *parts[i]->vectors;
      for (uint32_t row = 0; row < column.count();) {
        TIERCEL_TRY(cancellation_.Check());
        TIERCEL_TRY_ASSIGN(const VectorColumn::Run run, column.BorrowRun(row, kStepsBetweenChecks));
        for (uint32_t j = 0; j < run.rows; ++j) {
          const DocId doc = inputs_[i].remap[column.doc_of(row + j)];
          if (doc == kNoMoreDocs) continue;
          TIERCEL_TRY(writer.Add(doc, run.bytes.bytes().subspan(uint64_t{j} * run.stride, column.row_bytes())));
        }
        row += run.rows;
      }
    }
    return {};
  });
}

Status Merger::MergeIds() {
  return out_.WriteIds([&](IdWriter& writer) -> Status {
    for (const MergeInput& input : inputs_) {
      for (DocId old = 0; old < input.remap.size(); ++old) {
        if (old % kStepsBetweenChecks == 0) TIERCEL_TRY(cancellation_.Check());
        if (input.remap[old] == kNoMoreDocs) continue;
        TIERCEL_TRY_ASSIGN(const std::string id, input.segment->Id(old));
        TIERCEL_TRY(writer.Add(id));
      }
    }
    return {};
  });
}

Status Merger::MergeStored() {
  return out_.WriteStored([&](StoredWriter& writer) -> Status {
    std::string encoded;
    for (const MergeInput& input : inputs_) {
      StoredCursor cursor(&input.segment->stored());
      for (DocId old = 0; old < input.remap.size(); ++old) {
        if (old % kStepsBetweenChecks == 0) TIERCEL_TRY(cancellation_.Check());
        if (input.remap[old] == kNoMoreDocs) continue;
        TIERCEL_TRY_ASSIGN(const std::string_view bytes, cursor.Record(old));
        format::Reader reader(AsBytes(bytes), input.segment->name());
        TIERCEL_TRY_ASSIGN(Record record, DecodeRecord(reader));
        if (record.cuts.empty()) {
          TIERCEL_TRY(writer.Add(bytes));
          continue;
        }
        for (VectorCut& cut : record.cuts) {
          const auto fields = input.segment->readers();
          const VectorColumnReader* column = cut.field < fields.size() ? fields[cut.field].vectors.get() : nullptr;
          if (column == nullptr || !column->row_of(old))
            return reader.Bad("a source that refers to a vector that is not there");
          cut.field = out_.NumberOf(fields[cut.field].meta.name);
        }
        EncodeRecord(record.cuts, record.text, encoded);
        TIERCEL_TRY(writer.Add(encoded));
      }
    }
    return {};
  });
}

}  // namespace

Status MergeSegments(std::span<const SegmentView> inputs, std::string_view name, const BuilderOptions& options,
                     store::Upload& sink, const runtime::Cancellation& cancellation,
                     std::vector<std::vector<DocId>>* remap) {
  std::vector<MergeInput> merged;
  uint64_t doc_count = 0;
  for (const SegmentView& view : inputs) {
    MergeInput input;
    input.segment = dynamic_cast<const StoredSegment*>(view.segment.get());
    if (input.segment == nullptr) return InvalidArgument("only stored segments can be merged");
    input.remap.resize(view.segment->doc_count());
    for (DocId old = 0; old < input.remap.size(); ++old) {
      input.remap[old] = view.IsLive(old) ? static_cast<DocId>(doc_count++) : kNoMoreDocs;
    }
    merged.push_back(std::move(input));
  }
  if (doc_count == 0) return InvalidArgument("no document is left to merge");
  if (doc_count > kMaxDocs) return ResourceExhausted("a segment of " + std::to_string(doc_count) + " documents");
  if (remap != nullptr) {
    remap->clear();
    for (const MergeInput& input : merged) remap->push_back(input.remap);
  }
  SegmentWriter out(name, options, static_cast<uint32_t>(doc_count), sink);
  return Merger(std::move(merged), out, cancellation, static_cast<uint32_t>(doc_count)).Run();
}

}  // namespace tiercel::segment
