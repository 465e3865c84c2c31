// Opening a node's indices, creating and deleting them, and resolving their names.
#include "tiercel/engine/engine.h"

#include "tiercel/engine/engine_state.h"
#include "tiercel/engine/index_name.h"
#include "tiercel/engine/metadata_store.h"
#include "tiercel/search/query.h"

namespace tiercel::engine {
namespace {

Status AlreadyExists(const IndexMetadata& metadata) {
  return InvalidArgument("index [" + metadata.name + "/" + metadata.uuid + "] already exists")
      .WithType("resource_already_exists_exception")
      .With("index_uuid", metadata.uuid)
      .With("index", metadata.name);
}

struct CreateBody {
  json::Value settings, mappings, aliases;
};

Result<CreateBody> ParseCreateBody(json::Value body) {
  CreateBody parsed;
  if (!body.is_object()) return parsed;  // an absent body, or one without keys
  for (const auto& [key, value] : body.members()) {
    if (key != "settings" && key != "mappings" && key != "aliases") {
      return InvalidArgument("unknown key [" + std::string(key) + "] for create index").WithType("parse_exception");
    }
    if (!value.is_object())
      return InvalidArgument("key [" + std::string(key) + "] must be an object").WithType("parse_exception");
    (key == "settings" ? parsed.settings : key == "mappings" ? parsed.mappings : parsed.aliases) = value;
  }
  return parsed;
}

}  // namespace

Status ParseExpandWildcards(std::string_view text, IndicesOptions& options) {
  options.expand_open = options.expand_closed = options.expand_hidden = false;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view word = text.substr(start, comma - start);
    start = comma + 1;
    if (word == "open")
      options.expand_open = true;
    else if (word == "closed")
      options.expand_closed = true;
    else if (word == "hidden")
      options.expand_hidden = true;
    else if (word == "all")
      options.expand_open = options.expand_closed = options.expand_hidden = true;
    else if (word == "none")
      options.expand_open = options.expand_closed = options.expand_hidden = false;
    else
      return InvalidArgument("No valid expand wildcard value [" + std::string(word) + "]");
  }
  return {};
}

Status CheckAliasFilter(std::string_view name, const Alias& alias, const IndexMetadata& metadata,
                        const EngineOptions& options) {
  if (!alias.filter_json) return {};
  TIERCEL_TRY_ASSIGN(const json::Document filter, json::Document::Parse(*alias.filter_json));
  search::SearchTarget target;
  target.index = metadata.name;
  target.mapping = metadata.mapping;
  search::SearchEnvironment environment{options.search_pool, options.budget, options.clock, nullptr};
  search::QueryContext context;
  context.target = &target;
  context.now_ms = options.clock->WallMs();
  context.environment = &environment;
  Status status = search::ParseQuery(filter.root(), context).status();
  if (status.ok()) return {};
  return InvalidArgument("failed to parse filter for alias [" + std::string(name) + "]").WithCause(std::move(status));
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}

Engine::~Engine() {
  for (const std::shared_ptr<Index>& index : state_->catalog.All()) static_cast<void>(index->CloseShards(false).ok());
}

Status Engine::Close() {
  Status status;
  for (const std::shared_ptr<Index>& index : state_->catalog.All()) {
    if (Status closed = index->CloseShards(true); !closed.ok()) status = std::move(closed);
  }
  return status;
}

Result<std::unique_ptr<Engine>> Engine::Open(EngineOptions options) {
  auto state = std::make_unique<State>(options);
  TIERCEL_TRY_ASSIGN(StoredIndices stored, LoadIndices(*options.store));
  for (const std::string& uuid : stored.tombstoned) TIERCEL_TRY(RemoveIndex(*options.store, uuid));
  state->recovery_problems = std::move(stored.problems);
  for (IndexMetadata& metadata : stored.indices) {
    const std::string name = metadata.name;
    const std::string uuid = metadata.uuid;
    if (state->catalog.Find(name)) {
      state->recovery_problems.push_back(Corruption(IndexPrefix(uuid) + ": a second index named [" + name + "]"));
      continue;
    }
    state->catalog.Add(std::make_shared<Index>(state->options, std::move(metadata)));
  }
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

std::span<const Status> Engine::recovery_problems() const { return state_->recovery_problems; }

Result<CreateIndexResult> Engine::CreateIndex(std::string_view name, json::Value body) {
  TIERCEL_TRY_ASSIGN(const CreateBody parts, ParseCreateBody(body));
  TIERCEL_TRY(CheckIndexName(name));
  MutexLock lock(state_->names_mutex);
  if (const std::shared_ptr<Index> existing = state_->catalog.Find(name)) return AlreadyExists(*existing->metadata());
  if (state_->catalog.IsAlias(name)) return InvalidIndexName(name, "already exists as alias");
  IndexMetadata metadata;
  metadata.name = std::string(name);
  metadata.uuid = state_->NewUuid();
  metadata.creation_date_ms = state_->options.clock->WallMs();
  TIERCEL_TRY_ASSIGN(metadata.settings, IndexSettings::ParseForCreate(parts.settings));
  metadata.mapping = mapping::Mapping::Empty();
  if (parts.mappings.exists()) {
    TIERCEL_TRY_ASSIGN(metadata.mapping, mapping::Mapping::Parse(parts.mappings, metadata.settings.mapping_limits()));
  }
  TIERCEL_TRY_ASSIGN(metadata.aliases, ParseAliases(parts.aliases));
  for (const auto& [alias, properties] : metadata.aliases) {
    if (alias == name) return InvalidArgument("alias name [" + alias + "] self-conflicts with index name");
    TIERCEL_TRY(CheckNewAlias(alias, properties, metadata));
  }
  TIERCEL_TRY(state_->catalog.CheckWriteIndices({{metadata.name, metadata.aliases}}));
  TIERCEL_TRY(CommitMetadata(*state_->options.store, metadata));
  auto index = std::make_shared<Index>(state_->options, std::move(metadata));
  TIERCEL_CHECK(state_->catalog.Add(std::move(index)), "names are added under names_mutex");
  return CreateIndexResult{std::string(name)};
}

Status Engine::RemoveFromStore(Index& index) {
  const IndexMetadataPtr metadata = index.metadata();
  // From here on the index is gone, whatever happens next (E1); a failed removal is finished at the next start (E3).
  TIERCEL_TRY(PutTombstone(*state_->options.store, metadata->uuid));
  state_->catalog.Remove(metadata->name);
  static_cast<void>(index.CloseShards(false).ok());
  static_cast<void>(RemoveIndex(*state_->options.store, metadata->uuid).ok());
  return {};
}

Status Engine::DeleteIndices(std::string_view expression, const IndicesOptions& options) {
  IndicesOptions concrete = options;
  concrete.aliases_allowed = false;
  MutexLock lock(state_->names_mutex);
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, concrete));
  for (const ResolvedIndex& target : targets)
    TIERCEL_TRY(CheckBlock(*target.metadata, target.metadata->settings.metadata_block()));
  for (const ResolvedIndex& target : targets) TIERCEL_TRY(RemoveFromStore(*target.index));
  return {};
}

Result<std::vector<IndexMetadataPtr>> Engine::Resolve(std::string_view expression,
                                                      const IndicesOptions& options) const {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  std::vector<IndexMetadataPtr> metadata;
  for (const ResolvedIndex& target : targets) metadata.push_back(target.metadata);
  return metadata;
}

bool Engine::Exists(std::string_view expression, const IndicesOptions& options) const {
  IndicesOptions strict = options;
  strict.allow_no_indices = options.allow_no_indices && IsPattern(expression);
  const Result<std::vector<ResolvedIndex>> targets = state_->catalog.Resolve(expression, strict);
  return targets.ok();
}

Status Engine::OpenIndices(std::string_view expression, const IndicesOptions& options) {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  for (const ResolvedIndex& target : targets) {
    TIERCEL_TRY(target.index->Change([](IndexMetadata& metadata) -> Result<bool> {
      const bool changes = !metadata.open;
      metadata.open = true;
      return changes;
    }));
    if (!target.metadata->open) target.index->OpenShards();
  }
  return {};
}

Status Engine::CloseIndices(std::string_view expression, const IndicesOptions& options) {
  TIERCEL_TRY_ASSIGN(const std::vector<ResolvedIndex> targets, state_->catalog.Resolve(expression, options));
  for (const ResolvedIndex& target : targets) {
    TIERCEL_TRY(target.index->Change([](IndexMetadata& metadata) -> Result<bool> {
      const bool changes = metadata.open;
      metadata.open = false;
      return changes;
    }));
    TIERCEL_TRY(target.index->CloseShards(true));
  }
  return {};
}

}  // namespace tiercel::engine
