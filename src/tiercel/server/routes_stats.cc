// _stats and _segments.

#include <algorithm>

#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"
#include "tiercel/server/stats_body.h"
#include "tiercel/server/version.h"

namespace tiercel::server {
namespace {

using engine::Engine;

struct Copies {
  uint64_t total = 0, primaries = 0;
};

Copies CountCopies(const engine::IndexMetadata& metadata) {
  const uint64_t primaries = metadata.settings.number_of_shards();
  return {primaries * (1 + metadata.settings.number_of_replicas()), primaries};
}

template <typename List>
void WriteShardsHeader(const List& list, json::Writer& writer) {
  Copies sum;
  for (const auto& item : list) {
    const Copies copies = CountCopies(*item.metadata);
    sum.total += copies.total;
    sum.primaries += copies.primaries;
  }
  writer.Key("_shards").Object(
      [&] { writer.Member("total", sum.total).Member("successful", sum.primaries).Member("failed", 0); });
}

void WriteRouting(const NodeInfo& node, json::Writer& writer, bool relocating) {
  writer.Key("routing").Object([&] {
    writer.Member("state", "STARTED").Member("primary", true).Member("node", node.id);
    if (relocating) writer.Key("relocating_node").Null();
  });
}

class StatsBody {
 public:
  StatsBody(std::vector<engine::IndexStats> indices, std::vector<std::string> metrics, const NodeInfo& node)
      : indices_(std::move(indices)), metrics_(std::move(metrics)), node_(node), writer_(body_) {}

  std::string Write(std::string_view level) {
    writer_.Object([&] {
      WriteShardsHeader(indices_, writer_);
      std::vector<shard::ShardStats> all;
      for (const engine::IndexStats& index : indices_) all.insert(all.end(), index.shards.begin(), index.shards.end());
      writer_.Key("_all").Object([&] { WriteTwice(all); });
      if (level == "cluster") return;
      writer_.Key("indices").Object([&] {
        for (const engine::IndexStats& index : indices_)
          writer_.Key(index.metadata->name).Object([&] { WriteIndex(index, level == "shards"); });
      });
    });
    return std::move(body_);
  }

 private:
  // Replicas are never assigned: what all copies have is what the primaries have.
  void WriteTwice(const std::vector<shard::ShardStats>& shards) {
    const shard::ShardStats sum = SumStats(shards);
    for (const char* name : {"primaries", "total"}) {
      writer_.Key(name).Object([&] { WriteStatsSections(sum, shards.size(), metrics_, writer_); });
    }
  }
  void WriteIndex(const engine::IndexStats& index, bool with_shards) {
    const engine::IndexMetadata& metadata = *index.metadata;
    writer_.Member("uuid", metadata.uuid)
        .Member("health", metadata.settings.number_of_replicas() > 0 ? "yellow" : "green");
    writer_.Member("status", metadata.open ? "open" : "close");
    WriteTwice(index.shards);
    if (!with_shards) return;
    writer_.Key("shards").Object([&] {
      for (size_t i = 0; i < index.shards.size(); ++i) {
        writer_.Key(std::to_string(i)).Array([&] { writer_.Object([&] { WriteShard(index.shards[i]); }); });
      }
    });
  }
  void WriteShard(const shard::ShardStats& stats) {
    WriteRouting(node_, writer_, true);
    WriteStatsSections(stats, 1, metrics_, writer_);
    writer_.Key("commit").Object(
        [&] { writer_.Member("generation", stats.manifest_generation).Member("num_docs", stats.docs); });
    writer_.Key("seq_no").Object([&] {
      writer_.Member("max_seq_no", stats.max_seq_no).Member("local_checkpoint", stats.local_checkpoint);
      writer_.Member("global_checkpoint", stats.local_checkpoint);
    });
  }

  const std::vector<engine::IndexStats> indices_;
  const std::vector<std::string> metrics_;
  const NodeInfo& node_;
  std::string body_;
  json::Writer writer_;
};

Status CheckMetrics(const RestRequest& request, const std::vector<std::string>& metrics) {
  const auto sections = StatsSections();
  for (const std::string& metric : metrics) {
    if (metric == "merge" || std::find(sections.begin(), sections.end(), metric) != sections.end()) continue;
    return InvalidArgument("request [" + std::string(request.path()) + "] contains unrecognized metric: [" + metric +
                           "]");
  }
  return {};
}

Result<RestResponse> Stats(Engine& engine, const NodeInfo& node, const RestRequest& request) {
  std::vector<std::string> metrics = SplitList(request.GetOr("metric", ""));
  if (std::find(metrics.begin(), metrics.end(), "_all") != metrics.end()) metrics.clear();
  TIERCEL_TRY(CheckMetrics(request, metrics));
  const std::string level = request.GetOr("level", "indices");
  if (level != "cluster" && level != "indices" && level != "shards") {
    return InvalidArgument("level parameter must be one of [cluster] or [indices] or [shards] but was [" + level + "]");
  }
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  TIERCEL_TRY_ASSIGN(std::vector<engine::IndexStats> stats, engine.Stats(IndexExpression(request), options));
  return RestResponse::Json(StatsBody(std::move(stats), std::move(metrics), node).Write(level));
}

// Segment names of Elasticsearch are "_0", "_1", ... in base 36; ours are what they are.
void WriteSegment(const shard::Shard::SegmentStatus& segment, size_t generation, json::Writer& writer) {
  writer.Key(segment.name).Object([&] {
    writer.Member("generation", generation).Member("num_docs", segment.docs).Member("deleted_docs", segment.deleted);
    writer.Member("size_in_bytes", segment.bytes)
        .Member("committed", segment.committed)
        .Member("search", segment.search);
    writer.Member("version", kLuceneVersion).Member("compound", true);
  });
}

Result<RestResponse> Segments(Engine& engine, const NodeInfo& node, const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const engine::IndicesOptions options, ReadIndicesOptions(request));
  TIERCEL_TRY_ASSIGN(const std::vector<engine::IndexSegments> indices,
                     engine.Segments(IndexExpression(request), options));
  std::string body;
  json::Writer writer(body);
  const auto write_shard = [&](const std::vector<shard::Shard::SegmentStatus>& segments) {
    WriteRouting(node, writer, false);
    writer.Member("num_committed_segments",
                  std::count_if(segments.begin(), segments.end(), [](const auto& s) { return s.committed; }));
    writer.Member("num_search_segments",
                  std::count_if(segments.begin(), segments.end(), [](const auto& s) { return s.search; }));
    writer.Key("segments").Object([&] {
      for (size_t i = 0; i < segments.size(); ++i) WriteSegment(segments[i], i, writer);
    });
  };
  writer.Object([&] {
    WriteShardsHeader(indices, writer);
    writer.Key("indices").Object([&] {
      for (const engine::IndexSegments& index : indices) {
        writer.Key(index.metadata->name).Object([&] {
          writer.Key("shards").Object([&] {
            for (size_t i = 0; i < index.shards.size(); ++i) {
              writer.Key(std::to_string(i)).Array([&] { writer.Object([&] { write_shard(index.shards[i]); }); });
            }
          });
        });
      }
    });
  });
  return RestResponse::Json(std::move(body));
}

}  // namespace

void AddStatsRoutes(Router& router, Engine& engine, const NodeInfo& node) {
  const auto parameters =
      Parameters({"level", "groups", "fields", "completion_fields", "fielddata_fields", "include_segment_file_sizes",
                  "include_unloaded_segments", "forbid_closed_indices", "verbose", "metric"},
                 {kIndicesParameters});
  const auto add = [&](const char* pattern, auto function) {
    router.Add({.method = HttpMethod::kGet,
                .pattern = pattern,
                .parameters = parameters,
                .handler = [&engine, &node, function](const RestRequest& r) { return function(engine, node, r); }});
  };
  for (const char* pattern : {"/_stats", "/_stats/{metric}", "/{index}/_stats", "/{index}/_stats/{metric}"})
    add(pattern, Stats);
  for (const char* pattern : {"/_segments", "/{index}/_segments"}) add(pattern, Segments);
}

}  // namespace tiercel::server
