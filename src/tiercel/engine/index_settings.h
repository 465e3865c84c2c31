// IndexSettings: the settings of one index, checked, as flat names ("index.refresh_interval") and text values.
//
// Every setting is known here by name, with its check and whether it may change on an open index; anything else is refused as
// Elasticsearch words it. Some are honoured, some accepted and ignored: docs/guide/settings.md lists both.
//
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/shard/shard.h"

namespace tiercel::engine {

class IndexSettings {
 public:
  // Of a create-index request: {"number_of_shards":1, "index":{"refresh_interval":"1s"}, "index.codec":"default"}.
  static Result<IndexSettings> ParseForCreate(json::Value settings);
  // PUT _settings: applies `update` (a null value resets) on top of these. Static settings are refused on an open index.
  Result<IndexSettings> Update(json::Value update, bool index_is_open, bool preserve_existing) const;

  // What was set explicitly, by full name; GET _settings shows it. Lists are kept as JSON arrays.
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }
  // Value or default, for include_defaults.
  static const std::map<std::string, std::string, std::less<>>& Defaults();
  // For metadata that was checked when it was written.
  static IndexSettings FromStored(std::map<std::string, std::string, std::less<>> values);

  uint32_t number_of_shards() const;
  uint32_t number_of_replicas() const;
  uint32_t max_result_window() const;
  bool blocks_write() const;  // index.blocks.write, read_only or read_only_allow_delete
  bool blocks_read() const;
  bool hidden() const;
  mapping::MappingLimits mapping_limits() const;
  shard::ShardSettings shard_settings() const;

 private:
  std::string_view Get(std::string_view name) const;
  std::map<std::string, std::string, std::less<>> values_;
};

// {"index":{"refresh_interval":"1s",…}} or flat; values are strings (or arrays of them).
void WriteSettings(const std::map<std::string, std::string, std::less<>>& values, bool flat, json::Writer& writer);

// "500ms", "1s", "-1", "2m" → milliseconds. Errors as Elasticsearch words them, naming `setting`.
Result<int64_t> ParseTimeMs(std::string_view text, std::string_view setting);
// "512mb", "1b" → bytes.
Result<uint64_t> ParseByteSize(std::string_view text, std::string_view setting);

}  // namespace tiercel::engine
