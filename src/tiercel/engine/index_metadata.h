// IndexMetadata: everything about an index except its documents, as one immutable value.
//
// Thread safety: immutable; shared by shared_ptr<const>. docs/format/index_metadata.md has the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tiercel/engine/alias.h"
#include "tiercel/engine/index_settings.h"
#include "tiercel/mapping/mapping.h"

namespace tiercel::engine {

struct IndexMetadata {
  std::string name;
  std::string uuid;
  int64_t creation_date_ms = 0;
  uint64_t generation = 0;  // counts changes; 0: not stored yet
  bool open = true;
  IndexSettings settings;
  std::shared_ptr<const mapping::Mapping> mapping;
  Aliases aliases;

  // The explicit settings and uuid, creation_date, provided_name, version.created: what GET _settings shows.
  SettingValues ShownSettings() const;
};

Bytes Encode(const IndexMetadata& metadata);
// Corruption naming `object` and what is wrong.
Result<IndexMetadata> DecodeIndexMetadata(ByteSpan bytes, std::string_view object);

}  // namespace tiercel::engine
