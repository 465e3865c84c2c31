#include "tiercel/segment/stored_fields.h"

#include <algorithm>
#include <cstring>

#include "tiercel/format/bitpack.h"
#include "tiercel/format/coding.h"
#include "tiercel/format/compression.h"

namespace tiercel::segment {
namespace {

constexpr uint64_t kIndexEntryBytes = 12;
constexpr size_t kChunkHeadBytes = 24;
// LZ4 gains at most a factor of 255: a chunk that claims more is damaged.
constexpr uint64_t kMaxRatio = 256;

uint64_t SubBlocks(uint64_t raw, uint64_t dictionary) {
  return (raw - dictionary + StoredWriter::kSubBlock - 1) / StoredWriter::kSubBlock;
}

std::span<uint8_t> Writable(std::string& text, size_t offset, size_t length) {
  return {reinterpret_cast<uint8_t*>(text.data()) + offset, length};
}

}  // namespace

Status StoredWriter::Add(std::string_view record) {
  if (record.size() > format::kMaxCompressible - kChunk)
    return InvalidArgument("a document of " + std::to_string(record.size()) + " bytes cannot be stored");
  if (!raw_.empty() && raw_.size() + record.size() > kChunk + kChunk / 4) TIERCEL_TRY(FlushChunk());
  raw_ += record;
  lengths_.push_back(static_cast<uint32_t>(record.size()));
  ++docs_;
  return raw_.size() >= kChunk ? FlushChunk() : Status();
}

Status StoredWriter::FlushChunk() {
  format::Writer index(index_);
  index.U64(out_.section_offset());
  index.U32(docs_ - static_cast<uint32_t>(lengths_.size()));

  const ByteSpan raw = AsBytes(raw_);
  const size_t dictionary_bytes = std::min(raw.size() / 16, kMaxDictionary);
  const ByteSpan dictionary = raw.first(dictionary_bytes);
  const auto sub_blocks = static_cast<uint32_t>(SubBlocks(raw.size(), dictionary_bytes));
  const unsigned width = format::BitsFor(*std::max_element(lengths_.begin(), lengths_.end()));
  encoded_.clear();
  format::Writer writer(encoded_);
  writer.U32(static_cast<uint32_t>(lengths_.size()));
  writer.U32(static_cast<uint32_t>(raw.size()));
  writer.U32(static_cast<uint32_t>(dictionary_bytes));
  writer.U32(sub_blocks);
  writer.U8(static_cast<uint8_t>(width));
  writer.Align(8);
  format::Pack(std::span<const uint32_t>(lengths_), width, encoded_);
  compressed_.assign(dictionary.begin(), dictionary.end());
  for (ByteSpan rest = raw.subspan(dictionary_bytes); !rest.empty();) {
    const ByteSpan block = rest.first(std::min(rest.size(), kSubBlock));
    format::Lz4Compress(block, dictionary, compressed_);
    writer.U32(static_cast<uint32_t>(compressed_.size()));
    rest = rest.subspan(block.size());
  }
  writer.Raw(compressed_);
  writer.Align(8);
  raw_.clear();
  lengths_.clear();
  return out_.Append(encoded_);
}

Status StoredWriter::Finish() {
  if (!lengths_.empty()) TIERCEL_TRY(FlushChunk());
  format::Writer index(index_);
  index.U64(out_.section_offset());
  index.U32(docs_);
  return {};
}

Status StoredWriter::WriteIndex() { return out_.Append(index_); }

Result<StoredReader> StoredReader::Open(const InputSlice& stored, const InputSlice& index, uint32_t doc_count) {
  StoredReader reader;
  reader.stored_ = stored;
  reader.index_ = index;
  reader.doc_count_ = doc_count;
  if (index.size() % kIndexEntryBytes != 0 || index.size() < 2 * kIndexEntryBytes)
    return index.Bad(0, "impossible size of the chunk index");
  reader.chunks_ = index.size() / kIndexEntryBytes - 1;
  return reader;
}

Result<StoredReader::Chunk> StoredReader::FindChunk(DocId doc) const {
  if (doc >= doc_count_) return InvalidArgument("document " + std::to_string(doc) + " does not exist");
  uint64_t low = 0;
  uint64_t high = chunks_;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    TIERCEL_TRY_ASSIGN(const cache::Borrowed entry, index_.Borrow(middle * kIndexEntryBytes, kIndexEntryBytes));
    (format::LoadU32(entry.data() + 8) <= doc ? low : high) = middle;
  }
  TIERCEL_TRY_ASSIGN(Chunk chunk, ReadChunk(low));
  if (doc < chunk.first || doc - chunk.first >= chunk.docs)
    return index_.Bad(low * kIndexEntryBytes, "chunk index out of order");
  return chunk;
}

Result<StoredReader::Chunk> StoredReader::ReadChunk(uint64_t index) const {
  TIERCEL_TRY_ASSIGN(const cache::Borrowed entry, index_.Borrow(index * kIndexEntryBytes, 2 * kIndexEntryBytes));
  Chunk chunk;
  chunk.offset = format::LoadU64(entry.data());
  chunk.first = format::LoadU32(entry.data() + 8);
  const uint64_t end = format::LoadU64(entry.data() + kIndexEntryBytes);
  const DocId next = format::LoadU32(entry.data() + kIndexEntryBytes + 8);
  if (chunk.offset > end || chunk.first >= next || next > doc_count_)
    return index_.Bad(index * kIndexEntryBytes, "chunk index out of order");
  TIERCEL_TRY_ASSIGN(chunk.bytes, stored_.Borrow(chunk.offset, end - chunk.offset));
  const ByteSpan bytes = chunk.bytes.bytes();
  if (bytes.size() < kChunkHeadBytes) return stored_.Bad(chunk.offset, "truncated chunk");
  chunk.docs = format::LoadU32(bytes.data());
  chunk.raw_bytes = format::LoadU32(bytes.data() + 4);
  chunk.dictionary_bytes = format::LoadU32(bytes.data() + 8);
  chunk.sub_blocks = format::LoadU32(bytes.data() + 12);
  chunk.width = bytes[16];
  const uint64_t lengths_bytes = format::PackedBytes(chunk.docs, chunk.width);
  const uint64_t head = kChunkHeadBytes + lengths_bytes + uint64_t{chunk.sub_blocks} * 4 + chunk.dictionary_bytes;
  if (chunk.docs != next - chunk.first || chunk.width > 32 || chunk.dictionary_bytes > chunk.raw_bytes ||
      chunk.sub_blocks != SubBlocks(chunk.raw_bytes, chunk.dictionary_bytes) || head > bytes.size() ||
      chunk.raw_bytes > kMaxRatio * bytes.size()) {
    return stored_.Bad(chunk.offset, "impossible chunk");
  }
  chunk.lengths = bytes.data() + kChunkHeadBytes;
  chunk.ends = chunk.lengths + lengths_bytes;
  chunk.data = bytes.subspan(head - chunk.dictionary_bytes);
  return chunk;
}

Status StoredReader::Decompress(const Chunk& chunk, uint64_t begin, uint64_t end, std::string& raw,
                                uint64_t& raw_begin) const {
  // The dictionary lies before sub-block 0; `ends` count from its first byte.
  const uint64_t dictionary_bytes = chunk.dictionary_bytes;
  const auto sub_block = [&](uint64_t index) -> ByteSpan {
    const uint64_t from = index == 0 ? dictionary_bytes : format::LoadU32(chunk.ends + (index - 1) * 4);
    const uint64_t to = format::LoadU32(chunk.ends + index * 4);
    return from > to || to > chunk.data.size() ? ByteSpan() : chunk.data.subspan(from, to - from);
  };
  const uint64_t first = begin < dictionary_bytes ? 0 : (begin - dictionary_bytes) / StoredWriter::kSubBlock;
  const uint64_t last =
      end <= dictionary_bytes ? 0 : std::min<uint64_t>(SubBlocks(end, dictionary_bytes), chunk.sub_blocks);
  // The dictionary is put before the first sub-block, where it also belongs when that is sub-block 0.
  const uint64_t blocks_begin = dictionary_bytes + first * StoredWriter::kSubBlock;
  raw_begin = blocks_begin - dictionary_bytes;
  raw.resize(dictionary_bytes + (end > blocks_begin ? end - blocks_begin : 0));
  const ByteSpan dictionary = chunk.data.first(dictionary_bytes);
  std::memcpy(raw.data(), dictionary.data(), dictionary.size());
  const ByteSpan prefix = AsBytes(std::string_view(raw).substr(0, dictionary_bytes));
  for (uint64_t i = first; i < last; ++i) {
    const uint64_t at = dictionary_bytes + (i - first) * StoredWriter::kSubBlock;
    const uint64_t whole =
        std::min<uint64_t>(StoredWriter::kSubBlock, chunk.raw_bytes - dictionary_bytes - i * StoredWriter::kSubBlock);
    const size_t length = std::min<uint64_t>(whole, raw.size() - at);
    if (!format::Lz4DecompressPrefix(sub_block(i), prefix, whole, Writable(raw, at, length))) {
      return stored_.Bad(chunk.offset, "block " + std::to_string(i) + " of a chunk does not decompress");
    }
  }
  return {};
}

Status StoredReader::Read(DocId doc, std::string& record) const {
  TIERCEL_TRY_ASSIGN(const Chunk chunk, FindChunk(doc));
  uint64_t begin = 0;
  const uint32_t index = doc - chunk.first;
  for (uint32_t i = 0; i < index; ++i) begin += format::PackedAt(chunk.lengths, i, chunk.width);
  const uint64_t length = format::PackedAt(chunk.lengths, index, chunk.width);
  if (begin > chunk.raw_bytes || length > chunk.raw_bytes - begin)
    return stored_.Bad(chunk.offset, "record past its chunk");
  record.clear();
  if (length == 0) return {};
  thread_local std::string raw;  // kept: the cost of a fresh one is near that of the decompression
  uint64_t raw_begin = 0;
  TIERCEL_TRY(Decompress(chunk, begin, begin + length, raw, raw_begin));
  record.assign(raw, begin - raw_begin, length);
  if (raw.capacity() > 16 * StoredWriter::kChunk) std::string().swap(raw);
  return {};
}

Result<std::string_view> StoredCursor::Record(DocId doc) {
  if (doc < first_ || doc >= end_) {
    end_ = first_ = 0;
    TIERCEL_TRY_ASSIGN(const StoredReader::Chunk chunk, reader_->FindChunk(doc));
    uint64_t raw_begin = 0;
    TIERCEL_TRY(reader_->Decompress(chunk, 0, chunk.raw_bytes, raw_, raw_begin));
    starts_.assign(1, 0);
    for (uint32_t i = 0; i < chunk.docs; ++i) {
      starts_.push_back(starts_.back() + format::PackedAt(chunk.lengths, i, chunk.width));
    }
    if (starts_.back() != raw_.size()) return reader_->stored_.Bad(chunk.offset, "record past its chunk");
    first_ = chunk.first;
    end_ = chunk.first + chunk.docs;
  }
  const uint32_t index = doc - first_;
  return std::string_view(raw_).substr(starts_[index], starts_[index + 1] - starts_[index]);
}

}  // namespace tiercel::segment
