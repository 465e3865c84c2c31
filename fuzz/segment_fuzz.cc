// Segments with corrupt content under valid checksums: the input names bytes of a good segment to change. Checksums are
// made again afterwards, so that the readers' own checks are reached and not only the container's.
#include <cstring>
#include <memory>

#include "segment_walk.h"
#include "tiercel/base/check.h"
#include "tiercel/cache/open.h"
#include "tiercel/format/container.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/segment/builder.h"

namespace {

using namespace tiercel;

constexpr const char* kMapping =
    R"({"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"double"},"b":{"type":"boolean"},
  "v":{"type":"dense_vector","dims":3},"ip":{"type":"ip"}}})";

Bytes BuildImage() {
  const auto mapping_text = json::Document::Parse(kMapping);
  const auto mapping = mapping::Mapping::Parse(mapping_text->root());
  segment::SegmentBuilder builder;
  for (int i = 0; i < 300; ++i) {
    std::string source = R"({"t":"common )" + std::string(i % 3, 'a') + " word" + std::to_string(i % 40) +
                         R"( tail","n":)" + std::to_string(i * 7919 % 1000);
    if (i % 2) source += R"(,"k":["x)" + std::to_string(i % 11) + R"(","y"],"v":[0.5,)" + std::to_string(i) + ",1.0]";
    if (i % 5 == 0) source += R"(,"d":[1.5,-2.25],"b":true,"ip":"10.0.0.1")";
    auto parsed = mapping::DocumentParser().Parse(*mapping, std::to_string(i), source + "}");
    TIERCEL_CHECK(parsed.ok(), parsed.status().ToString());
    TIERCEL_CHECK(builder.Add(parsed->document, {i, 1, 1}).ok());
  }
  segment::MemoryUpload upload;
  TIERCEL_CHECK(builder.Finish("seg", upload).ok());
  const uint64_t size = upload.size();
  const auto input = std::move(upload).IntoInput("seg");
  const auto bytes = input->Borrow(0, size);
  return Bytes(bytes->bytes().begin(), bytes->bytes().end());
}

// The image with `changes` (4 bytes each: section, position of 16 bits, new value) and fresh checksums.
Bytes Mutate(ByteSpan image, const format::Container& container, ByteSpan changes) {
  Bytes out;
  format::ContainerWriter writer(format::ContainerKind::kSegment, container.footer.content_version,
                                 [&](ByteSpan bytes) {
                                   out.insert(out.end(), bytes.begin(), bytes.end());
                                   return Status();
                                 });
  for (size_t i = 0; i < container.sections.size(); ++i) {
    const format::Section& section = container.sections[i];
    Bytes bytes(image.begin() + static_cast<long>(section.offset),
                image.begin() + static_cast<long>(section.offset + section.length));
    for (size_t c = 0; c + 4 <= changes.size(); c += 4) {
      if (changes[c] % container.sections.size() != i || bytes.empty()) continue;
      bytes[(changes[c + 1] | changes[c + 2] << 8) % bytes.size()] = changes[c + 3];
    }
    TIERCEL_CHECK(writer.BeginSection(section.name, 64).ok() && writer.Append(bytes).ok());
  }
  TIERCEL_CHECK(writer.Finish().ok());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Bytes image = BuildImage();
  static const format::Container container = *format::ReadContainer(image, format::ContainerKind::kSegment, "seg");
  const Bytes changed = Mutate(image, container, ByteSpan(data, std::min<size_t>(size, 64)));
  const auto segment = segment::Segment::Open(cache::MakeMemoryInput("seg", changed));
  if (segment.ok()) fuzz::WalkSegment(**segment);
  return 0;
}
