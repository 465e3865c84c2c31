// Changes of settings, mappings and aliases.
#include <algorithm>
#include <set>

#include "tiercel/engine/engine.h"
#include "tiercel/engine/engine_state.h"
#include "tiercel/engine/index_name.h"

namespace tiercel::engine {
namespace {

Status AliasesNotFound(const std::vector<std::string>& aliases) {
  std::string names, ids;
  for (const std::string& alias : aliases) names += (names.empty() ? "" : ", ") + alias;
  for (const std::string& alias : aliases) ids += (ids.empty() ? "" : ",") + alias;
  return NotFound("aliases [" + names + "] missing")
      .WithType("aliases_not_found_exception")
      .With("resource.type", "aliases")
      .With("resource.id", ids);
}

// Drops from `planned` what matches and was there before the request: an alias the same request adds is not removed by
// it. How many matched.
size_t RemoveMatching(const std::vector<std::string>& patterns, const Aliases& before, Aliases& planned) {
  size_t matched = 0;
  for (const auto& [alias, properties] : before) {
    const bool matches = std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return pattern == "_all" || MatchesPattern(pattern, alias);
    });
    if (!matches) continue;
    ++matched;
    planned.erase(alias);
  }
  return matched;
}

// Whether an alias passes a list like "a*,b,-ab".
bool Listed(std::string_view names, std::string_view alias) {
  bool listed = false, first = true;
  for (size_t start = 0; start <= names.size();) {
    const size_t comma = std::min(names.find(',', start), names.size());
    const std::string_view name = names.substr(start, comma - start);
    start = comma + 1;
    if (!first && name.starts_with('-')) {
      if (MatchesPattern(name.substr(1), alias)) listed = false;
    } else if (name == "_all" || MatchesPattern(name, alias)) {
      listed = true;
    }
    first = false;
  }
  return listed;
}

}  // namespace

Status Engine::CheckNewAlias(std::string_view alias, const Alias& properties, const IndexMetadata& metadata) const {
  if (state_->catalog.Find(alias))
    return InvalidAliasName(alias, "an index or data stream exists with the same name as the alias");
  return CheckAliasFilter(alias, properties, metadata, state_->options);
}

Status Engine::UpdateSettings(std::string_view expression, const IndicesOptions& options, json::Value settings,
                              bool preserve_existing) {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  const auto updated = [&](const IndexMetadata& metadata) {
    return metadata.settings.Update(settings, {metadata.name, metadata.uuid, metadata.open, preserve_existing});
  };
  // First for every index without storing: a setting that one refuses changes none.
  for (const ResolvedIndex& target : targets) TIERCEL_TRY(updated(*target.metadata).status());
  for (const ResolvedIndex& target : targets) {
    TIERCEL_TRY(target.index->Change([&](IndexMetadata& metadata) -> Result<bool> {
      TIERCEL_TRY_ASSIGN(IndexSettings changed, updated(metadata));
      const bool differs = changed.values() != metadata.settings.values();
      metadata.settings = std::move(changed);
      return differs;
    }));
    TIERCEL_TRY(target.index->ApplySettings());
  }
  return {};
}

Status Engine::PutMapping(std::string_view expression, const IndicesOptions& options, json::Value mapping) {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  if (!mapping.exists()) return InvalidArgument("request body is required").WithType("parse_exception");
  if (!mapping.is_object()) return {};
  if (mapping.size() == 1 && (*mapping.members().begin()).first == "_doc") {
    return InvalidArgument("Types cannot be provided in put mapping requests");
  }
  for (const ResolvedIndex& target : targets) {
    TIERCEL_TRY(CheckBlock(*target.metadata, target.metadata->settings.metadata_block()));
    TIERCEL_TRY(target.metadata->mapping->Merge(mapping, target.metadata->settings.mapping_limits()).status());
  }
  for (const ResolvedIndex& target : targets) {
    TIERCEL_TRY(target.index->Change([&](IndexMetadata& metadata) -> Result<bool> {
      TIERCEL_TRY_ASSIGN(metadata.mapping, metadata.mapping->Merge(mapping, metadata.settings.mapping_limits()));
      return true;
    }));
  }
  return {};
}

Result<bool> Engine::PlanAliasAction(const AliasAction& action, AliasPlan& plan) const {
  IndicesOptions options;
  options.aliases_allowed = false;
  options.allow_no_indices = false;
  std::string expression;
  for (const std::string& index : action.indices) expression += (expression.empty() ? "" : ",") + index;
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  size_t removed = 0;
  for (const ResolvedIndex& target : targets) {
    if (action.kind == AliasAction::Kind::kRemoveIndex) {
      plan.indices_to_remove.push_back(target.index);
      continue;
    }
    Aliases& aliases = plan.aliases.try_emplace(target.metadata->name, target.metadata->aliases).first->second;
    if (action.kind == AliasAction::Kind::kRemove) {
      removed += RemoveMatching(action.aliases, target.metadata->aliases, aliases);
      continue;
    }
    for (const std::string& alias : action.aliases) {
      TIERCEL_TRY(CheckAliasName(alias));
      TIERCEL_TRY(CheckNewAlias(alias, action.properties, *target.metadata));
      aliases.insert_or_assign(alias, action.properties);
    }
  }
  return action.kind != AliasAction::Kind::kRemove || removed > 0;
}

Result<AliasUpdateResult> Engine::UpdateAliases(std::vector<AliasAction> actions) {
  MutexLock lock(state_->names_mutex);
  AliasPlan plan;
  AliasUpdateResult result;
  bool any_done = false;
  for (const AliasAction& action : actions) {
    TIERCEL_TRY_ASSIGN(const bool done, PlanAliasAction(action, plan));
    if (!done && action.must_exist.value_or(false)) return AliasesNotFound(action.aliases);
    result.statuses.push_back(done ? Status() : AliasesNotFound(action.aliases));
    any_done |= done;
  }
  if (!any_done && !result.statuses.empty()) return result.statuses.front();
  TIERCEL_TRY(state_->catalog.CheckWriteIndices(plan.aliases));
  for (const auto& [name, aliases] : plan.aliases) {
    const std::shared_ptr<Index> index = state_->catalog.Find(name);
    TIERCEL_CHECK(index != nullptr, "names are removed under names_mutex");
    TIERCEL_TRY(index->Change([&](IndexMetadata& metadata) -> Result<bool> {
      const bool differs = metadata.aliases != aliases;
      metadata.aliases = aliases;
      return differs;
    }));
  }
  for (const std::shared_ptr<Index>& index : plan.indices_to_remove) TIERCEL_TRY(RemoveFromStore(*index));
  result.actions = std::move(actions);
  return result;
}

Result<std::vector<AliasesOf>> Engine::GetAliases(std::string_view expression, std::string_view names,
                                                  const IndicesOptions& options,
                                                  std::vector<std::string>* missing) const {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  const bool all = names.empty() || names == "_all" || names == "*";
  std::vector<AliasesOf> found;
  std::set<std::string, std::less<>> seen;
  for (const ResolvedIndex& target : targets) {
    AliasesOf of{target.metadata, {}};
    for (const auto& [alias, properties] : target.metadata->aliases) {
      if (!all && !Listed(names, alias)) continue;
      of.aliases.emplace(alias, properties);
      seen.insert(alias);
    }
    if (names.empty() || !of.aliases.empty()) found.push_back(std::move(of));
  }
  for (size_t start = 0; missing != nullptr && !all && start <= names.size();) {
    const size_t comma = std::min(names.find(',', start), names.size());
    const std::string_view name = names.substr(start, comma - start);
    start = comma + 1;
    if (!IsPattern(name) && !name.starts_with('-') && name != "_all" && !seen.contains(name))
      missing->emplace_back(name);
  }
  return found;
}

}  // namespace tiercel::engine
