// Document ids: from document to id, and from id to document through a hash table on disk. Bytes:
// docs/format/segment.md.
//
// Thread safety: the writer belongs to one thread, the reader is immutable. Memory: the writer keeps 16 bytes a
// document. Cost: FindId reads one slot run and compares about one id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/format/container.h"
#include "tiercel/segment/input_slice.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

class IdWriter {
 public:
  static constexpr uint32_t kBlock = 256;  // documents

  // Writes into the section that `out` has begun.
  explicit IdWriter(format::ContainerWriter& out) : out_(out) {}
  Status Add(std::string_view id);
  Status Finish();
  // Writes the hash table into the section that `out` has begun since.
  Status WriteHash();

 private:
  struct Hash {
    uint64_t first;
    uint32_t second;  // of another function: together they tell equal ids from colliding ones
  };
  Status FlushBlock();

  format::ContainerWriter& out_;
  std::vector<uint32_t> ends_;  // of the ids of the block
  Bytes ids_;                   // of the block
  Bytes encoded_;
  std::vector<uint64_t> starts_;
  std::vector<Hash> hashes_;
};

class IdReader {
 public:
  IdReader() = default;
  static Result<IdReader> Open(const InputSlice& ids, const InputSlice& hash, uint32_t doc_count);

  Result<std::string> Id(DocId doc) const;
  Result<std::optional<DocId>> Find(std::string_view id) const;
  Status Verify() const;

 private:
  // The id of `doc`, inside `block`, which keeps it borrowed.
  Result<std::string_view> Read(DocId doc, cache::Borrowed& block) const;

  InputSlice ids_;
  InputSlice hash_;
  uint64_t starts_offset_ = 0;
  uint32_t doc_count_ = 0;
  uint32_t block_count_ = 0;
  uint64_t slots_ = 0;
  unsigned doc_bits_ = 0;
};

}  // namespace tiercel::segment
