// SegmentWriter: the order and naming of a segment's sections, shared by the builder and by merging. Each Write call
// takes a function that feeds the part's own writer and records in the field's meta where it went.
//
// Thread safety: one thread. Nothing is valid before Finish returned OK.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tiercel/format/container.h"
#include "tiercel/segment/builder.h"
#include "tiercel/segment/dictionary.h"
#include "tiercel/segment/id_index.h"
#include "tiercel/segment/norms.h"
#include "tiercel/segment/postings_writer.h"
#include "tiercel/segment/segment_meta.h"
#include "tiercel/segment/stored_fields.h"
#include "tiercel/segment/value_blocks.h"
#include "tiercel/segment/vector_column.h"

namespace tiercel::segment {

class SegmentWriter {
 public:
  SegmentWriter(std::string_view name, const BuilderOptions& options, uint32_t doc_count, store::Upload& sink);

  Status WriteIds(const std::function<Status(IdWriter&)>& feed);
  Status WriteStored(const std::function<Status(StoredWriter&)>& feed);
  Status WriteNumeric(FieldMeta& field, const std::function<Status(ValueBlocksWriter&)>& feed);
  // Dictionary and, unless `kind` is kNone, postings. `feed` gets a null PostingsWriter for kNone.
  Status WriteTerms(FieldMeta& field, PostingsKind kind, ByteSpan norms,
                    const std::function<Status(DictionaryWriter&, PostingsWriter*)>& feed);
  Status WriteOrdinals(FieldMeta& field, const std::function<Status(ValueBlocksWriter&)>& feed);
  Status WriteNorms(FieldMeta& field, const NormsBuffer& norms);
  Status WriteVectors(FieldMeta& field, VectorShape shape, const std::function<Status(VectorWriter&)>& feed);

  // Fields are added in order of name, once written; one without any part is dropped.
  void AddField(FieldMeta field);
  // The number of a field that was added, as cuts in stored records name it.
  uint32_t NumberOf(std::string_view field) const;

  Status Finish();

 private:
  Status Begin(std::string_view kind, std::string_view field);

  format::ContainerWriter out_;
  SegmentMeta meta_;
};

}  // namespace tiercel::segment
