#include "tiercel/segment/stored_record.h"

namespace tiercel::segment {

void EncodeRecord(std::span<const VectorCut> cuts, std::string_view text, std::string& out) {
  Bytes head;
  format::Writer writer(head);
  writer.Varint(cuts.size());
  uint64_t position = 0;
  for (const VectorCut& cut : cuts) {
    writer.Varint(cut.field);
    writer.U8(cut.form);
    writer.Varint(cut.position - position);
    position = cut.position;
  }
  out.assign(AsText(head));
  out += text;
}

Result<Record> DecodeRecord(format::Reader& reader) {
  Record record;
  TIERCEL_TRY_ASSIGN(const uint64_t count, reader.Varint());
  if (count > reader.remaining() / 3) return reader.Bad("impossible number of vectors in a source");
  record.cuts.resize(count);
  uint64_t position = 0;
  for (VectorCut& cut : record.cuts) {
    TIERCEL_TRY_ASSIGN(const uint64_t field, reader.Varint());
    TIERCEL_TRY_ASSIGN(cut.form, reader.U8());
    TIERCEL_TRY_ASSIGN(const uint64_t more, reader.Varint());
    if (field > UINT32_MAX || __builtin_add_overflow(position, more, &position))
      return reader.Bad("impossible vector in a source");
    cut.field = static_cast<uint32_t>(field);
    cut.position = position;
  }
  if (position > reader.remaining()) return reader.Bad("vector past the end of its source");
  TIERCEL_TRY_ASSIGN(const ByteSpan text, reader.Raw(reader.remaining()));
  record.text = AsText(text);
  return record;
}

}  // namespace tiercel::segment
