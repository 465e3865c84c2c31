// Stored objects that are nothing but the input: segments, live documents and manifests with arbitrary bytes.
#include "segment_walk.h"
#include "tiercel/cache/open.h"
#include "tiercel/manifest/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tiercel::ByteSpan bytes(data, size);
  const auto segment = tiercel::segment::Segment::Open(tiercel::cache::MakeMemoryInput("object", bytes));
  if (segment.ok()) tiercel::fuzz::WalkSegment(**segment);
  static_cast<void>(tiercel::segment::LiveDocs::Decode(bytes, "object", 100).ok());
  static_cast<void>(tiercel::manifest::Decode(bytes, "object").ok());
  return 0;
}
