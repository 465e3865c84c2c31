// ByteSource: the bytes of a file or of standard input, decompressed on the way when they are gzip or zstd (told by
// their first bytes, not by the name).
//
// Thread safety: one thread. Lifetime: owns the descriptor. Cost: one 256 KiB buffer each for input and decoder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tiercel/base/result.h"

namespace tiercel::loader {

class ByteSource {
 public:
  // `path` "-" is standard input. NotFound when the file does not exist.
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path);
  virtual ~ByteSource() = default;

  // Fills `out` as far as it can; 0 at the end. Corruption when compressed data is broken or cut off.
  virtual Result<size_t> Read(std::span<char> out) = 0;
  // Bytes taken from the file so far, before decompression, and the file's size (0 when unknown): for progress.
  virtual uint64_t consumed_bytes() const = 0;
  virtual uint64_t total_bytes() const = 0;
};

}  // namespace tiercel::loader
