// LiveDocs. Bytes: docs/format/live_docs.md.
#include <bit>

#include "tiercel/base/check.h"
#include "tiercel/format/coding.h"
#include "tiercel/format/container.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {
namespace {

constexpr uint32_t kLiveDocsVersion = 1;

}  // namespace

LiveDocs::LiveDocs(uint32_t doc_count)
    : doc_count_(doc_count), live_count_(doc_count), words_((uint64_t{doc_count} + 63) / 64, ~uint64_t{0}) {
  if (doc_count % 64 != 0) words_.back() = (uint64_t{1} << (doc_count % 64)) - 1;
}

void LiveDocs::Delete(DocId doc) {
  TIERCEL_CHECK(doc < doc_count_);
  const uint64_t bit = uint64_t{1} << (doc % 64);
  live_count_ -= (words_[doc / 64] & bit) != 0;
  words_[doc / 64] &= ~bit;
}

Bytes LiveDocs::Encode() const {
  Bytes object;
  format::ContainerWriter out(format::ContainerKind::kLiveDocs, kLiveDocsVersion, [&](ByteSpan bytes) {
    object.insert(object.end(), bytes.begin(), bytes.end());
    return Status();
  });
  Bytes meta;
  format::Writer writer(meta);
  writer.Varint(doc_count_);
  writer.Varint(live_count_);
  const auto write = [&]() -> Status {
    TIERCEL_TRY(out.BeginSection("meta"));
    TIERCEL_TRY(out.Append(meta));
    TIERCEL_TRY(out.BeginSection("live"));
    TIERCEL_TRY(out.Append({reinterpret_cast<const uint8_t*>(words_.data()), words_.size() * 8}));
    return out.Finish();
  };
  TIERCEL_CHECK(write().ok(), "writing to memory cannot fail");
  return object;
}

Result<LiveDocs> LiveDocs::Decode(ByteSpan bytes, std::string_view object, uint32_t doc_count) {
  TIERCEL_TRY_ASSIGN(const format::Container container,
                     format::ReadContainer(bytes, format::ContainerKind::kLiveDocs, object));
  if (container.footer.content_version != kLiveDocsVersion) {
    return Unimplemented(std::string(object) + ": live documents of version " +
                         std::to_string(container.footer.content_version) + " are not known");
  }
  const format::Section* meta = container.Find("meta");
  const format::Section* live = container.Find("live");
  if (meta == nullptr || live == nullptr)
    return format::CorruptionAt(object, 0, "live documents without their sections");
  format::Reader reader(bytes.subspan(meta->offset, meta->length), object, meta->offset);
  TIERCEL_TRY_ASSIGN(const uint64_t docs, reader.Varint());
  TIERCEL_TRY_ASSIGN(const uint64_t live_count, reader.Varint());
  if (docs != doc_count) return reader.Bad("live documents of a segment of another size");
  LiveDocs result(doc_count);
  if (live->length != result.words_.size() * 8)
    return format::CorruptionAt(object, live->offset, "wrong number of live document bits");
  uint64_t set = 0;
  for (size_t i = 0; i < result.words_.size(); ++i) {
    const uint64_t word = format::LoadU64(bytes.data() + live->offset + i * 8);
    if ((word & ~result.words_[i]) != 0)
      return format::CorruptionAt(object, live->offset + i * 8, "live documents past the last");
    result.words_[i] = word;
    set += static_cast<uint64_t>(std::popcount(word));
  }
  if (set != live_count) return reader.Bad("wrong live count");
  result.live_count_ = static_cast<uint32_t>(set);
  return result;
}

}  // namespace tiercel::segment
