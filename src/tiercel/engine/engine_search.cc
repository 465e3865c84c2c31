// Searches: what an expression means, pinned, and handed to the search module.
#include <algorithm>

#include "tiercel/engine/engine.h"
#include "tiercel/engine/engine_state.h"
#include "tiercel/engine/routing.h"
#include "tiercel/json/writer.h"

namespace tiercel::engine {
namespace {

// The filter of the aliases an index was reached by: nothing when it was named itself, or by an alias without a filter.
std::optional<std::string> AliasFilter(const ResolvedIndex& target) {
  if (target.direct) return std::nullopt;
  std::vector<std::string_view> filters;
  for (const std::string& name : target.aliases) {
    const auto alias = target.metadata->aliases.find(name);
    if (alias == target.metadata->aliases.end() || !alias->second.filter_json) return std::nullopt;
    filters.push_back(*alias->second.filter_json);
  }
  if (filters.empty()) return std::nullopt;
  if (filters.size() == 1) return std::string(filters[0]);
  std::string either;
  json::Writer writer(either);
  writer.Object([&] {
    writer.Key("bool").Object([&] {
      writer.Key("should").Array([&] {
        for (const std::string_view filter : filters) writer.Raw(filter);
      });
      writer.Member("minimum_should_match", 1);
    });
  });
  return either;
}

void AddShards(std::string_view routings, uint32_t shard_count, std::vector<bool>& wanted) {
  for (size_t start = 0; start <= routings.size();) {
    const size_t comma = std::min(routings.find(',', start), routings.size());
    wanted[ShardNumber(routings.substr(start, comma - start), shard_count)] = true;
    start = comma + 1;
  }
}

// Which shards a search must read, by its own routing and that of the aliases used.
std::vector<bool> WantedShards(const ResolvedIndex& target, std::string_view routing, uint32_t shard_count) {
  std::vector<bool> wanted(shard_count, false);
  if (!routing.empty()) {
    AddShards(routing, shard_count, wanted);
    return wanted;
  }
  const bool restricted =
      !target.direct && std::all_of(target.aliases.begin(), target.aliases.end(), [&](const std::string& name) {
        const auto alias = target.metadata->aliases.find(name);
        return alias != target.metadata->aliases.end() && alias->second.search_routing.has_value();
      });
  if (!restricted) return std::vector<bool>(shard_count, true);
  for (const std::string& name : target.aliases)
    AddShards(*target.metadata->aliases.find(name)->second.search_routing, shard_count, wanted);
  return wanted;
}

std::string_view UrlParameter(const search::UrlParameters& url, std::string_view name) {
  for (const auto& [key, value] : url) {
    if (key == name) return value;
  }
  return {};
}

Result<std::shared_ptr<const segment::Snapshot>> AcquireShard(Index& index, uint32_t number) {
  TIERCEL_TRY_ASSIGN(const std::shared_ptr<Index::Shards> shards, index.shards());
  TIERCEL_TRY_ASSIGN(shard::Shard* const shard, shards->at(number));
  return shard->Acquire();
}

}  // namespace

search::SearchEnvironment Engine::Environment(const runtime::Cancellation* cancellation) const {
  return {state_->options.search_pool, state_->options.budget, state_->options.clock, cancellation};
}

Result<std::vector<search::SearchTarget>> Engine::AcquireTargets(std::string_view expression,
                                                                 const IndicesOptions& options,
                                                                 std::string_view routing) {
  IndicesOptions open = options;
  open.forbid_closed = true;
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> resolved, state_->catalog.Resolve(expression, open));
  std::vector<search::SearchTarget> targets;
  for (const ResolvedIndex& from : resolved) {
    if (!from.metadata->open) continue;
    TIERCEL_TRY(CheckBlock(*from.metadata, from.metadata->settings.read_block()));
    search::SearchTarget target;
    target.index = from.metadata->name;
    target.alias_filter_json = AliasFilter(from);
    target.result_window_max = from.metadata->settings.max_result_window();
    const std::vector<bool> wanted = WantedShards(from, routing, from.metadata->settings.number_of_shards());
    for (uint32_t number = 0; number < wanted.size(); ++number) {
      if (!wanted[number]) continue;
      Result<std::shared_ptr<const segment::Snapshot>> snapshot = AcquireShard(*from.index, number);
      if (snapshot.ok()) {
        target.shards.push_back(*std::move(snapshot));
      } else {
        target.unreadable.push_back({number, std::move(snapshot).status()});
      }
    }
    // Taken after the snapshots, so that it knows every field of every document in them.
    target.mapping = from.index->metadata()->mapping;
    targets.push_back(std::move(target));
  }
  return targets;
}

Result<search::SearchOutcome> Engine::Search(const SearchCall& call) {
  TIERCEL_TRY_ASSIGN(const std::shared_ptr<const search::SearchRequest> request,
                     search::ParseSearchRequest(call.body, call.url));
  TIERCEL_TRY_ASSIGN(const std::vector<search::SearchTarget> targets,
                     AcquireTargets(call.indices, call.indices_options, UrlParameter(call.url, "routing")));
  return search::Execute(*request, targets, Environment(call.cancellation));
}

Result<CountResult> Engine::Count(const SearchCall& call) {
  for (const auto& [key, value] : call.body.members()) {
    if (key != "query") {
      const auto [line, column] = value.line_column();
      return InvalidArgument("request does not support [" + std::string(key) + "]")
          .WithType("parsing_exception")
          .With("line", std::to_string(line))
          .With("col", std::to_string(column));
    }
  }
  // A search that fetches nothing: it knows the query parameters of a URL, min_score and failing shards.
  search::UrlParameters url = call.url;
  url.emplace_back("size", "0");
  url.emplace_back("track_total_hits", "true");
  TIERCEL_TRY_ASSIGN(const std::shared_ptr<const search::SearchRequest> request,
                     search::ParseSearchRequest(call.body, url));
  TIERCEL_TRY_ASSIGN(const std::vector<search::SearchTarget> targets,
                     AcquireTargets(call.indices, call.indices_options, UrlParameter(call.url, "routing")));
  TIERCEL_TRY_ASSIGN(search::SearchOutcome outcome, search::Execute(*request, targets, Environment(call.cancellation)));
  return CountResult{outcome.total, std::move(outcome.shards_json)};
}

}  // namespace tiercel::engine
