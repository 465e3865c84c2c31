// Engine: the public C++ API. Indices, their documents and searches over them, on top of one object store.
//
//   TIERCEL_TRY_ASSIGN(std::unique_ptr<Engine> engine, Engine::Open({.store = &store, …}));
//   engine->CreateIndex("books", body);
//   engine->Write({.index = "books", .id = "1", .source = R"({"title":"x"})"}, RefreshPolicy::kImmediate);
//   engine->Search({.indices = "books", .body = body});
//
// Every error is worded as Elasticsearch words it, with type and attributes, ready for a REST answer.
//
// Thread safety: all methods from any thread. Changes of one index's metadata are serialised; writes to different
// shards are not. Lifetime: borrows everything in EngineOptions; the destructor waits for running operations and
// flushes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/clock.h"
#include "tiercel/base/result.h"
#include "tiercel/engine/alias.h"
#include "tiercel/engine/bulk.h"
#include "tiercel/engine/documents.h"
#include "tiercel/engine/index_metadata.h"
#include "tiercel/json/value.h"
#include "tiercel/runtime/cancellation.h"
#include "tiercel/runtime/memory_budget.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/search/search.h"
#include "tiercel/shard/shard.h"
#include "tiercel/store/object_store.h"

namespace tiercel::engine {

struct EngineOptions {
  store::ObjectStore* store = nullptr;
  runtime::ThreadPool* search_pool = nullptr;
  runtime::ThreadPool* write_pool = nullptr;
  runtime::ThreadPool* merge_pool = nullptr;
  runtime::MemoryBudget* budget = nullptr;
  Clock* clock = nullptr;
  bool background = true;         // shards refresh, merge and sync on their own
  bool auto_create_index = true;  // a write to a missing index creates it
  uint64_t uuid_seed = 0;         // 0: from the operating system; tests fix it
};

// How an index expression ("a,b*,-bad,_all") is resolved.
struct IndicesOptions {
  bool ignore_unavailable = false;
  bool allow_no_indices = true;
  bool expand_open = true;
  bool expand_closed = false;
  bool expand_hidden = false;
  bool forbid_closed = false;   // a closed index is index_closed_exception
  bool aliases_allowed = true;  // false: an alias is an error (delete index)
};
// expand_wildcards=open,closed,hidden,none,all.
Status ParseExpandWildcards(std::string_view text, IndicesOptions& options);

using IndexMetadataPtr = std::shared_ptr<const IndexMetadata>;
class Index;
struct ResolvedWrite;

struct CreateIndexResult {
  std::string index;
};

// "_shards" of maintenance operations.
struct ShardsResult {
  uint32_t total = 0, successful = 0, failed = 0;
  struct Failure {
    std::string index;
    uint32_t shard;
    Status status;
  };
  std::vector<Failure> failures;
};

struct IndexStats {
  IndexMetadataPtr metadata;
  std::vector<shard::ShardStats> shards;
};

struct IndexSegments {
  IndexMetadataPtr metadata;
  std::vector<std::vector<shard::Shard::SegmentStatus>> shards;
};

struct SearchCall {
  std::string indices;  // expression; empty means _all
  IndicesOptions indices_options;
  json::Value body;  // may be a default Value
  search::UrlParameters url;
  const runtime::Cancellation* cancellation = nullptr;
};

struct CountResult {
  uint64_t count = 0;
  std::string shards_json;  // the _shards object
};

struct AliasesOf {
  IndexMetadataPtr metadata;
  Aliases aliases;  // the matching ones
};

struct ForceMergeOptions {
  std::optional<uint32_t> max_num_segments;
  bool only_expunge_deletes = false;
  bool flush = true;
};

class Engine {
 public:
  // Recovers all indices; finishes deletions that a crash interrupted.
  static Result<std::unique_ptr<Engine>> Open(EngineOptions options);
  // Closes without a flush, as a crash would.
  ~Engine();
  // Flushes and closes every index, so that the next Open has no log to replay. The engine serves no index afterwards.
  // What could not be flushed is still in its log; the last such error is returned.
  Status Close();
  // Indices that Open could not read, each naming its object; they stay in the store untouched.
  std::span<const Status> recovery_problems() const;

  // ---- indices ----
  // `body`: {"settings":…, "mappings":…, "aliases":…}, or a default Value.
  Result<CreateIndexResult> CreateIndex(std::string_view name, json::Value body);
  Status DeleteIndices(std::string_view expression, const IndicesOptions& options);
  // Metadata of the matching indices, sorted by name; at least one unless the options allow none.
  Result<std::vector<IndexMetadataPtr>> Resolve(std::string_view expression, const IndicesOptions& options) const;
  // For HEAD: whether Resolve would find something and nothing missing.
  bool Exists(std::string_view expression, const IndicesOptions& options) const;
  Status OpenIndices(std::string_view expression, const IndicesOptions& options);
  Status CloseIndices(std::string_view expression, const IndicesOptions& options);

  Status UpdateSettings(std::string_view expression, const IndicesOptions& options, json::Value settings,
                        bool preserve_existing = false);
  Status PutMapping(std::string_view expression, const IndicesOptions& options, json::Value mapping);

  // ---- aliases ----
  // Checked as a whole before anything changes; then each index's change is durable on its own.
  Result<AliasUpdateResult> UpdateAliases(std::vector<AliasAction> actions);
  // Aliases whose name matches one of the comma-separated `names` (empty or _all: every alias) on the matching indices.
  // Indices without a matching alias are left out when `names` was given. `missing` gets the plain names that nobody
  // has.
  Result<std::vector<AliasesOf>> GetAliases(std::string_view expression, std::string_view names,
                                            const IndicesOptions& options, std::vector<std::string>* missing) const;

  // ---- documents ----
  Result<WriteResult> Write(WriteRequest request, RefreshPolicy refresh);
  BulkResponse Bulk(BulkRequest request, RefreshPolicy refresh);
  // found == false for a missing document; an error for a missing index or a version conflict.
  Result<GetResult> Get(const GetRequest& request);

  // ---- search ----
  Result<search::SearchOutcome> Search(const SearchCall& call);
  // body: {"query":…} or default; url: q, df, default_operator, …
  Result<CountResult> Count(const SearchCall& call);
  // Snapshots of what an expression resolves to, with alias filters, for callers that run several searches over one
  // view. `routing` (comma-separated) restricts the shards.
  Result<std::vector<search::SearchTarget>> AcquireTargets(std::string_view expression, const IndicesOptions& options,
                                                           std::string_view routing = {});
  search::SearchEnvironment Environment(const runtime::Cancellation* cancellation) const;

  // ---- maintenance ----
  Result<ShardsResult> Refresh(std::string_view expression, const IndicesOptions& options);
  Result<ShardsResult> Flush(std::string_view expression, const IndicesOptions& options);
  Result<ShardsResult> ForceMerge(std::string_view expression, const IndicesOptions& options,
                                  const ForceMergeOptions& merge);
  Result<std::vector<IndexStats>> Stats(std::string_view expression, const IndicesOptions& options) const;
  Result<std::vector<IndexSegments>> Segments(std::string_view expression, const IndicesOptions& options) const;
  // Where a document with this routing (or id) lies.
  static uint32_t ShardOf(std::string_view routing_or_id, uint32_t number_of_shards);

 private:
  struct State;
  struct AliasPlan;
  Status CheckNewAlias(std::string_view alias, const Alias& properties, const IndexMetadata& metadata) const;
  // False when the action finds nothing to remove.
  Result<bool> PlanAliasAction(const AliasAction& action, AliasPlan& plan) const;
  Status RemoveFromStore(Index& index);
  // Where an operation goes, creating the index when it may. Completes the request: id, routing.
  Result<ResolvedWrite> ResolveForWrite(WriteRequest& request);
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::engine
