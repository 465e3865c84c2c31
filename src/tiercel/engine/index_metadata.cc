#include "tiercel/engine/index_metadata.h"

#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"

namespace tiercel::engine {
namespace {

constexpr std::string_view kMagic = "TIERCELX";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 16;
constexpr size_t kChecksumBytes = 8;
// The version that indices are said to be created by: 8.19.0 in Elasticsearch's numbering.
constexpr std::string_view kVersionCreated = "8536000";

void WriteText(format::Writer& writer, const std::optional<std::string>& text) {
  writer.U8(text ? 1 : 0);
  if (text) writer.String(*text);
}

void WriteFlag(format::Writer& writer, const std::optional<bool>& flag) { writer.U8(!flag ? 0 : *flag ? 2 : 1); }

Status ReadText(format::Reader& reader, std::optional<std::string>& text) {
  TIERCEL_TRY_ASSIGN(const uint8_t present, reader.U8());
  if (present > 1) return reader.Bad("bad presence byte");
  if (present == 0) return {};
  TIERCEL_TRY_ASSIGN(const std::string_view value, reader.String());
  text = std::string(value);
  return {};
}

Status ReadFlag(format::Reader& reader, std::optional<bool>& flag) {
  TIERCEL_TRY_ASSIGN(const uint8_t value, reader.U8());
  if (value > 2) return reader.Bad("bad flag");
  if (value > 0) flag = value == 2;
  return {};
}

Result<std::string> ReadString(format::Reader& reader) {
  TIERCEL_TRY_ASSIGN(const std::string_view text, reader.String());
  return std::string(text);
}

Status ReadSettings(format::Reader& reader, IndexMetadata& metadata) {
  SettingValues values;
  TIERCEL_TRY_ASSIGN(const uint64_t count, reader.Varint());
  if (count > reader.remaining() / 2) return reader.Bad("more settings than bytes");
  for (uint64_t i = 0; i < count; ++i) {
    TIERCEL_TRY_ASSIGN(std::string name, ReadString(reader));
    TIERCEL_TRY_ASSIGN(std::string value, ReadString(reader));
    values.insert_or_assign(std::move(name), std::move(value));
  }
  metadata.settings = IndexSettings::FromStored(std::move(values));
  return {};
}

Status ReadAliases(format::Reader& reader, IndexMetadata& metadata) {
  TIERCEL_TRY_ASSIGN(const uint64_t count, reader.Varint());
  if (count > reader.remaining() / 6) return reader.Bad("more aliases than bytes");
  for (uint64_t i = 0; i < count; ++i) {
    TIERCEL_TRY_ASSIGN(std::string name, ReadString(reader));
    Alias alias;
    TIERCEL_TRY(ReadText(reader, alias.filter_json));
    TIERCEL_TRY(ReadText(reader, alias.index_routing));
    TIERCEL_TRY(ReadText(reader, alias.search_routing));
    TIERCEL_TRY(ReadFlag(reader, alias.is_write_index));
    TIERCEL_TRY(ReadFlag(reader, alias.is_hidden));
    metadata.aliases.insert_or_assign(std::move(name), std::move(alias));
  }
  return {};
}

Status ReadMapping(format::Reader& reader, std::string_view object, IndexMetadata& metadata) {
  const uint64_t offset = reader.offset();
  TIERCEL_TRY_ASSIGN(const std::string_view text, reader.String());
  // Limits were enforced when the fields were added; one lowered since must not make the index unreadable.
  const mapping::MappingLimits limits{.total_fields_max = UINT32_MAX, .depth_max = UINT32_MAX};
  json::ParseOptions options;
  options.depth_max = 1000;
  Result<json::Document> document = json::Document::Parse(text, options);
  if (!document.ok()) return format::CorruptionAt(object, offset, "unreadable mapping").WithCause(document.error());
  Result<std::shared_ptr<const mapping::Mapping>> mapping = mapping::Mapping::Parse(document->root(), limits);
  if (!mapping.ok()) return format::CorruptionAt(object, offset, "unreadable mapping").WithCause(mapping.error());
  metadata.mapping = std::move(*mapping);
  return {};
}

}  // namespace

SettingValues IndexMetadata::ShownSettings() const {
  SettingValues shown = settings.values();
  shown.insert_or_assign("index.uuid", uuid);
  shown.insert_or_assign("index.provided_name", name);
  shown.insert_or_assign("index.creation_date", std::to_string(creation_date_ms));
  shown.insert_or_assign("index.version.created", std::string(kVersionCreated));
  shown.emplace("index.number_of_shards", std::to_string(settings.number_of_shards()));
  shown.emplace("index.number_of_replicas", std::to_string(settings.number_of_replicas()));
  shown.emplace("index.routing.allocation.include._tier_preference", "data_content");
  if (!open) shown.emplace("index.verified_before_close", "true");
  return shown;
}

Bytes Encode(const IndexMetadata& metadata) {
  Bytes bytes;
  format::Writer writer(bytes);
  writer.Raw(AsBytes(kMagic));
  writer.U32(kVersion);
  writer.U32(0);
  writer.String(metadata.name);
  writer.String(metadata.uuid);
  writer.SignedVarint(metadata.creation_date_ms);
  writer.Varint(metadata.generation);
  writer.U8(metadata.open ? 1 : 0);
  writer.Varint(metadata.settings.values().size());
  for (const auto& [name, value] : metadata.settings.values()) {
    writer.String(name);
    writer.String(value);
  }
  writer.Varint(metadata.aliases.size());
  for (const auto& [name, alias] : metadata.aliases) {
    writer.String(name);
    WriteText(writer, alias.filter_json);
    WriteText(writer, alias.index_routing);
    WriteText(writer, alias.search_routing);
    WriteFlag(writer, alias.is_write_index);
    WriteFlag(writer, alias.is_hidden);
  }
  writer.String(metadata.mapping->ToJson());
  writer.U64(format::Checksum(bytes));
  return bytes;
}

Result<IndexMetadata> DecodeIndexMetadata(ByteSpan bytes, std::string_view object) {
  format::Reader header(bytes, object);
  if (bytes.size() < kHeaderBytes + kChecksumBytes) return header.Bad("too short for index metadata");
  if (AsText(bytes.first(kMagic.size())) != kMagic) return header.Bad("not index metadata");
  const ByteSpan checked = bytes.first(bytes.size() - kChecksumBytes);
  if (format::Checksum(checked) != format::LoadU64(checked.data() + checked.size()))
    return header.Bad("wrong checksum of index metadata");
  if (const uint32_t version = format::LoadU32(bytes.data() + 8); version != kVersion) {
    return Unimplemented(std::string(object) + ": index metadata version " + std::to_string(version) +
                         " is newer than this program");
  }
  if (format::LoadU32(bytes.data() + 12) != 0) return format::CorruptionAt(object, 12, "unknown flags");
  format::Reader reader(checked.subspan(kHeaderBytes), object, kHeaderBytes);
  IndexMetadata metadata;
  TIERCEL_TRY_ASSIGN(metadata.name, ReadString(reader));
  TIERCEL_TRY_ASSIGN(metadata.uuid, ReadString(reader));
  TIERCEL_TRY_ASSIGN(metadata.creation_date_ms, reader.SignedVarint());
  TIERCEL_TRY_ASSIGN(metadata.generation, reader.Varint());
  TIERCEL_TRY_ASSIGN(const uint8_t open, reader.U8());
  if (open > 1) return reader.Bad("bad state");
  metadata.open = open == 1;
  TIERCEL_TRY(ReadSettings(reader, metadata));
  TIERCEL_TRY(ReadAliases(reader, metadata));
  TIERCEL_TRY(ReadMapping(reader, object, metadata));
  if (!reader.AtEnd()) return reader.Bad("bytes after the mapping");
  return metadata;
}

}  // namespace tiercel::engine
