#include "tiercel/format/container.h"

#include <algorithm>
#include <cstring>

#include "tiercel/base/check.h"
#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"

namespace tiercel::format {
namespace {

constexpr std::string_view kHeaderMagic = "TIERCEL{";
constexpr std::string_view kFooterMagic = "}TIERCEL";
constexpr uint32_t kContainerVersion = 1;
constexpr size_t kChecksumAt = 48;  // in the footer
constexpr size_t kMagicAt = 56;

uint64_t BlockCount(uint64_t bytes) { return bytes / kChecksumBlock + (bytes % kChecksumBlock != 0); }

}  // namespace

ContainerWriter::ContainerWriter(ContainerKind kind, uint32_t content_version, ByteSink sink)
    : kind_(kind), content_version_(content_version), sink_(std::move(sink)) {
  block_.reserve(kChecksumBlock);
  Writer header(block_);
  header.Raw(AsBytes(kHeaderMagic));
  header.U32(kContainerVersion);
  header.U32(static_cast<uint32_t>(kind_));
  header.U32(content_version_);
  header.Align(kHeaderBytes);
  offset_ = kHeaderBytes;
}

Status ContainerWriter::BeginSection(std::string_view name, uint64_t alignment) {
  EndSection();
  TIERCEL_TRY(Align(alignment));
  sections_.push_back({std::string(name), offset_, 0});
  in_section_ = true;
  return {};
}

void ContainerWriter::EndSection() {
  if (in_section_) sections_.back().length = section_offset();
  in_section_ = false;
}

Status ContainerWriter::Append(ByteSpan bytes) {
  offset_ += bytes.size();
  while (!bytes.empty()) {
    const size_t take = std::min<size_t>(bytes.size(), kChecksumBlock - block_.size());
    block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(take));
    bytes = bytes.subspan(take);
    if (block_.size() == kChecksumBlock) TIERCEL_TRY(FlushBlock());
  }
  return {};
}

Status ContainerWriter::AppendZeros(uint64_t count) {
  static constexpr uint8_t kZeros[4096] = {};
  for (; count > 0; count -= std::min<uint64_t>(count, sizeof kZeros)) {
    TIERCEL_TRY(Append(ByteSpan(kZeros).first(std::min<uint64_t>(count, sizeof kZeros))));
  }
  return {};
}

Status ContainerWriter::FlushBlock() {
  checksums_.push_back(Checksum(block_));
  TIERCEL_TRY(sink_(block_));
  block_.clear();
  return {};
}

Status ContainerWriter::Finish() {
  EndSection();
  Bytes directory;
  Writer writer(directory);
  writer.Varint(sections_.size());
  for (const Open& section : sections_) {
    writer.String(section.name);
    writer.Varint(section.offset);
    writer.Varint(section.length);
  }
  const uint64_t directory_offset = offset_;
  const uint64_t directory_length = directory.size();
  TIERCEL_TRY(Append(directory));
  const uint64_t padding = (8 - offset_ % 8) % 8;
  directory.resize(directory.size() + padding);
  TIERCEL_TRY(AppendZeros(padding));
  const uint64_t table_offset = offset_;
  if (!block_.empty()) TIERCEL_TRY(FlushBlock());

  // `directory` goes on to hold everything the footer's checksum covers.
  for (const uint64_t checksum : checksums_) writer.U64(checksum);
  const size_t table_end = directory.size();
  writer.U64(directory_offset);
  writer.U64(directory_length);
  writer.U64(table_offset);
  writer.U64(checksums_.size());
  writer.U32(static_cast<uint32_t>(kind_));
  writer.U32(content_version_);
  writer.U32(kContainerVersion);
  writer.U32(0);
  writer.U64(Checksum(directory));
  writer.Raw(AsBytes(kFooterMagic));
  const size_t table_start = table_offset - directory_offset;
  TIERCEL_CHECK(directory.size() - table_end == kFooterBytes);
  offset_ += directory.size() - table_start;
  return sink_(ByteSpan(directory).subspan(table_start));
}

const Section* Container::Find(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

Status Container::CheckBlock(uint64_t index, ByteSpan block, std::string_view object) const {
  if (index < checksums.size() && Checksum(block) == checksums[index]) return {};
  return CorruptionAt(object, index * kChecksumBlock, "wrong checksum of the block");
}

Result<Footer> ParseFooter(ByteSpan last, uint64_t size, std::string_view object) {
  if (size < kHeaderBytes + kFooterBytes || last.size() != kFooterBytes) return CorruptionAt(object, 0, "too short");
  const uint64_t at = size - kFooterBytes;
  if (AsText(last.subspan(kMagicAt)) != kFooterMagic) return CorruptionAt(object, at + kMagicAt, "bad footer magic");
  Footer footer;
  footer.directory_offset = LoadU64(last.data());
  footer.directory_length = LoadU64(last.data() + 8);
  footer.table_offset = LoadU64(last.data() + 16);
  footer.table_count = LoadU64(last.data() + 24);
  footer.kind = LoadU32(last.data() + 32);
  footer.content_version = LoadU32(last.data() + 36);
  const uint32_t version = LoadU32(last.data() + 40);
  const bool sane = footer.table_offset <= at && footer.table_offset % 8 == 0 &&
                    footer.directory_offset >= kHeaderBytes && footer.directory_offset <= footer.table_offset &&
                    footer.directory_length <= footer.table_offset - footer.directory_offset &&
                    footer.table_offset - footer.directory_offset - footer.directory_length < 8 &&
                    footer.table_count == BlockCount(footer.table_offset) &&
                    footer.table_count * 8 == at - footer.table_offset && LoadU32(last.data() + 44) == 0;
  if (!sane) return CorruptionAt(object, at, "impossible footer");
  if (version != kContainerVersion) {
    return Unimplemented(std::string(object) + ": container version " + std::to_string(version) + " is not known");
  }
  return footer;
}

Result<Container> ParseContainer(const Footer& footer, ByteSpan tail, uint64_t size, std::string_view object) {
  if (tail.size() != size - footer.directory_offset)
    return CorruptionAt(object, footer.directory_offset, "truncated tail");
  const size_t covered = tail.size() - (kFooterBytes - kChecksumAt);
  if (Checksum(tail.first(covered)) != LoadU64(tail.data() + covered)) {
    return CorruptionAt(object, footer.directory_offset, "wrong checksum of directory and footer");
  }
  Container container;
  container.footer = footer;
  Reader reader(tail.first(footer.directory_length), object, footer.directory_offset);
  TIERCEL_TRY_ASSIGN(const uint64_t count, reader.Varint());
  if (count > reader.remaining() / 3) return reader.Bad("impossible section count");
  container.sections.reserve(count);
  uint64_t end = kHeaderBytes;
  for (uint64_t i = 0; i < count; ++i) {
    Section section;
    TIERCEL_TRY_ASSIGN(const std::string_view name, reader.String());
    TIERCEL_TRY_ASSIGN(section.offset, reader.Varint());
    TIERCEL_TRY_ASSIGN(section.length, reader.Varint());
    if (section.offset < end || section.offset > footer.directory_offset ||
        section.length > footer.directory_offset - section.offset) {
      return reader.Bad("section out of range");
    }
    end = section.offset + section.length;
    section.name = name;
    container.sections.push_back(std::move(section));
  }
  if (!reader.AtEnd()) return reader.Bad("bytes after the directory");
  const uint8_t* table = tail.data() + (footer.table_offset - footer.directory_offset);
  container.checksums.resize(footer.table_count);
  for (uint64_t i = 0; i < footer.table_count; ++i) container.checksums[i] = LoadU64(table + i * 8);
  return container;
}

Status CheckHeader(ByteSpan first, const Footer& footer, ContainerKind kind, std::string_view object) {
  if (first.size() != kHeaderBytes) return CorruptionAt(object, 0, "truncated header");
  if (AsText(first.first(8)) != kHeaderMagic) return CorruptionAt(object, 0, "bad header magic");
  if (LoadU32(first.data() + 8) != kContainerVersion)
    return CorruptionAt(object, 8, "header and footer disagree on the version");
  if (LoadU32(first.data() + 12) != footer.kind || LoadU32(first.data() + 16) != footer.content_version) {
    return CorruptionAt(object, 12, "header and footer disagree on the kind");
  }
  if (footer.kind != static_cast<uint32_t>(kind)) return CorruptionAt(object, 12, "an object of another kind");
  return {};
}

Result<Container> ReadContainer(ByteSpan whole, ContainerKind kind, std::string_view object) {
  if (whole.size() < kHeaderBytes + kFooterBytes) return CorruptionAt(object, 0, "too short");
  TIERCEL_TRY_ASSIGN(const Footer footer, ParseFooter(whole.last(kFooterBytes), whole.size(), object));
  TIERCEL_TRY(CheckHeader(whole.first(kHeaderBytes), footer, kind, object));
  TIERCEL_TRY_ASSIGN(Container container,
                     ParseContainer(footer, whole.subspan(footer.directory_offset), whole.size(), object));
  for (uint64_t i = 0; i < footer.table_count; ++i) {
    const uint64_t start = i * kChecksumBlock;
    TIERCEL_TRY(
        container.CheckBlock(i, whole.subspan(start, std::min(kChecksumBlock, footer.table_offset - start)), object));
  }
  return container;
}

}  // namespace tiercel::format
