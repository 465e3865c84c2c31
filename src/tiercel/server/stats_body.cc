#include "tiercel/server/stats_body.h"

#include <algorithm>
#include <array>

namespace tiercel::server {
namespace {

using shard::ShardStats;

void Zeros(json::Writer& w, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) w.Member(name, 0);
}

void Docs(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("count", s.docs).Member("deleted", s.deleted_docs).Member("total_size_in_bytes", s.store_bytes);
}
void ShardCount(const ShardStats&, uint64_t shards, json::Writer& w) { w.Member("total_count", shards); }
void Store(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("size_in_bytes", s.store_bytes)
      .Member("total_data_set_size_in_bytes", s.store_bytes)
      .Member("reserved_in_bytes", 0);
}
void Indexing(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("index_total", s.index_total).Member("index_time_in_millis", s.index_time_ms);
  Zeros(w, {"index_current", "index_failed", "index_failed_due_to_version_conflict"});
  w.Member("delete_total", s.delete_total);
  Zeros(w, {"delete_time_in_millis", "delete_current", "noop_update_total"});
  w.Member("is_throttled", false).Member("throttle_time_in_millis", 0);
}
void Get(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("total", s.get_total);
  Zeros(w, {"time_in_millis", "exists_total", "exists_time_in_millis", "missing_total", "missing_time_in_millis",
            "current"});
}
void Search(const ShardStats&, uint64_t, json::Writer& w) {
  Zeros(w, {"open_contexts", "query_total", "query_time_in_millis", "query_current", "query_failure", "fetch_total",
            "fetch_time_in_millis", "fetch_current", "fetch_failure", "scroll_total", "scroll_time_in_millis",
            "scroll_current", "suggest_total", "suggest_time_in_millis", "suggest_current"});
}
void Merges(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("current", s.merges_current).Member("current_docs", 0).Member("current_size_in_bytes", 0);
  w.Member("total", s.merge_total).Member("total_time_in_millis", s.merge_time_ms);
  w.Member("total_docs", s.merge_docs).Member("total_size_in_bytes", s.merge_bytes);
  Zeros(w, {"total_stopped_time_in_millis", "total_throttled_time_in_millis", "total_auto_throttle_in_bytes"});
}
void Refresh(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("total", s.refresh_total).Member("total_time_in_millis", s.refresh_time_ms);
  w.Member("external_total", s.refresh_total)
      .Member("external_total_time_in_millis", s.refresh_time_ms)
      .Member("listeners", 0);
}
void Flush(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("total", s.flush_total).Member("periodic", 0).Member("total_time_in_millis", s.flush_time_ms);
  w.Member("total_time_excluding_waiting_on_lock_in_millis", s.flush_time_ms);
}
void Warmer(const ShardStats&, uint64_t, json::Writer& w) { Zeros(w, {"current", "total", "total_time_in_millis"}); }
void QueryCache(const ShardStats&, uint64_t, json::Writer& w) {
  Zeros(w,
        {"memory_size_in_bytes", "total_count", "hit_count", "miss_count", "cache_size", "cache_count", "evictions"});
}
void Fielddata(const ShardStats&, uint64_t, json::Writer& w) {
  Zeros(w, {"memory_size_in_bytes", "evictions"});
  w.Key("global_ordinals").Object([&] { w.Member("build_time_in_millis", 0); });
}
void Completion(const ShardStats&, uint64_t, json::Writer& w) { w.Member("size_in_bytes", 0); }
void Segments(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("count", s.segments);
  Zeros(w, {"memory_in_bytes", "terms_memory_in_bytes", "stored_fields_memory_in_bytes", "term_vectors_memory_in_bytes",
            "norms_memory_in_bytes", "points_memory_in_bytes", "doc_values_memory_in_bytes"});
  w.Member("index_writer_memory_in_bytes", s.buffer_bytes)
      .Member("version_map_memory_in_bytes", 0)
      .Member("fixed_bit_set_memory_in_bytes", 0);
  w.Member("max_unsafe_auto_id_timestamp", -1).Key("file_sizes").BeginObject().EndObject();
}
void Translog(const ShardStats& s, uint64_t, json::Writer& w) {
  w.Member("operations", s.log_operations).Member("size_in_bytes", s.log_bytes);
  w.Member("uncommitted_operations", s.log_operations)
      .Member("uncommitted_size_in_bytes", s.log_bytes)
      .Member("earliest_last_modified_age", 0);
}
void RequestCache(const ShardStats&, uint64_t, json::Writer& w) {
  Zeros(w, {"memory_size_in_bytes", "evictions", "hit_count", "miss_count"});
}
void Recovery(const ShardStats&, uint64_t, json::Writer& w) {
  Zeros(w, {"current_as_source", "current_as_target", "throttle_time_in_millis"});
}
void Bulk(const ShardStats&, uint64_t, json::Writer& w) {
  Zeros(w,
        {"total_operations", "total_time_in_millis", "total_size_in_bytes", "avg_time_in_millis", "avg_size_in_bytes"});
}

struct Section {
  std::string_view name;
  void (*write)(const ShardStats&, uint64_t shards, json::Writer&);
};
constexpr std::array<Section, 18> kSections = {{{"docs", Docs},
                                                {"shard_stats", ShardCount},
                                                {"store", Store},
                                                {"indexing", Indexing},
                                                {"get", Get},
                                                {"search", Search},
                                                {"merges", Merges},
                                                {"refresh", Refresh},
                                                {"flush", Flush},
                                                {"warmer", Warmer},
                                                {"query_cache", QueryCache},
                                                {"fielddata", Fielddata},
                                                {"completion", Completion},
                                                {"segments", Segments},
                                                {"translog", Translog},
                                                {"request_cache", RequestCache},
                                                {"recovery", Recovery},
                                                {"bulk", Bulk}}};

constexpr auto kNames = [] {
  std::array<std::string_view, kSections.size()> names;
  for (size_t i = 0; i < kSections.size(); ++i) names[i] = kSections[i].name;
  return names;
}();

}  // namespace

ShardStats SumStats(std::span<const ShardStats> shards) {
  ShardStats sum;
  for (const ShardStats& s : shards) {
    for (const auto member : {&ShardStats::docs,           &ShardStats::deleted_docs,    &ShardStats::segments,
                              &ShardStats::store_bytes,    &ShardStats::buffer_bytes,    &ShardStats::log_bytes,
                              &ShardStats::log_operations, &ShardStats::index_total,     &ShardStats::delete_total,
                              &ShardStats::get_total,      &ShardStats::refresh_total,   &ShardStats::flush_total,
                              &ShardStats::merge_total,    &ShardStats::merge_docs,      &ShardStats::merge_bytes,
                              &ShardStats::index_time_ms,  &ShardStats::refresh_time_ms, &ShardStats::flush_time_ms,
                              &ShardStats::merge_time_ms,  &ShardStats::merges_current}) {
      sum.*member += s.*member;
    }
    sum.max_seq_no = std::max(sum.max_seq_no, s.max_seq_no);
    sum.local_checkpoint = std::max(sum.local_checkpoint, s.local_checkpoint);
  }
  return sum;
}

std::span<const std::string_view> StatsSections() { return kNames; }

void WriteStatsSections(const ShardStats& stats, uint64_t shard_count, const std::vector<std::string>& wanted,
                        json::Writer& writer) {
  for (const Section& section : kSections) {
    // Elasticsearch names one section and its metric differently.
    const std::string_view metric = section.name == "merges" ? "merge" : section.name;
    const bool listed = std::find(wanted.begin(), wanted.end(), metric) != wanted.end() ||
                        std::find(wanted.begin(), wanted.end(), section.name) != wanted.end();
    if (!wanted.empty() && !listed) continue;
    writer.Key(section.name).Object([&] { section.write(stats, shard_count, writer); });
  }
}

}  // namespace tiercel::server
