// IndexSettings: the settings of one index, checked, as flat names ("index.refresh_interval") and text values.
//
// Every setting is known here by name, with its check and whether it may change on an open index; anything else is
// refused as Elasticsearch words it. Some are honoured, some accepted and ignored: docs/guide/settings.md lists both.
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

// By full name. A list is kept as kListMark and its JSON array of strings.
using SettingValues = std::map<std::string, std::string, std::less<>>;
inline constexpr char kListMark = '\n';

// The index whose settings are changed, for the rules and the words of its errors.
struct SettingsTarget {
  std::string_view name, uuid;
  bool open = true;
  bool preserve_existing = false;
};

class IndexSettings {
 public:
  // Of a create-index request: {"number_of_shards":1, "index":{"refresh_interval":"1s"}, "index.codec":"default"}.
  static Result<IndexSettings> ParseForCreate(json::Value settings);
  // PUT _settings: applies `update` (a null value resets) on top of these. Static settings are refused on an open
  // index.
  Result<IndexSettings> Update(json::Value update, const SettingsTarget& target) const;

  // What was set explicitly, by full name; GET _settings shows it.
  const SettingValues& values() const { return values_; }
  // Of the settings that have one, for include_defaults.
  static SettingValues Defaults();
  // For metadata that was checked when it was written.
  static IndexSettings FromStored(SettingValues values);

  uint32_t number_of_shards() const;
  uint32_t number_of_replicas() const;
  uint32_t max_result_window() const;
  // The block ("FORBIDDEN/8/index write (api)") that forbids writes, reads or changes of metadata; empty when none
  // does.
  std::string_view write_block() const;
  std::string_view read_block() const;
  std::string_view metadata_block() const;
  bool hidden() const;
  mapping::MappingLimits mapping_limits() const;
  shard::ShardSettings shard_settings() const;

 private:
  std::string_view Get(std::string_view name) const;
  int64_t Integer(std::string_view name) const;
  int64_t TimeMs(std::string_view name) const;
  SettingValues values_;
};

// {"index":{"refresh_interval":"1s",…}} or flat; values are strings (or arrays of them).
void WriteSettings(const SettingValues& values, bool flat, json::Writer& writer);

// "500ms", "1s", "-1", "2m" → milliseconds. Errors as Elasticsearch words them, naming `setting`.
Result<int64_t> ParseTimeMs(std::string_view text, std::string_view setting);
// "512mb", "1b" → bytes.
Result<uint64_t> ParseByteSize(std::string_view text, std::string_view setting);

}  // namespace tiercel::engine
