#include "tiercel/engine/index_settings.h"

#include <gtest/gtest.h>

namespace tiercel::engine {
namespace {

Result<IndexSettings> Create(std::string_view text) {
  return IndexSettings::ParseForCreate(json::Document::Parse(text)->root());
}
Result<IndexSettings> Update(const IndexSettings& settings, std::string_view text, bool open = true,
                             bool preserve = false) {
  return settings.Update(json::Document::Parse(text)->root(), {"books", "uuid", open, preserve});
}
std::string Written(const SettingValues& values, bool flat) {
  std::string text;
  json::Writer writer(text);
  WriteSettings(values, flat, writer);
  return text;
}

TEST(IndexSettingsTest, HasElasticsearchsDefaults) {
  const auto settings = Create("{}");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->number_of_shards(), 1u);
  EXPECT_EQ(settings->number_of_replicas(), 1u);
  EXPECT_EQ(settings->max_result_window(), 10000u);
  EXPECT_EQ(settings->mapping_limits().total_fields_max, 1000u);
  EXPECT_EQ(settings->shard_settings().refresh_interval_ms, 1000);
  EXPECT_FALSE(settings->shard_settings().refresh_interval_explicit);
  EXPECT_EQ(settings->shard_settings().flush_threshold_bytes, 512u << 20);
  EXPECT_TRUE(settings->values().empty());
  // Every default passes its own check.
  for (const auto& [name, value] : IndexSettings::Defaults()) {
    const auto created = Create("{\"" + name + "\":\"" + value + "\"}");
    EXPECT_TRUE(created.ok()) << created.status().message();
  }
}

TEST(IndexSettingsTest, ReadsNestedAndDottedNames) {
  const auto settings = Create(
      R"({"number_of_shards":2,"index":{"refresh_interval":"-1","translog":{"durability":"async"}},"index.codec":"best_compression",
          "analysis":{"analyzer":{"x":{"type":"custom","filter":["lowercase","[a]"]}}},"index.hidden":null})");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->number_of_shards(), 2u);
  EXPECT_EQ(settings->shard_settings().refresh_interval_ms, -1);
  EXPECT_TRUE(settings->shard_settings().refresh_interval_explicit);
  EXPECT_EQ(settings->shard_settings().durability, shard::Durability::kAsync);
  EXPECT_EQ(
      Written(settings->values(), false),
      R"({"index":{"analysis":{"analyzer":{"x":{"filter":["lowercase","[a]"],"type":"custom"}}},"codec":"best_compression",)"
      R"("number_of_shards":"2","refresh_interval":"-1","translog":{"durability":"async"}}})");
  EXPECT_EQ(Written(Create(R"({"hidden":true,"index.priority":3})")->values(), true),
            R"({"index.hidden":"true","index.priority":"3"})");
}

TEST(IndexSettingsTest, RefusesAsElasticsearchDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"number_of_shards":0})", "Failed to parse value [0] for setting [index.number_of_shards] must be >= 1"},
      {R"({"number_of_shards":1025})",
       "Failed to parse value [1025] for setting [index.number_of_shards] must be <= 1024"},
      {R"({"number_of_shards":"abc"})", "Failed to parse value [abc] for setting [index.number_of_shards]"},
      {R"({"number_of_replicas":-1})",
       "Failed to parse value [-1] for setting [index.number_of_replicas] must be >= 0"},
      {R"({"refresh_interval":"abc"})",
       "failed to parse setting [index.refresh_interval] with value [abc] as a time value: unit is missing or "
       "unrecognized"},
      {R"({"refresh_interval":5})",
       "failed to parse setting [index.refresh_interval] with value [5] as a time value: unit is missing or "
       "unrecognized"},
      {R"({"index.codec":"nosuch"})",
       "unknown value for [index.codec] must be one of [default, best_compression] but was: nosuch"},
      {R"({"index.translog.sync_interval":"10ms"})",
       "failed to parse value [10ms] for setting [index.translog.sync_interval], must be >= [100ms]"},
      {R"({"index.translog.flush_threshold_size":"1b"})",
       "failed to parse value [1b] for setting [index.translog.flush_threshold_size], must be >= [56b]"},
      {R"({"index.blocks.write":"x"})", "Failed to parse value [x] as only [true] or [false] are allowed."},
      {R"({"max_result_window":0})", "Failed to parse value [0] for setting [index.max_result_window] must be >= 1"},
      {R"({"index.nosuch":1,"foo":2})",
       "unknown setting [index.foo] please check that any required plugins are installed, or check the breaking "
       "changes documentation for removed settings"},
      {R"({"index.uuid":"x"})",
       "unknown setting [index.uuid] please check that any required plugins are installed, or check the breaking "
       "changes documentation for removed settings"},
      {"[]", "key [settings] must be an object"},
  };
  for (const auto& [text, message] : cases) {
    const auto settings = Create(text);
    ASSERT_FALSE(settings.ok()) << text;
    EXPECT_EQ(settings.error().message(), message);
  }
}

TEST(IndexSettingsTest, UpdatesOnlyWhatMayChange) {
  const IndexSettings settings = Create(R"({"refresh_interval":"5s"})").value();
  EXPECT_EQ(
      Update(settings, R"({"number_of_shards":3,"index.codec":"default"})").status().message(),
      "Can't update non dynamic settings [[index.codec, index.number_of_shards]] for open indices [[books/uuid]] "
      "unless the `reopen` query "
      "parameter is set to true. Alternatively, close the indices, apply the settings changes, and reopen the indices");
  EXPECT_TRUE(Update(settings, R"({"index.codec":"best_compression"})", false).ok());
  EXPECT_EQ(Update(settings, R"({"number_of_shards":3})", false).status().message(),
            "final books setting [index.number_of_shards], not updateable");
  EXPECT_EQ(Update(settings, "{}").status().type(), "action_request_validation_exception");
  EXPECT_EQ(
      Update(settings, R"({"settings":{"index":{"refresh_interval":"7s"}}})")->shard_settings().refresh_interval_ms,
      7000);
  EXPECT_EQ(Update(settings, R"({"settings":{},"a":1})").status().message(),
            "mix of settings map and top-level properties");
  EXPECT_FALSE(Update(settings, R"({"index":{"refresh_interval":null}})")->shard_settings().refresh_interval_explicit);
  EXPECT_EQ(Update(settings, R"({"refresh_interval":"7s","max_result_window":20})", true, true)
                ->shard_settings()
                .refresh_interval_ms,
            5000);
  EXPECT_EQ(Update(settings, R"({"refresh_interval":"7s","max_result_window":20})", true, true)->max_result_window(),
            20u);
}

TEST(IndexSettingsTest, KnowsItsBlocks) {
  EXPECT_EQ(Create(R"({"blocks.write":true})")->write_block(), "FORBIDDEN/8/index write (api)");
  EXPECT_EQ(Create(R"({"blocks.read_only":"true"})")->write_block(), "FORBIDDEN/5/index read-only (api)");
  EXPECT_EQ(Create(R"({"blocks.read":true})")->read_block(), "FORBIDDEN/7/index read (api)");
  EXPECT_EQ(Create("{}")->write_block(), "");
}

TEST(IndexSettingsTest, ReadsTimesAndSizes) {
  EXPECT_EQ(ParseTimeMs("2m", "s").value(), 120'000);
  EXPECT_EQ(ParseTimeMs("1d", "s").value(), 86'400'000);
  EXPECT_EQ(ParseTimeMs("1500micros", "s").value(), 1);
  EXPECT_FALSE(ParseTimeMs("", "s").ok());
  EXPECT_FALSE(ParseTimeMs("-5s", "s").ok());
  EXPECT_FALSE(ParseTimeMs("99999999999999999999d", "s").ok());
  EXPECT_EQ(ParseByteSize("512MB", "s").value(), 512u << 20);
  EXPECT_EQ(ParseByteSize("3k", "s").value(), 3072u);
  EXPECT_FALSE(ParseByteSize("10x", "s").ok());
  EXPECT_FALSE(ParseByteSize("99999999999pb", "s").ok());
}

}  // namespace
}  // namespace tiercel::engine
