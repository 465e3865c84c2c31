// Field lengths of one text field: writing them, and the Norms over stored ones. Bytes: docs/format/segment.md.
//
// Thread safety: NormsReader is immutable. Lifetime: it borrows the segment's Input for as long as it lives.
#pragma once

#include <memory>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/input_slice.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

// Lengths by document, grown as documents arrive.
class NormsBuffer {
 public:
  // `doc` is greater than any before it.
  void Set(DocId doc, uint8_t norm);
  // Makes room for all `doc_count` documents of the segment.
  void Close(uint32_t doc_count);
  Status Write(format::ContainerWriter& out) const;

  uint32_t docs_with_field() const { return docs_with_field_; }
  ByteSpan bytes() const { return bytes_; }
  uint64_t memory_bytes() const { return bytes_.capacity() + present_.capacity() * 8; }

 private:
  Bytes bytes_;
  std::vector<uint64_t> present_;
  uint32_t docs_with_field_ = 0;
};

class NormsReader final : public Norms {
 public:
  static Result<std::unique_ptr<NormsReader>> Open(const InputSlice& section, uint32_t doc_count,
                                                   uint64_t docs_with_field);

  ByteSpan bytes() const override { return bytes_.bytes(); }
  bool has(DocId doc) const override;
  uint32_t docs_with_field() const override { return docs_with_field_; }
  // Compares the presence bits with their count.
  Status Verify(const InputSlice& section) const;

 private:
  cache::Borrowed bytes_;
  cache::Borrowed present_;  // empty when every document has the field
  uint32_t docs_with_field_ = 0;
};

}  // namespace tiercel::segment
