#include "tiercel/manifest/manifest.h"

#include <charconv>
#include <set>

#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"
#include "tiercel/store/object_name.h"

namespace tiercel::manifest {
namespace {

constexpr std::string_view kMagic = "TIERCELM";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 16;
constexpr size_t kChecksumBytes = 8;
// The fewest bytes a segment can take, so that a segment count is bounded before memory is set aside for it.
constexpr uint64_t kSegmentBytesMin = 8;
// How often the newest generation is looked up again when it was collected between the list and the get.
constexpr int kReadAttempts = 10;

std::string Directory(std::string_view prefix) { return std::string(prefix) + "/manifest/"; }

Result<uint64_t> ParseGeneration(std::string_view object, std::string_view directory) {
  const std::string_view digits = object.substr(directory.size());
  uint64_t generation = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), generation, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size() || generation == 0) {
    return Corruption(std::string(object) + ": not the name of a manifest generation");
  }
  return generation;
}

Result<uint32_t> DocCount(format::Reader& reader) {
  TIERCEL_TRY_ASSIGN(const uint64_t count, reader.Varint());
  if (count > UINT32_MAX) return reader.Bad("document count too large");
  return static_cast<uint32_t>(count);
}

Result<int64_t> SeqNo(format::Reader& reader) {
  TIERCEL_TRY_ASSIGN(const int64_t seq_no, reader.SignedVarint());
  if (seq_no < -1) return reader.Bad("negative sequence number");
  return seq_no;
}

Result<SegmentEntry> DecodeSegment(format::Reader& reader, std::set<std::string>& names) {
  SegmentEntry segment;
  TIERCEL_TRY_ASSIGN(segment.object, reader.String());
  if (!store::CheckObjectName(segment.object).ok()) return reader.Bad("invalid segment name");
  if (!names.insert(segment.object).second) return reader.Bad("segment named twice");
  TIERCEL_TRY_ASSIGN(segment.live_docs_object, reader.String());
  if (!segment.live_docs_object.empty() && !store::CheckObjectName(segment.live_docs_object).ok())
    return reader.Bad("invalid live-docs name");
  TIERCEL_TRY_ASSIGN(segment.bytes, reader.Varint());
  TIERCEL_TRY_ASSIGN(segment.doc_count, DocCount(reader));
  TIERCEL_TRY_ASSIGN(segment.live_count, DocCount(reader));
  if (segment.live_count > segment.doc_count) return reader.Bad("more live documents than documents");
  TIERCEL_TRY_ASSIGN(segment.min_seq_no, SeqNo(reader));
  TIERCEL_TRY_ASSIGN(segment.max_seq_no, SeqNo(reader));
  if (segment.min_seq_no > segment.max_seq_no) return reader.Bad("sequence numbers out of order");
  return segment;
}

Result<Manifest> DecodeBody(format::Reader& reader) {
  Manifest manifest;
  TIERCEL_TRY_ASSIGN(manifest.generation, reader.Varint());
  if (manifest.generation == 0) return reader.Bad("generation zero");
  TIERCEL_TRY_ASSIGN(manifest.primary_term, reader.Varint());
  TIERCEL_TRY_ASSIGN(manifest.persisted_seq_no, SeqNo(reader));
  TIERCEL_TRY_ASSIGN(manifest.log_generation, reader.Varint());
  TIERCEL_TRY_ASSIGN(manifest.next_segment_number, reader.Varint());
  TIERCEL_TRY_ASSIGN(const uint64_t count, reader.Varint());
  if (count > reader.remaining() / kSegmentBytesMin) return reader.Bad("more segments than bytes");
  manifest.segments.reserve(count);
  std::set<std::string> names;
  for (uint64_t i = 0; i < count; ++i) {
    TIERCEL_TRY_ASSIGN(SegmentEntry segment, DecodeSegment(reader, names));
    manifest.segments.push_back(std::move(segment));
  }
  if (!reader.AtEnd()) return reader.Bad("bytes after the last segment");
  return manifest;
}

}  // namespace

Bytes Encode(const Manifest& manifest) {
  Bytes bytes;
  format::Writer writer(bytes);
  writer.Raw(AsBytes(kMagic));
  writer.U32(kVersion);
  writer.U32(0);
  writer.Varint(manifest.generation);
  writer.Varint(manifest.primary_term);
  writer.SignedVarint(manifest.persisted_seq_no);
  writer.Varint(manifest.log_generation);
  writer.Varint(manifest.next_segment_number);
  writer.Varint(manifest.segments.size());
  for (const SegmentEntry& segment : manifest.segments) {
    writer.String(segment.object);
    writer.String(segment.live_docs_object);
    writer.Varint(segment.bytes);
    writer.Varint(segment.doc_count);
    writer.Varint(segment.live_count);
    writer.SignedVarint(segment.min_seq_no);
    writer.SignedVarint(segment.max_seq_no);
  }
  writer.U64(format::Checksum(bytes));
  return bytes;
}

Result<Manifest> Decode(ByteSpan bytes, std::string_view object) {
  format::Reader header(bytes, object);
  if (bytes.size() < kHeaderBytes + kChecksumBytes) return header.Bad("too short for a manifest");
  if (AsText(bytes.first(kMagic.size())) != kMagic) return header.Bad("not a manifest");
  const ByteSpan checked = bytes.first(bytes.size() - kChecksumBytes);
  if (format::Checksum(checked) != format::LoadU64(checked.data() + checked.size()))
    return header.Bad("wrong checksum of the manifest");
  if (const uint32_t version = format::LoadU32(bytes.data() + 8); version != kVersion) {
    return Unimplemented(std::string(object) + ": manifest version " + std::to_string(version) +
                         " is newer than this program");
  }
  if (format::LoadU32(bytes.data() + 12) != 0) return format::CorruptionAt(object, 12, "unknown flags");
  format::Reader body(checked.subspan(kHeaderBytes), object, kHeaderBytes);
  return DecodeBody(body);
}

std::string ObjectName(std::string_view prefix, uint64_t generation) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = Directory(prefix);
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[generation >> shift & 15];
  return name;
}

Result<Manifest> ReadNewest(const store::ObjectStore& store, std::string_view prefix) {
  const std::string directory = Directory(prefix);
  for (int attempt = 1;; ++attempt) {
    TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> found, store.List(directory));
    if (found.empty()) return NotFound("[" + std::string(prefix) + "] has no manifest");
    const std::string& newest = found.back().name;
    TIERCEL_TRY_ASSIGN(const uint64_t generation, ParseGeneration(newest, directory));
    const Result<Bytes> bytes = store.Get(newest);
    if (!bytes.ok() && bytes.error().code() == Code::kNotFound && attempt < kReadAttempts) continue;
    if (!bytes.ok()) return bytes.error();
    TIERCEL_TRY_ASSIGN(Manifest manifest, Decode(*bytes, newest));
    if (manifest.generation != generation) {
      return Corruption(newest + ": holds generation " + std::to_string(manifest.generation));
    }
    return manifest;
  }
}

Status Commit(store::ObjectStore& store, std::string_view prefix, const Manifest& manifest) {
  TIERCEL_CHECK(manifest.generation > 0, "generations count from 1");
  return store.Put(ObjectName(prefix, manifest.generation), Encode(manifest));
}

}  // namespace tiercel::manifest
