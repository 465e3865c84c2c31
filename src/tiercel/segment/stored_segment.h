// StoredSegment: the Segment over the bytes of docs/format/segment.md.
//
// Thread safety: immutable. Lifetime: owns its Input. Merging reaches through it to what the public interface hides.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/columns.h"
#include "tiercel/segment/id_index.h"
#include "tiercel/segment/norms.h"
#include "tiercel/segment/segment_meta.h"
#include "tiercel/segment/source.h"
#include "tiercel/segment/stored_fields.h"
#include "tiercel/segment/term_index.h"
#include "tiercel/segment/vector_column.h"

namespace tiercel::segment {

// The parts of one field; null where it has none.
struct FieldReaders {
  FieldMeta meta;
  std::unique_ptr<NumericColumnReader> numeric;
  std::unique_ptr<DictionaryReader> dictionary;
  std::unique_ptr<KeywordColumnReader> keyword;
  std::unique_ptr<NormsReader> norms;
  std::unique_ptr<TermIndexReader> terms;
  std::unique_ptr<VectorColumnReader> vectors;
};

class StoredSegment final : public Segment {
 public:
  static Result<std::shared_ptr<const StoredSegment>> Open(std::shared_ptr<const cache::Input> input);

  const std::string& name() const override { return meta_.name; }
  uint64_t size_bytes() const override { return raw_->size(); }
  uint32_t doc_count() const override { return meta_.doc_count; }
  std::string_view codec() const override { return meta_.codec; }
  std::span<const FieldInfo> fields() const override { return infos_; }

  Result<std::string> Id(DocId doc) const override { return ids_.Id(doc); }
  Result<std::optional<DocId>> FindId(std::string_view id) const override { return ids_.Find(id); }
  Result<std::string> Source(DocId doc) const override;

  const NumericColumn* numeric(std::string_view field) const override;
  const KeywordColumn* keyword(std::string_view field) const override;
  const VectorColumn* vector(std::string_view field) const override;
  const TermIndex* terms(std::string_view field) const override;
  const Norms* norms(std::string_view field) const override;

  Status Verify() const override;

  // Null when the segment has nothing of the field.
  const FieldReaders* Find(std::string_view field) const;
  std::span<const FieldReaders> readers() const { return fields_; }
  const StoredReader& stored() const { return stored_; }

 private:
  Status OpenContainer();
  Status OpenField(FieldMeta meta);
  Status OpenTerms(FieldReaders& field) const;
  InputSlice Slice(uint32_t section) const;
  Status VerifyField(const FieldReaders& field) const;

  std::shared_ptr<const cache::Input> raw_;
  std::shared_ptr<const cache::Input> input_;  // checked
  format::Container container_;
  SegmentMeta meta_;  // its fields have moved into fields_
  std::vector<FieldReaders> fields_;
  std::vector<FieldInfo> infos_;
  StoredReader stored_;
  IdReader ids_;
};

}  // namespace tiercel::segment
