// Stored documents: records compressed in chunks of small blocks. Bytes: docs/format/segment.md.
//
// Thread safety: writer and cursor belong to one thread, the reader is immutable. Memory: one chunk. Cost: one document
// copies its chunk's dictionary (up to 2 KiB) and decompresses the 8 KiB blocks it lies in up to its end, 2.3 µs for 1
// KB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/input_slice.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

class StoredWriter {
 public:
  static constexpr size_t kChunk = 64 * 1024;
  static constexpr size_t kSubBlock = 8 * 1024;
  static constexpr size_t kMaxDictionary = 2 * 1024;

  // Writes into the section that `out` has begun.
  explicit StoredWriter(format::ContainerWriter& out) : out_(out) {}
  Status Add(std::string_view record);
  Status Finish();
  // Writes the index into the section that `out` has begun since.
  Status WriteIndex();

 private:
  Status FlushChunk();

  format::ContainerWriter& out_;
  std::string raw_;
  std::vector<uint32_t> lengths_;
  Bytes compressed_;
  Bytes encoded_;
  Bytes index_;
  uint32_t docs_ = 0;
};

class StoredReader {
 public:
  StoredReader() = default;
  static Result<StoredReader> Open(const InputSlice& stored, const InputSlice& index, uint32_t doc_count);

  Status Read(DocId doc, std::string& record) const;

 private:
  friend class StoredCursor;
  // The parts of one chunk, checked.
  struct Chunk {
    cache::Borrowed bytes;
    uint64_t offset = 0;
    DocId first = 0;
    uint32_t docs = 0;
    uint64_t raw_bytes = 0;
    uint64_t dictionary_bytes = 0;
    uint32_t sub_blocks = 0;
    unsigned width = 0;
    const uint8_t* lengths = nullptr;
    const uint8_t* ends = nullptr;
    ByteSpan data;
  };
  Result<Chunk> FindChunk(DocId doc) const;
  Result<Chunk> ReadChunk(uint64_t index) const;
  // Decompresses what covers raw bytes [begin, end) into `raw`, whose first byte is raw byte `raw_begin`.
  Status Decompress(const Chunk& chunk, uint64_t begin, uint64_t end, std::string& raw, uint64_t& raw_begin) const;

  InputSlice stored_;
  InputSlice index_;
  uint64_t chunks_ = 0;
  uint32_t doc_count_ = 0;
};

// Reads ascending documents, decompressing every chunk once.
class StoredCursor {
 public:
  explicit StoredCursor(const StoredReader* reader) : reader_(reader) {}
  // Valid until the next call.
  Result<std::string_view> Record(DocId doc);

 private:
  const StoredReader* reader_;
  DocId first_ = 0;
  DocId end_ = 0;  // of the chunk at hand
  std::string raw_;
  std::vector<uint64_t> starts_;
};

}  // namespace tiercel::segment
