#include "tiercel/format/compression.h"

#include <lz4.h>

#include "tiercel/base/check.h"

namespace tiercel::format {
namespace {

const char* Chars(ByteSpan bytes) { return reinterpret_cast<const char*>(bytes.data()); }

}  // namespace

void Lz4Compress(ByteSpan raw, ByteSpan dictionary, Bytes& out) {
  TIERCEL_CHECK(raw.size() <= kMaxCompressible);
  const int length = static_cast<int>(raw.size());
  const int bound = LZ4_compressBound(length);
  const size_t start = out.size();
  out.resize(start + static_cast<size_t>(bound));
  LZ4_stream_t stream;
  LZ4_initStream(&stream, sizeof stream);
  if (!dictionary.empty()) LZ4_loadDict(&stream, Chars(dictionary), static_cast<int>(dictionary.size()));
  const int written =
      LZ4_compress_fast_continue(&stream, Chars(raw), reinterpret_cast<char*>(out.data() + start), length, bound, 1);
  TIERCEL_CHECK(written > 0, "LZ4 refused a block within its bound");
  out.resize(start + static_cast<size_t>(written));
}

bool Lz4Decompress(ByteSpan compressed, ByteSpan dictionary, std::span<uint8_t> raw) {
  if (compressed.size() > INT32_MAX || raw.size() > kMaxCompressible || dictionary.size() > INT32_MAX) return false;
  const int got = LZ4_decompress_safe_usingDict(Chars(compressed), reinterpret_cast<char*>(raw.data()),
                                                static_cast<int>(compressed.size()), static_cast<int>(raw.size()),
                                                Chars(dictionary), static_cast<int>(dictionary.size()));
  return got >= 0 && static_cast<size_t>(got) == raw.size();
}

bool Lz4DecompressPrefix(ByteSpan compressed, ByteSpan dictionary, uint64_t whole_bytes, std::span<uint8_t> raw) {
  if (raw.size() >= whole_bytes) return Lz4Decompress(compressed, dictionary, raw);
  if (compressed.size() > INT32_MAX || raw.size() > kMaxCompressible || dictionary.size() > INT32_MAX) return false;
  const int got = LZ4_decompress_safe_partial_usingDict(Chars(compressed), reinterpret_cast<char*>(raw.data()),
                                                        static_cast<int>(compressed.size()),
                                                        static_cast<int>(raw.size()), static_cast<int>(raw.size()),
                                                        Chars(dictionary), static_cast<int>(dictionary.size()));
  return got >= 0 && static_cast<size_t>(got) == raw.size();
}

}  // namespace tiercel::format
