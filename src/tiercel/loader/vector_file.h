// VectorFile: rows of float16 or float32 that belong, in order, to the documents of another file.
//
// Embeddings are kept as plain binary rows far more compactly than as JSON; this adds them to each document while
// loading. Thread safety: one thread. Memory: one row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/loader/byte_source.h"

namespace tiercel::loader {

struct VectorColumnSpec {
  std::string field;
  std::string path;  // ends in .f16 or .f32, possibly compressed (.f16.zst)
  uint32_t dims = 0;
  // "embedding=vectors.f16:384"
  static Result<VectorColumnSpec> Parse(const std::string& text);
};

class VectorFile {
 public:
  static Result<VectorFile> Open(const VectorColumnSpec& spec);
  // Appends `"field":[…]` to an object's text, before its closing brace. InvalidArgument when the rows have run out.
  Status AddTo(std::string& document);

 private:
  VectorFile(VectorColumnSpec spec, std::unique_ptr<ByteSource> source, bool half);
  VectorColumnSpec spec_;
  std::unique_ptr<ByteSource> source_;
  bool half_;
  uint64_t row_ = 0;
  std::vector<char> bytes_;
};

// IEEE 754 binary16, as a float.
float HalfToFloat(uint16_t half);

}  // namespace tiercel::loader
