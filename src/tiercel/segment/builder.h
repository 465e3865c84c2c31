// SegmentBuilder: parsed documents in, one segment image out; and MergeSegments, segments in, one segment out.
//
// The write buffer of a shard is a SegmentBuilder: Add inverts a document at once, Finish freezes everything into the
// bytes of docs/format/segment.md. A builder with nothing added must not be finished.
//
// Thread safety: one thread at a time, but Source may be called by others while Finish runs and after it. Cost: Add is
// linear in the document's tokens; Finish sorts terms and writes once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"
#include "tiercel/mapping/document.h"
#include "tiercel/runtime/cancellation.h"
#include "tiercel/segment/source.h"
#include "tiercel/store/object_store.h"

namespace tiercel::segment {

struct BuilderOptions {
  std::string codec = "lz4";
};

// What the shard knows of a document besides its content.
struct DocMeta {
  int64_t seq_no = 0;
  int64_t primary_term = 1;
  int64_t version = 1;
};

class SegmentBuilder {
 public:
  explicit SegmentBuilder(BuilderOptions options = {});
  ~SegmentBuilder();

  // Ids are dense: the first document is 0. Nothing is added when an error is returned: InvalidArgument for a document
  // that contradicts what is here (vector lengths) or itself, ResourceExhausted when the builder is full and must be
  // finished.
  Result<DocId> Add(const mapping::ParsedDocument& document, const DocMeta& meta);
  uint32_t doc_count() const;
  // What the builder holds now, for the indexing budget.
  uint64_t memory_bytes() const;
  // Source of a document that was added, for realtime reads before a refresh.
  std::string Source(DocId doc) const;

  // Writes the whole image to `sink` (an Upload, or MemoryUpload below) and leaves sink.Finish() to the caller. The
  // builder is spent afterwards.
  Status Finish(std::string_view name, store::Upload& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// An Upload into memory, for segments of the write buffer. Grows by doubling; IntoInput takes the memory without
// copying.
class MemoryUpload final : public store::Upload {
 public:
  MemoryUpload();
  ~MemoryUpload() override;
  Status Append(ByteSpan bytes) override;
  Status Finish() override { return {}; }
  uint64_t size() const override { return size_; }
  // 64-byte aligned Input over what was appended.
  std::shared_ptr<const cache::Input> IntoInput(std::string name) &&;

 private:
  struct Release {
    void operator()(uint8_t* bytes) const;
  };
  std::unique_ptr<uint8_t[], Release> bytes_;
  uint64_t size_ = 0;
  uint64_t capacity_ = 0;
};

// Writes one segment holding the live documents of `inputs` (at least one), in order, and leaves sink.Finish() to the
// caller. Streams: memory is bounded by one column or one term of the inputs, not by their size. Cancelled between
// steps when `cancellation` says so. `remap`, when not null, receives for each input the new DocId of each old document
// (kNoMoreDocs for dropped ones), so that deletes that happened meanwhile can be carried over.
Status MergeSegments(std::span<const SegmentView> inputs, std::string_view name, const BuilderOptions& options,
                     store::Upload& sink, const runtime::Cancellation& cancellation,
                     std::vector<std::vector<DocId>>* remap);

}  // namespace tiercel::segment
