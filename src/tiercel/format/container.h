// Container: the frame of stored objects - named sections, a checksum per 64 KiB, a footer. Bytes:
// docs/format/container.md.
//
// ContainerWriter streams an object to a sink. Readers take the tail apart in three steps that leave the I/O to them:
// ParseFooter over the last kFooterBytes, ParseContainer over [directory_offset, size), CheckHeader over the first
// kHeaderBytes; ReadContainer does all three, and every block, for an object that is in memory whole.
//
// Thread safety: one thread at a time. Memory: the writer buffers 64 KiB and 8 bytes per 64 KiB written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"

namespace tiercel::format {

inline constexpr uint64_t kChecksumBlock = 64 * 1024;
inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kFooterBytes = 64;

enum class ContainerKind : uint32_t { kSegment = 1, kLiveDocs = 2 };

using ByteSink = std::function<Status(ByteSpan)>;

class ContainerWriter {
 public:
  ContainerWriter(ContainerKind kind, uint32_t content_version, ByteSink sink);

  // Ends the section before it. `alignment` is a power of two; the name must be new.
  Status BeginSection(std::string_view name, uint64_t alignment = 64);
  Status Append(ByteSpan bytes);
  Status AppendZeros(uint64_t count);
  // Zero bytes up to a multiple of `alignment` of the object.
  Status Align(uint64_t alignment) { return AppendZeros((alignment - offset_ % alignment) % alignment); }
  Status Finish();

  // Index of the section begun last.
  uint32_t section() const { return static_cast<uint32_t>(sections_.size()) - 1; }
  // Where the next byte will lie in the object, and in the section begun last.
  uint64_t offset() const { return offset_; }
  uint64_t section_offset() const { return offset_ - sections_.back().offset; }

 private:
  struct Open {
    std::string name;
    uint64_t offset;
    uint64_t length;
  };
  void EndSection();
  Status FlushBlock();

  ContainerKind kind_;
  uint32_t content_version_;
  ByteSink sink_;
  Bytes block_;
  uint64_t offset_ = 0;
  bool in_section_ = false;
  std::vector<Open> sections_;
  std::vector<uint64_t> checksums_;
};

struct Section {
  std::string name;
  uint64_t offset = 0;
  uint64_t length = 0;
};

struct Footer {
  uint64_t directory_offset = 0;
  uint64_t directory_length = 0;
  uint64_t table_offset = 0;
  uint64_t table_count = 0;
  uint32_t kind = 0;
  uint32_t content_version = 0;
};

struct Container {
  Footer footer;
  std::vector<Section> sections;    // in order of offset
  std::vector<uint64_t> checksums;  // of the blocks of [0, footer.table_offset)

  const Section* Find(std::string_view name) const;
  // Checks block `index`, whose bytes are `block`.
  Status CheckBlock(uint64_t index, ByteSpan block, std::string_view object) const;
};

// Errors: Corruption naming `object` and the offset; Unimplemented for a version of the frame from the future.
Result<Footer> ParseFooter(ByteSpan last, uint64_t size, std::string_view object);
Result<Container> ParseContainer(const Footer& footer, ByteSpan tail, uint64_t size, std::string_view object);
Status CheckHeader(ByteSpan first, const Footer& footer, ContainerKind kind, std::string_view object);
Result<Container> ReadContainer(ByteSpan whole, ContainerKind kind, std::string_view object);

}  // namespace tiercel::format
