#include "tiercel/engine/index.h"

#include "tiercel/engine/engine.h"
#include "tiercel/engine/index_name.h"
#include "tiercel/engine/metadata_store.h"

namespace tiercel::engine {
namespace {

// How often a document is parsed again because another one changed the mapping in between.
constexpr int kParseAttempts = 10;

Result<mapping::ParsedDocument> ParseUnder(const IndexMetadata& metadata, std::string_view id, std::string source,
                                           std::optional<std::string>* update) {
  const mapping::DocumentParser parser(metadata.settings.mapping_limits());
  TIERCEL_TRY_ASSIGN(mapping::ParseResult parsed, parser.Parse(metadata.mapping, id, std::move(source)));
  *update = std::move(parsed.mapping_update_json);
  return std::move(parsed.document);
}

Result<mapping::ParsedDocument> ParseAgainst(const MetadataCell& cell, std::string_view id, std::string source) {
  std::optional<std::string> update;
  TIERCEL_TRY_ASSIGN(mapping::ParsedDocument document, ParseUnder(*cell.Get(), id, std::move(source), &update));
  if (update) return Internal("document [" + std::string(id) + "] needs fields that the mapping lacks: " + *update);
  return document;
}

}  // namespace

struct Index::Shards::Gone {
  Mutex mutex;
  CondVar condition;
  bool gone GUARDED_BY(mutex) = false;
};

Index::Shards::Shards(std::vector<Result<std::unique_ptr<shard::Shard>>> shards)
    : shards_(std::move(shards)), gone_(std::make_shared<Gone>()) {}

Index::Shards::~Shards() {
  shards_.clear();
  MutexLock lock(gone_->mutex);
  gone_->gone = true;
  gone_->condition.NotifyAll();
}

Result<shard::Shard*> Index::Shards::at(uint32_t number) const {
  if (!shards_[number].ok()) return shards_[number].error();
  return shards_[number].value().get();
}

std::function<void()> Index::Shards::Waiter() const {
  return [gone = gone_] {
    MutexLock lock(gone->mutex);
    while (!gone->gone) gone->condition.Wait(gone->mutex);
  };
}

Index::Index(const EngineOptions& options, IndexMetadata metadata)
    : options_(options),
      cell_(std::make_shared<MetadataCell>(std::make_shared<const IndexMetadata>(std::move(metadata)))) {
  if (cell_->Get()->open) OpenShards();
}

void Index::OpenShards() {
  const IndexMetadataPtr now = metadata();
  std::vector<Result<std::unique_ptr<shard::Shard>>> opened;
  for (uint32_t number = 0; number < now->settings.number_of_shards(); ++number) {
    shard::ShardOptions options;
    options.prefix = IndexPrefix(now->uuid) + "/" + std::to_string(number);
    options.settings = now->settings.shard_settings();
    options.store = options_.store;
    options.merge_pool = options_.merge_pool;
    options.budget = options_.budget;
    options.clock = options_.clock;
    options.background = options_.background;
    options.parse = [cell = cell_](std::string_view id, std::string source) {
      return ParseAgainst(*cell, id, std::move(source));
    };
    opened.push_back(shard::Shard::Open(std::move(options)));
  }
  auto shards = std::make_shared<Shards>(std::move(opened));
  MutexLock lock(shards_mutex_);
  shards_ = std::move(shards);
}

Result<std::shared_ptr<Index::Shards>> Index::shards() const {
  {
    MutexLock lock(shards_mutex_);
    if (shards_) return shards_;
  }
  const IndexMetadataPtr now = metadata();
  return now->open ? IndexNotFound(now->name) : IndexClosed(*now);
}

Status Index::Change(const std::function<Result<bool>(IndexMetadata&)>& change) {
  MutexLock lock(change_mutex_);
  IndexMetadata changed = *metadata();
  TIERCEL_TRY_ASSIGN(const bool differs, change(changed));
  if (!differs) return {};
  TIERCEL_TRY(CommitMetadata(*options_.store, changed));
  cell_->Set(std::make_shared<const IndexMetadata>(std::move(changed)));
  return {};
}

Result<mapping::ParsedDocument> Index::ParseAsMapped(std::string_view id, std::string source) const {
  return ParseAgainst(*cell_, id, std::move(source));
}

Result<mapping::ParsedDocument> Index::Parse(std::string_view id, std::string source) {
  for (int attempt = 0; attempt < kParseAttempts; ++attempt) {
    const IndexMetadataPtr now = metadata();
    std::optional<std::string> update;
    TIERCEL_TRY_ASSIGN(mapping::ParsedDocument document, ParseUnder(*now, id, source, &update));
    if (!update) return document;
    TIERCEL_TRY_ASSIGN(const json::Document json, json::Document::Parse(*update));
    TIERCEL_TRY(Change([&](IndexMetadata& changed) -> Result<bool> {
      // Somebody else's change may have brought the fields already, in another type perhaps: then the document is
      // parsed anew.
      if (changed.mapping != now->mapping) return false;
      TIERCEL_TRY_ASSIGN(changed.mapping, changed.mapping->Merge(json.root(), changed.settings.mapping_limits()));
      return true;
    }));
  }
  return Unavailable("the mapping of document [" + std::string(id) + "] kept changing while it was parsed");
}

Status Index::CloseShards(bool flush) {
  std::shared_ptr<Shards> shards;
  {
    MutexLock lock(shards_mutex_);
    shards.swap(shards_);
  }
  if (!shards) return {};
  Status status;
  for (uint32_t number = 0; flush && number < shards->size(); ++number) {
    const Result<shard::Shard*> shard = shards->at(number);
    if (!shard.ok()) continue;
    // What a failed flush leaves in the log is replayed when the index is opened again.
    if (Status flushed = (*shard)->Flush(); !flushed.ok()) status = std::move(flushed);
  }
  const std::function<void()> wait = shards->Waiter();
  shards.reset();
  wait();
  return status;
}

Status Index::ApplySettings() {
  Result<std::shared_ptr<Shards>> open = shards();
  if (!open.ok()) return {};
  const shard::ShardSettings settings = metadata()->settings.shard_settings();
  for (uint32_t number = 0; number < (*open)->size(); ++number) {
    const Result<shard::Shard*> shard = (*open)->at(number);
    if (shard.ok()) TIERCEL_TRY((*shard)->UpdateSettings(settings));
  }
  return {};
}

Status CheckBlock(const IndexMetadata& metadata, std::string_view block) {
  if (block.empty()) return {};
  const std::string message = "index [" + metadata.name + "] blocked by: [" + std::string(block) + "];";
  return (block.starts_with("TOO_MANY") ? ResourceExhausted(message) : Forbidden(message))
      .WithType("cluster_block_exception");
}

Status IndexClosed(const IndexMetadata& metadata) {
  return InvalidArgument("closed")
      .WithType("index_closed_exception")
      .With("index_uuid", metadata.uuid)
      .With("index", metadata.name);
}

Status InShard(Status status, const IndexMetadata& metadata, uint32_t shard_number) {
  return std::move(status)
      .With("index_uuid", metadata.uuid)
      .With("shard", std::to_string(shard_number))
      .With("index", metadata.name);
}

}  // namespace tiercel::engine
