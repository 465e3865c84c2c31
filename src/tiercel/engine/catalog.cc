#include "tiercel/engine/catalog.h"

#include <algorithm>

#include "tiercel/engine/index_name.h"

namespace tiercel::engine {
namespace {

bool VisibleTo(std::string_view pattern, std::string_view name, bool hidden, const IndicesOptions& options) {
  // A pattern that starts with a dot means the dotted, hidden names it spells out.
  return !hidden || options.expand_hidden || (pattern.starts_with('.') && name.starts_with('.'));
}

std::string NamesOf(const std::vector<std::pair<std::shared_ptr<Index>, IndexMetadataPtr>>& indices) {
  std::string names;
  for (const auto& [index, metadata] : indices) names += (names.empty() ? "" : ", ") + metadata->name;
  return names;
}

void Exclude(std::string_view pattern, std::map<std::string, ResolvedIndex, std::less<>>& found) {
  for (auto at = found.begin(); at != found.end();) {
    ResolvedIndex& resolved = at->second;
    if (MatchesPattern(pattern, at->first)) resolved.direct = false, resolved.aliases.clear();
    std::erase_if(resolved.aliases, [&](const std::string& alias) { return MatchesPattern(pattern, alias); });
    if (!resolved.direct && resolved.aliases.empty())
      at = found.erase(at);
    else
      ++at;
  }
}

}  // namespace

bool Catalog::Add(std::shared_ptr<Index> index) {
  const std::string name = index->metadata()->name;
  MutexLock lock(mutex_);
  return indices_.emplace(name, std::move(index)).second;
}

void Catalog::Remove(std::string_view name) {
  MutexLock lock(mutex_);
  if (const auto found = indices_.find(name); found != indices_.end()) indices_.erase(found);
}

std::shared_ptr<Index> Catalog::Find(std::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = indices_.find(name);
  return found == indices_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Index>> Catalog::All() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Index>> all;
  for (const auto& [name, index] : indices_) all.push_back(index);
  return all;
}

bool Catalog::IsAlias(std::string_view name) const {
  MutexLock lock(mutex_);
  return !WithAlias(name).empty();
}

std::vector<std::pair<std::shared_ptr<Index>, IndexMetadataPtr>> Catalog::WithAlias(std::string_view alias) const {
  std::vector<std::pair<std::shared_ptr<Index>, IndexMetadataPtr>> with;
  for (const auto& [name, index] : indices_) {
    IndexMetadataPtr metadata = index->metadata();
    if (metadata->aliases.contains(alias)) with.emplace_back(index, std::move(metadata));
  }
  return with;
}

Status Catalog::CheckWriteIndices(const std::map<std::string, Aliases, std::less<>>& changed) const {
  std::map<std::string, std::vector<std::string>> writers;  // alias → write indices
  const auto collect = [&](const std::string& index, const Aliases& aliases) {
    for (const auto& [alias, properties] : aliases) {
      if (properties.is_write_index.value_or(false)) writers[alias].push_back(index);
    }
  };
  for (const auto& [index, aliases] : changed) collect(index, aliases);
  for (const std::shared_ptr<Index>& index : All()) {
    const IndexMetadataPtr metadata = index->metadata();
    if (!changed.contains(metadata->name)) collect(metadata->name, metadata->aliases);
  }
  for (auto& [alias, indices] : writers) {
    if (indices.size() < 2) continue;
    std::sort(indices.begin(), indices.end());
    std::string names;
    for (const std::string& index : indices) names += (names.empty() ? "" : ",") + index;
    return Internal("alias [" + alias + "] has more than one write index [" + names + "]")
        .WithType("illegal_state_exception");
  }
  return {};
}

Status Catalog::AddPattern(std::string_view pattern, const IndicesOptions& options, Found& found) const {
  if (!options.expand_open && !options.expand_closed) return IndexNotFound(pattern);
  bool any = false;
  for (const auto& [name, index] : indices_) {
    const IndexMetadataPtr metadata = index->metadata();
    if (!(metadata->open ? options.expand_open : options.expand_closed)) continue;
    const auto add = [&]() -> ResolvedIndex& {
      any = true;
      ResolvedIndex& resolved = found[name];
      resolved.index = index;
      resolved.metadata = metadata;
      return resolved;
    };
    if (MatchesPattern(pattern, name) && VisibleTo(pattern, name, metadata->settings.hidden(), options))
      add().direct = true;
    if (!options.aliases_allowed) continue;
    for (const auto& [alias, properties] : metadata->aliases) {
      if (MatchesPattern(pattern, alias) && VisibleTo(pattern, alias, properties.is_hidden.value_or(false), options))
        add().aliases.push_back(alias);
    }
  }
  return any || options.allow_no_indices ? Status() : IndexNotFound(pattern);
}

Status Catalog::AddName(std::string_view name, const IndicesOptions& options, Found& found) const {
  if (const auto index = indices_.find(name); index != indices_.end()) {
    IndexMetadataPtr metadata = index->second->metadata();
    if (!metadata->open && options.forbid_closed) return options.ignore_unavailable ? Status() : IndexClosed(*metadata);
    ResolvedIndex& resolved = found[index->first];
    resolved = {index->second, std::move(metadata), true, std::move(resolved.aliases)};
    return {};
  }
  const auto with = WithAlias(name);
  if (with.empty()) {
    if (options.ignore_unavailable) return {};
    return IndexNotFound(name, name.starts_with('-')
                                   ? " and if you intended to exclude this index, ensure that you use wildcards that "
                                     "include it before explicitly excluding it"
                                   : "");
  }
  if (!options.aliases_allowed) {
    if (options.ignore_unavailable) return {};
    return InvalidArgument("The provided expression [" + std::string(name) +
                           "] matches an alias, specify the corresponding concrete indices instead.");
  }
  for (const auto& [index, metadata] : with) {
    if (!metadata->open && options.forbid_closed) {
      if (options.ignore_unavailable) continue;
      return IndexClosed(*metadata);
    }
    ResolvedIndex& resolved = found[metadata->name];
    resolved.index = index;
    resolved.metadata = metadata;
    resolved.aliases.emplace_back(name);
  }
  return {};
}

Result<std::vector<ResolvedIndex>> Catalog::Resolve(std::string_view expression, const IndicesOptions& options) const {
  if (expression.empty() || expression == "_all") expression = "*";
  Found found;
  bool wildcard_seen = false;
  MutexLock lock(mutex_);
  for (size_t start = 0; start <= expression.size();) {
    const size_t comma = std::min(expression.find(',', start), expression.size());
    std::string_view part = expression.substr(start, comma - start);
    start = comma + 1;
    if (part.empty()) continue;
    if (part == "_all") part = "*";
    if (part.front() == '_') return InvalidIndexName(part, "must not start with '_'.");
    if (part.front() == '-' && wildcard_seen) {
      Exclude(part.substr(1), found);
    } else if (IsPattern(part)) {
      wildcard_seen = true;
      TIERCEL_TRY(AddPattern(part, options, found));
    } else {
      TIERCEL_TRY(AddName(part, options, found));
    }
  }
  if (found.empty() && !options.allow_no_indices) return IndexNotFound(expression);
  std::vector<ResolvedIndex> resolved;
  for (auto& [name, index] : found) resolved.push_back(std::move(index));
  return resolved;
}

Result<ResolvedWrite> Catalog::ResolveWrite(std::string_view name) const {
  MutexLock lock(mutex_);
  if (const auto found = indices_.find(name); found != indices_.end())
    return ResolvedWrite{found->second, found->second->metadata(), std::nullopt};
  const auto with = WithAlias(name);
  if (with.empty()) return ResolvedWrite{};
  for (const auto& [index, metadata] : with) {
    const Alias& alias = metadata->aliases.find(name)->second;
    if (alias.is_write_index.value_or(with.size() == 1)) return ResolvedWrite{index, metadata, alias};
  }
  return InvalidArgument(
      "no write index is defined for alias [" + std::string(name) +
      "]. The write index may be explicitly disabled using "
      "is_write_index=false or the alias points to multiple indices without one being designated as a write index");
}

Result<ResolvedWrite> Catalog::ResolveGet(std::string_view name) const {
  MutexLock lock(mutex_);
  if (const auto found = indices_.find(name); found != indices_.end())
    return ResolvedWrite{found->second, found->second->metadata(), std::nullopt};
  const auto with = WithAlias(name);
  if (with.empty()) return IndexNotFound(name);
  if (with.size() > 1) {
    return InvalidArgument("alias [" + std::string(name) + "] has more than one index associated with it [" +
                           NamesOf(with) + "], can't execute a single index op");
  }
  return ResolvedWrite{with[0].first, with[0].second, with[0].second->aliases.find(name)->second};
}

}  // namespace tiercel::engine
