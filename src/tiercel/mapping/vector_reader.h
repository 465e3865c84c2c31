// Vectors as documents write them → the bytes that are stored. Internal to the module.
//
// Accepts an array of numbers; for byte and bit elements a hexadecimal string too; for all of them base64 (float:
// big-endian float32). Thread safety: pure functions. Cost: linear; no allocation but the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/field.h"

namespace tiercel::mapping {

// What is wrong with a vector, and the byte of the source the message points at.
struct VectorError {
  Status status;
  uint64_t offset = 0;
};

class VectorReader {
 public:
  // `text` is the whole source, `id` the document's.
  VectorReader(const Field& field, std::string_view text, std::string_view id) : field_(field), text_(text), id_(id) {}

  // Appends the vector to `out`, little-endian. False: see error(); `out` may have grown.
  bool Read(json::Value value, Bytes& out);
  const VectorError& error() const { return error_; }
  // Dimensions read; bits for bit vectors.
  uint32_t dims() const { return dims_; }

 private:
  bool ReadArray(json::Value value, Bytes& out);
  bool ReadElement(json::Value element, Bytes& out);
  bool ReadString(json::Value value, Bytes& out);
  bool Finish(uint64_t end, size_t first, const Bytes& out);
  bool Fail(uint64_t offset, Status status);
  bool NotANumber(uint64_t offset, std::string_view token);
  std::string DocumentName() const;

  const Field& field_;
  std::string_view text_;
  std::string_view id_;
  uint32_t dims_ = 0;
  VectorError error_;
};

// Checks a vector against the field's similarity: length one for dot_product, not zero for cosine, finite. Queries use
// it too. `bytes` is as stored.
Status CheckVector(const VectorOptions& options, ByteSpan bytes);
// "[1.0, 2.0, ...]"
std::string PreviewVector(ElementType element, ByteSpan bytes);

}  // namespace tiercel::mapping
