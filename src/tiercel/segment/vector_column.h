// Stored vectors of one field: rows aligned for the kernels, their lengths, and which document each belongs to.
// Bytes: docs/format/segment.md.
//
// Thread safety: the writer belongs to one thread, the reader is immutable. Memory: the writer keeps 8 bytes a row.
// Lifetime: the reader borrows the segment's Input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/format/container.h"
#include "tiercel/segment/input_slice.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

struct VectorShape {
  mapping::ElementType element = mapping::ElementType::kFloat;
  uint32_t dims = 0;

  uint32_t row_bytes() const {
    return element == mapping::ElementType::kFloat  ? dims * 4
           : element == mapping::ElementType::kByte ? dims
                                                    : dims / 8;
  }
  bool operator==(const VectorShape&) const = default;
};

inline constexpr uint32_t kMaxVectorDims = 65536;

// Where rows lie in the object, by the rule of the format.
class RowLayout {
 public:
  RowLayout() = default;
  // The first row lies at `start`, a multiple of 64.
  RowLayout(uint64_t start, uint32_t row_bytes);

  uint32_t stride() const { return stride_; }
  uint64_t OffsetOf(uint64_t row) const;
  // Rows from `row` on that lie together.
  uint64_t Together(uint64_t row) const;

 private:
  uint64_t start_ = 0;
  uint32_t stride_ = 64;
  uint64_t first_rows_ = 0;   // before the first multiple of kRegionBytes
  uint64_t region_rows_ = 1;  // in each region after it
};

class VectorWriter {
 public:
  // Writes into the section that `out` has begun at a multiple of 64.
  VectorWriter(format::ContainerWriter& out, VectorShape shape);

  // Documents ascend; `row` has shape.row_bytes() bytes.
  Status Add(DocId doc, ByteSpan row);
  Status Finish(uint32_t doc_count);
  uint32_t count() const { return static_cast<uint32_t>(docs_.size()); }

 private:
  format::ContainerWriter& out_;
  VectorShape shape_;
  RowLayout layout_;
  std::vector<DocId> docs_;
  std::vector<float> magnitudes_;
};

class VectorColumnReader final : public VectorColumn {
 public:
  static Result<std::unique_ptr<VectorColumnReader>> Open(const InputSlice& section, VectorShape shape, uint64_t count,
                                                          uint32_t doc_count);

  uint32_t dims() const override { return shape_.dims; }
  mapping::ElementType element() const override { return shape_.element; }
  uint32_t row_bytes() const override { return shape_.row_bytes(); }
  uint32_t count() const override { return count_; }
  bool dense() const override { return map_.size() == 0; }
  DocId doc_of(uint32_t row) const override;
  std::optional<uint32_t> row_of(DocId doc) const override;
  uint64_t row_offset(uint32_t row) const override { return layout_.OffsetOf(row); }
  const cache::Input& input() const override { return section_.input(); }
  Result<Run> BorrowRun(uint32_t first, uint32_t limit) const override;
  Result<std::span<const float>> magnitudes() const override;

  Status Verify() const;

 private:
  Status OpenMap(uint32_t doc_count, uint64_t offset);

  InputSlice section_;
  VectorShape shape_;
  RowLayout layout_;
  uint32_t count_ = 0;
  uint32_t doc_count_ = 0;
  uint64_t magnitudes_offset_ = 0;  // in the section
  // Sparse columns only; empty otherwise.
  cache::Borrowed map_;    // documents by row
  cache::Borrowed words_;  // a bit per document
  cache::Borrowed ranks_;  // rows before each word

  mutable Mutex mutex_;
  mutable std::optional<cache::Borrowed> magnitudes_ GUARDED_BY(mutex_);
};

}  // namespace tiercel::segment
