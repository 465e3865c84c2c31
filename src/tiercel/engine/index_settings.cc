#include "tiercel/engine/index_settings.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <vector>

#include "tiercel/engine/setting_values.h"

namespace tiercel::engine {
namespace {

enum class Scope { kDynamic, kStatic, kFinal };
enum class Kind { kInteger, kBoolean, kTime, kBytes, kChoice, kText };

struct Spec {
  std::string_view name;
  Kind kind;
  Scope scope;
  std::string_view fallback;  // the default; empty: none to show
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
  std::string_view choices = {};  // of kChoice, comma-separated
};

// Sorted by name. Those with a use in IndexSettings' accessors are honoured; the rest are checked and kept.
constexpr Spec kSpecs[] = {
    {"index.auto_expand_replicas", Kind::kText, Scope::kDynamic, "false"},
    {"index.blocks.metadata", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.blocks.read", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.blocks.read_only", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.blocks.read_only_allow_delete", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.blocks.write", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.check_on_startup", Kind::kChoice, Scope::kFinal, "false", 0, 0, "false,true,checksum"},
    {"index.codec", Kind::kChoice, Scope::kStatic, "default", 0, 0,
     "default,best_compression,legacy_default,legacy_best_compression"},
    {"index.default_pipeline", Kind::kText, Scope::kDynamic, "_none"},
    {"index.final_pipeline", Kind::kText, Scope::kDynamic, "_none"},
    {"index.gc_deletes", Kind::kTime, Scope::kDynamic, "60s", -1},
    {"index.hidden", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.highlight.max_analyzed_offset", Kind::kInteger, Scope::kDynamic, "1000000", 1},
    {"index.load_fixed_bitset_filters_eagerly", Kind::kBoolean, Scope::kStatic, "true"},
    {"index.mapping.coerce", Kind::kBoolean, Scope::kStatic, "true"},
    {"index.mapping.depth.limit", Kind::kInteger, Scope::kDynamic, "20", 1, INT32_MAX},
    {"index.mapping.dimension_fields.limit", Kind::kInteger, Scope::kDynamic, "32768", 0},
    {"index.mapping.exclude_source_vectors", Kind::kBoolean, Scope::kFinal, "false"},
    {"index.mapping.field_name_length.limit", Kind::kInteger, Scope::kDynamic, "", 1},
    {"index.mapping.ignore_malformed", Kind::kBoolean, Scope::kStatic, "false"},
    {"index.mapping.nested_fields.limit", Kind::kInteger, Scope::kDynamic, "100", 0},
    {"index.mapping.nested_objects.limit", Kind::kInteger, Scope::kDynamic, "10000", 0},
    {"index.mapping.total_fields.ignore_dynamic_beyond_limit", Kind::kBoolean, Scope::kDynamic, "false"},
    {"index.mapping.total_fields.limit", Kind::kInteger, Scope::kDynamic, "1000", 0, INT32_MAX},
    {"index.max_docvalue_fields_search", Kind::kInteger, Scope::kDynamic, "100", 0},
    {"index.max_inner_result_window", Kind::kInteger, Scope::kDynamic, "100", 1},
    {"index.max_ngram_diff", Kind::kInteger, Scope::kDynamic, "1", 0},
    {"index.max_refresh_listeners", Kind::kInteger, Scope::kDynamic, "1000", 0},
    {"index.max_regex_length", Kind::kInteger, Scope::kDynamic, "1000", 1},
    {"index.max_rescore_window", Kind::kInteger, Scope::kDynamic, "10000", 1},
    {"index.max_result_window", Kind::kInteger, Scope::kDynamic, "10000", 1, INT32_MAX},
    {"index.max_script_fields", Kind::kInteger, Scope::kDynamic, "32", 0},
    {"index.max_shingle_diff", Kind::kInteger, Scope::kDynamic, "3", 0},
    {"index.max_slices_per_scroll", Kind::kInteger, Scope::kDynamic, "1024", 1},
    {"index.max_terms_count", Kind::kInteger, Scope::kDynamic, "65536", 1},
    {"index.number_of_replicas", Kind::kInteger, Scope::kDynamic, "1", 0, INT32_MAX},
    {"index.number_of_routing_shards", Kind::kInteger, Scope::kFinal, "", 1, 1024},
    {"index.number_of_shards", Kind::kInteger, Scope::kFinal, "1", 1, 1024},
    {"index.priority", Kind::kInteger, Scope::kDynamic, "1", 0},
    {"index.refresh_interval", Kind::kTime, Scope::kDynamic, "1s", -1},
    {"index.requests.cache.enable", Kind::kBoolean, Scope::kDynamic, "true"},
    {"index.search.idle.after", Kind::kTime, Scope::kDynamic, "30s", 0},
    {"index.shard.check_on_startup", Kind::kChoice, Scope::kFinal, "false", 0, 0, "false,true,checksum"},
    {"index.soft_deletes.enabled", Kind::kBoolean, Scope::kFinal, "true"},
    {"index.soft_deletes.retention_lease.period", Kind::kTime, Scope::kDynamic, "12h", 0},
    {"index.store.preload", Kind::kText, Scope::kStatic, ""},
    {"index.store.type", Kind::kText, Scope::kStatic, ""},
    {"index.translog.durability", Kind::kChoice, Scope::kDynamic, "REQUEST", 0, 0, "request,async"},
    {"index.translog.flush_threshold_size", Kind::kBytes, Scope::kDynamic, "512mb", 56},
    {"index.translog.retention.age", Kind::kTime, Scope::kDynamic, "-1", -1},
    {"index.translog.retention.size", Kind::kBytes, Scope::kDynamic, "-1"},
    {"index.translog.sync_interval", Kind::kTime, Scope::kDynamic, "5s", 100},
    {"index.unassigned.node_left.delayed_timeout", Kind::kTime, Scope::kDynamic, "1m", INT64_MIN},
    {"index.write.wait_for_active_shards", Kind::kText, Scope::kDynamic, "1"},
};

// Groups whose members are free: accepted, kept, and read by whoever knows them (analysis) or by nobody.
constexpr std::pair<std::string_view, Scope> kGroups[] = {
    {"index.analysis.", Scope::kStatic},  {"index.similarity.", Scope::kStatic},
    {"index.routing.", Scope::kDynamic},  {"index.lifecycle.", Scope::kDynamic},
    {"index.merge.", Scope::kDynamic},    {"index.query.", Scope::kDynamic},
    {"index.indexing.", Scope::kDynamic}, {"index.search.slowlog.", Scope::kDynamic},
    {"index.sort.", Scope::kFinal},       {"index.allocation.", Scope::kDynamic},
};

const Spec* FindSpec(std::string_view name) {
  const auto found = std::lower_bound(std::begin(kSpecs), std::end(kSpecs), name,
                                      [](const Spec& spec, std::string_view key) { return spec.name < key; });
  return found != std::end(kSpecs) && found->name == name ? found : nullptr;
}

Status UnknownSetting(std::string_view name) {
  return InvalidArgument("unknown setting [" + std::string(name) +
                         "] please check that any required plugins are installed, or check the breaking changes "
                         "documentation for removed settings");
}

Result<Scope> ScopeOf(std::string_view name) {
  if (const Spec* spec = FindSpec(name)) return spec->scope;
  for (const auto& [prefix, scope] : kGroups) {
    if (name.starts_with(prefix)) return scope;
  }
  return UnknownSetting(name);
}

Status CheckChoice(const Spec& spec, std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  const std::string choices = "," + std::string(spec.choices) + ",";
  if (choices.find("," + (spec.name == "index.codec" ? std::string(text) : lower) + ",") != std::string::npos)
    return {};
  if (spec.name == "index.codec") {
    return InvalidArgument("unknown value for [index.codec] must be one of [default, best_compression] but was: " +
                           std::string(text));
  }
  return InvalidArgument("unknown value for [" + std::string(spec.name) + "] must be one of [" +
                         std::string(spec.choices) + "] but was: " + std::string(text));
}

Status CheckValue(const Spec& spec, std::string_view text) {
  switch (spec.kind) {
    case Kind::kInteger:
      return ParseInteger(text, spec.name, spec.min, spec.max).status();
    case Kind::kBoolean:
      if (text == "true" || text == "false") return {};
      return InvalidArgument("Failed to parse value [" + std::string(text) +
                             "] as only [true] or [false] are allowed.");
    case Kind::kTime: {
      TIERCEL_TRY_ASSIGN(const int64_t ms, ParseTimeMs(text, spec.name));
      if (ms >= spec.min) return {};
      return InvalidArgument("failed to parse value [" + std::string(text) + "] for setting [" +
                             std::string(spec.name) + "], must be >= [" + std::to_string(spec.min) +
                             (spec.min == -1 ? "]" : "ms]"));
    }
    case Kind::kBytes: {
      if (text == "-1" && spec.min == INT64_MIN) return {};
      TIERCEL_TRY_ASSIGN(const uint64_t bytes, ParseByteSize(text, spec.name));
      if (spec.min <= 0 || bytes >= static_cast<uint64_t>(spec.min)) return {};
      return InvalidArgument("failed to parse value [" + std::string(text) + "] for setting [" +
                             std::string(spec.name) + "], must be >= [" + std::to_string(spec.min) + "b]");
    }
    case Kind::kChoice:
      return CheckChoice(spec, text);
    case Kind::kText:
      return {};
  }
  return {};
}

Status CheckValues(const SettingChanges& changes) {
  for (const auto& [name, value] : changes) {
    TIERCEL_TRY(ScopeOf(name).status());
    const Spec* spec = FindSpec(name);
    if (spec == nullptr || !value) continue;
    TIERCEL_TRY(CheckValue(*spec, *value));
  }
  return {};
}

}  // namespace

Result<IndexSettings> IndexSettings::ParseForCreate(json::Value settings) {
  IndexSettings parsed;
  if (!settings.exists()) return parsed;
  if (!settings.is_object()) return InvalidArgument("key [settings] must be an object").WithType("parse_exception");
  TIERCEL_TRY_ASSIGN(const SettingChanges changes, FlattenSettings(settings));
  TIERCEL_TRY(CheckValues(changes));
  for (const auto& [name, value] : changes) {
    if (value) parsed.values_.insert_or_assign(name, *value);
  }
  return parsed;
}

Result<IndexSettings> IndexSettings::Update(json::Value update, const SettingsTarget& target) const {
  json::Value body = update;
  if (update["settings"].is_object()) {
    if (update.size() > 1)
      return InvalidArgument("mix of settings map and top-level properties").WithType("parse_exception");
    body = update["settings"];
  }
  SettingChanges changes;
  if (body.is_object()) {
    TIERCEL_TRY_ASSIGN(changes, FlattenSettings(body));
  }
  if (changes.empty()) {
    return InvalidArgument("Validation Failed: 1: no settings to update;")
        .WithType("action_request_validation_exception");
  }
  TIERCEL_TRY(CheckValues(changes));
  IndexSettings updated = *this;
  std::string refused;
  for (const auto& [name, value] : changes) {
    if (target.preserve_existing && values_.contains(name)) continue;
    TIERCEL_TRY_ASSIGN(const Scope scope, ScopeOf(name));
    if (scope != Scope::kDynamic && target.open) refused += (refused.empty() ? "" : ", ") + name;
    if (scope == Scope::kFinal && !target.open) {
      return InvalidArgument("final " + std::string(target.name) + " setting [" + name + "], not updateable");
    }
    if (value)
      updated.values_.insert_or_assign(name, *value);
    else
      updated.values_.erase(name);
  }
  if (!refused.empty()) {
    return InvalidArgument("Can't update non dynamic settings [[" + refused + "]] for open indices [[" +
                           std::string(target.name) + "/" + std::string(target.uuid) +
                           "]] unless the `reopen` query parameter is set to true. Alternatively, close the indices, "
                           "apply the settings changes, and reopen the indices");
  }
  return updated;
}

SettingValues IndexSettings::Defaults() {
  SettingValues defaults;
  for (const Spec& spec : kSpecs) {
    if (!spec.fallback.empty()) defaults.emplace(spec.name, spec.fallback);
  }
  return defaults;
}

IndexSettings IndexSettings::FromStored(SettingValues values) {
  IndexSettings settings;
  settings.values_ = std::move(values);
  return settings;
}

std::string_view IndexSettings::Get(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  const Spec* spec = FindSpec(name);
  TIERCEL_CHECK(spec != nullptr, name);
  return spec->fallback;
}

int64_t IndexSettings::Integer(std::string_view name) const {
  // Checked when it was set; a value an older version stored and this one refuses falls back to the default.
  const Result<int64_t> value = ParseInteger(Get(name), name, INT64_MIN, INT64_MAX);
  if (value.ok()) return *value;
  return ParseInteger(FindSpec(name)->fallback, name, INT64_MIN, INT64_MAX).value();
}

int64_t IndexSettings::TimeMs(std::string_view name) const {
  const Result<int64_t> value = ParseTimeMs(Get(name), name);
  return value.ok() ? *value : ParseTimeMs(FindSpec(name)->fallback, name).value();
}

uint32_t IndexSettings::number_of_shards() const { return static_cast<uint32_t>(Integer("index.number_of_shards")); }
uint32_t IndexSettings::number_of_replicas() const {
  return static_cast<uint32_t>(Integer("index.number_of_replicas"));
}
uint32_t IndexSettings::max_result_window() const { return static_cast<uint32_t>(Integer("index.max_result_window")); }
bool IndexSettings::hidden() const { return Get("index.hidden") == "true"; }

std::string_view IndexSettings::write_block() const {
  if (Get("index.blocks.read_only") == "true") return "FORBIDDEN/5/index read-only (api)";
  if (Get("index.blocks.read_only_allow_delete") == "true")
    return "TOO_MANY_REQUESTS/12/index read-only / allow delete (api)";
  if (Get("index.blocks.write") == "true") return "FORBIDDEN/8/index write (api)";
  return {};
}

std::string_view IndexSettings::read_block() const {
  return Get("index.blocks.read") == "true" ? "FORBIDDEN/7/index read (api)" : "";
}

std::string_view IndexSettings::metadata_block() const {
  if (Get("index.blocks.read_only") == "true") return "FORBIDDEN/5/index read-only (api)";
  if (Get("index.blocks.metadata") == "true") return "FORBIDDEN/9/index metadata (api)";
  return {};
}

mapping::MappingLimits IndexSettings::mapping_limits() const {
  mapping::MappingLimits limits;
  limits.total_fields_max = static_cast<uint32_t>(Integer("index.mapping.total_fields.limit"));
  limits.depth_max = static_cast<uint32_t>(Integer("index.mapping.depth.limit"));
  return limits;
}

shard::ShardSettings IndexSettings::shard_settings() const {
  shard::ShardSettings settings;
  const std::string_view durability = Get("index.translog.durability");
  settings.durability =
      durability == "async" || durability == "ASYNC" ? shard::Durability::kAsync : shard::Durability::kRequest;
  settings.sync_interval_ms = TimeMs("index.translog.sync_interval");
  settings.refresh_interval_ms = TimeMs("index.refresh_interval");
  settings.refresh_interval_explicit = values_.contains("index.refresh_interval");
  settings.search_idle_after_ms = TimeMs("index.search.idle.after");
  settings.gc_deletes_ms = TimeMs("index.gc_deletes");
  const Result<uint64_t> threshold =
      ParseByteSize(Get("index.translog.flush_threshold_size"), "index.translog.flush_threshold_size");
  if (threshold.ok()) settings.flush_threshold_bytes = *threshold;
  return settings;
}

}  // namespace tiercel::engine
