// Refresh, flush, merge and statistics over the shards of many indices.
#include "tiercel/engine/engine.h"
#include "tiercel/engine/engine_state.h"

namespace tiercel::engine {
namespace {

// Runs `work` on every shard and counts as "_shards" does: copies in total, primaries that succeeded, failures by name.
Result<ShardsResult> ForEachShard(const std::vector<ResolvedIndex>& targets,
                                  const std::function<Status(shard::Shard&)>& work) {
  ShardsResult result;
  for (const ResolvedIndex& target : targets) {
    if (!target.metadata->open) continue;
    TIERCEL_TRY_ASSIGN(const std::shared_ptr<Index::Shards> shards, target.index->shards());
    result.total += shards->size() * (1 + target.metadata->settings.number_of_replicas());
    for (uint32_t number = 0; number < shards->size(); ++number) {
      const Result<shard::Shard*> shard = shards->at(number);
      Status status = shard.ok() ? work(**shard) : shard.error();
      if (status.ok()) {
        ++result.successful;
      } else {
        ++result.failed;
        result.failures.push_back({target.metadata->name, number, std::move(status)});
      }
    }
  }
  return result;
}

IndicesOptions OpenOnly(IndicesOptions options) {
  options.forbid_closed = true;
  return options;
}

}  // namespace

Result<ShardsResult> Engine::Refresh(std::string_view expression, const IndicesOptions& options) {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, OpenOnly(options)));
  return ForEachShard(targets, [](shard::Shard& shard) { return shard.Refresh().status(); });
}

Result<ShardsResult> Engine::Flush(std::string_view expression, const IndicesOptions& options) {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, OpenOnly(options)));
  return ForEachShard(targets, [](shard::Shard& shard) { return shard.Flush(); });
}

Result<ShardsResult> Engine::ForceMerge(std::string_view expression, const IndicesOptions& options,
                                        const ForceMergeOptions& merge) {
  if (merge.only_expunge_deletes && merge.max_num_segments) {
    return InvalidArgument(
               "Validation Failed: 1: cannot set only_expunge_deletes and max_num_segments at the same time, those two "
               "parameters are mutually exclusive;")
        .WithType("action_request_validation_exception");
  }
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, OpenOnly(options)));
  return ForEachShard(targets, [&](shard::Shard& shard) {
    // Without a number Elasticsearch merges where its policy would; to one segment is the end of the same road.
    TIERCEL_TRY(shard.ForceMerge(std::max(1u, merge.max_num_segments.value_or(1)), merge.only_expunge_deletes));
    return merge.flush ? shard.Flush() : Status();
  });
}

Result<std::vector<IndexStats>> Engine::Stats(std::string_view expression, const IndicesOptions& options) const {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  std::vector<IndexStats> stats;
  for (const ResolvedIndex& target : targets) {
    IndexStats of{target.metadata, {}};
    const Result<std::shared_ptr<Index::Shards>> shards = target.index->shards();
    for (uint32_t number = 0; shards.ok() && number < (*shards)->size(); ++number) {
      const Result<shard::Shard*> shard = (*shards)->at(number);
      of.shards.push_back(shard.ok() ? (*shard)->Stats() : shard::ShardStats());
    }
    stats.push_back(std::move(of));
  }
  return stats;
}

Result<std::vector<IndexSegments>> Engine::Segments(std::string_view expression, const IndicesOptions& options) const {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, OpenOnly(options)));
  std::vector<IndexSegments> segments;
  for (const ResolvedIndex& target : targets) {
    IndexSegments of{target.metadata, {}};
    const Result<std::shared_ptr<Index::Shards>> shards = target.index->shards();
    for (uint32_t number = 0; shards.ok() && number < (*shards)->size(); ++number) {
      const Result<shard::Shard*> shard = (*shards)->at(number);
      of.shards.push_back(shard.ok() ? (*shard)->Segments() : std::vector<shard::Shard::SegmentStatus>());
    }
    segments.push_back(std::move(of));
  }
  return segments;
}

}  // namespace tiercel::engine
