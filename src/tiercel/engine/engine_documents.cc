// Writes and reads of documents: finding the index (or creating it), splitting a request over shards, refreshing after
// it.
#include <algorithm>
#include <map>

#include "tiercel/engine/engine.h"
#include "tiercel/engine/engine_state.h"
#include "tiercel/engine/index_name.h"
#include "tiercel/engine/routing.h"
#include "tiercel/engine/write_batch.h"
#include "tiercel/engine/write_validation.h"

namespace tiercel::engine {
namespace {

// How many documents one task parses, so that a bulk request spreads over the pool without a task per document.
constexpr size_t kParseChunk = 32;

// The part of a request that goes to one shard.
struct ShardPart {
  std::shared_ptr<Index> index;
  std::shared_ptr<Index::Shards> shards;
  uint32_t number = 0;
  std::vector<PendingWrite*> writes;
};

Status RequireAliasFailure(const std::string& name) {
  return NotFound("no such index [" + name + "] and [require_alias] request flag is [true] and [" + name +
                  "] is not an alias")
      .WithType("index_not_found_exception")
      .With("index_uuid", "_na_")
      .With("index", name);
}

// The alias' routing where the request has none; an error when they disagree.
Status ApplyAliasRouting(const std::string& name, const Alias& alias, std::string& routing) {
  if (!alias.index_routing) return {};
  if (!routing.empty() && routing != *alias.index_routing) {
    return InvalidArgument("Alias [" + name + "] has index routing associated with it [" + *alias.index_routing +
                           "], and was provided with routing value [" + routing + "], rejecting operation");
  }
  routing = *alias.index_routing;
  return {};
}

void Refresh(const ShardPart& part, RefreshPolicy policy) {
  if (policy == RefreshPolicy::kNone) return;
  const bool wrote = std::any_of(part.writes.begin(), part.writes.end(),
                                 [](const PendingWrite* write) { return write->result->ok(); });
  const Result<shard::Shard*> shard = part.shards->at(part.number);
  if (!wrote || !shard.ok()) return;
  const Status status = policy == RefreshPolicy::kImmediate ? (*shard)->Refresh().status() : (*shard)->WaitForRefresh();
  for (PendingWrite* write : part.writes) {
    if (!write->result->ok()) continue;
    // The write is durable, but the caller was promised that it can be searched.
    if (!status.ok())
      write->result.emplace(status);
    else
      write->result->value().forced_refresh = policy == RefreshPolicy::kImmediate;
  }
}

void RunPart(const ShardPart& part, RefreshPolicy policy) {
  const Result<shard::Shard*> shard = part.shards->at(part.number);
  if (!shard.ok()) {
    for (PendingWrite* write : part.writes) write->result.emplace(shard.error());
    return;
  }
  WriteBatch(*part.index, **shard, part.number).Run(part.writes);
  Refresh(part, policy);
}

// Parses documents in parallel under the mapping as it is. What fails or needs new fields is parsed again in its turn,
// so that which document introduces a field does not depend on timing.
void ParseAhead(const std::map<std::pair<Index*, uint32_t>, ShardPart>& parts, runtime::ThreadPool& pool) {
  std::vector<std::pair<Index*, PendingWrite*>> documents;
  for (const auto& [key, part] : parts) {
    for (PendingWrite* write : part.writes) {
      if (write->request->kind == OperationKind::kIndex || write->request->kind == OperationKind::kCreate)
        documents.emplace_back(part.index.get(), write);
    }
  }
  if (documents.size() < 2 * kParseChunk) return;
  pool.ParallelFor((documents.size() + kParseChunk - 1) / kParseChunk, [&](size_t chunk) {
    const size_t end = std::min(documents.size(), (chunk + 1) * kParseChunk);
    for (size_t i = chunk * kParseChunk; i < end; ++i) {
      const auto& [index, write] = documents[i];
      Result<mapping::ParsedDocument> parsed = index->ParseAsMapped(write->request->id, write->request->source);
      if (parsed.ok()) write->parsed.emplace(std::move(*parsed));
    }
  });
}

}  // namespace

Result<ResolvedWrite> Engine::ResolveForWrite(WriteRequest& request) {
  if (request.require_alias && !state_->catalog.IsAlias(request.index)) return RequireAliasFailure(request.index);
  TIERCEL_TRY_ASSIGN(ResolvedWrite target, state_->catalog.ResolveWrite(request.index));
  if (!target.index) {
    const bool creates =
        request.kind != OperationKind::kDelete || request.version_type != shard::VersionType::kInternal;
    if (!creates || !state_->options.auto_create_index) return IndexNotFound(request.index);
    const Result<CreateIndexResult> created = CreateIndex(request.index, json::Value());
    if (!created.ok() && created.error().type() != "resource_already_exists_exception") return created.error();
    TIERCEL_TRY_ASSIGN(target, state_->catalog.ResolveWrite(request.index));
    if (!target.index) return IndexNotFound(request.index);
  }
  TIERCEL_TRY(CheckBlock(*target.metadata, target.metadata->settings.write_block()));
  if (request.require_data_stream) {
    return NotFound("[require_data_stream] request flag is [true] and [" + request.index + "] is not a data stream");
  }
  if (target.alias) TIERCEL_TRY(ApplyAliasRouting(request.index, *target.alias, request.routing));
  if (!request.pipeline.empty() && request.pipeline != "_none") {
    return InvalidArgument("pipeline with id [" + request.pipeline + "] does not exist");
  }
  if (request.id_given && request.id.empty()) return InvalidArgument("if _id is specified it must not be empty");
  if (!request.id_given) {
    request.id = state_->NewUuid();
    request.id_given = true;
  }
  if (request.source.empty() && request.kind != OperationKind::kDelete) {
    return InvalidArgument("[0:0] failed to parse, document is empty").WithType("document_parsing_exception");
  }
  return target;
}

BulkResponse Engine::Bulk(BulkRequest request, RefreshPolicy refresh) {
  const int64_t start_ms = state_->options.clock->MonotonicMs();
  uint64_t bytes = 0;
  for (const WriteRequest& operation : request.operations) bytes += operation.source.size();
  const Result<runtime::MemoryCharge> charge = state_->options.budget->indexing().Charge(bytes, "<bulk>");
  std::vector<PendingWrite> writes(request.operations.size());
  std::map<std::pair<Index*, uint32_t>, ShardPart> parts;
  for (size_t i = 0; i < writes.size(); ++i) {
    WriteRequest& operation = request.operations[i];
    writes[i].request = &operation;
    if (!charge.ok()) {
      writes[i].result.emplace(charge.error());
      continue;
    }
    Result<ResolvedWrite> target = ResolveForWrite(operation);
    Result<std::shared_ptr<Index::Shards>> shards = target.ok() ? target->index->shards() : target.error();
    if (!shards.ok()) {
      writes[i].result.emplace(shards.error());
      continue;
    }
    const uint32_t number =
        ShardNumber(operation.routing.empty() ? operation.id : operation.routing, (*shards)->size());
    ShardPart& part = parts[{target->index.get(), number}];
    part.index = target->index;
    part.shards = std::move(*shards);
    part.number = number;
    part.writes.push_back(&writes[i]);
    operation.index = target->metadata->name;
  }
  ParseAhead(parts, *state_->options.write_pool);
  std::vector<const ShardPart*> ordered;
  for (const auto& [key, part] : parts) ordered.push_back(&part);
  state_->options.write_pool->ParallelFor(ordered.size(), [&](size_t i) { RunPart(*ordered[i], refresh); });
  BulkResponse response;
  for (PendingWrite& write : writes) {
    TIERCEL_CHECK(write.result.has_value(), "every operation is answered");
    const WriteRequest& operation = *write.request;
    response.items.push_back(
        {operation.kind, operation.index, operation.id, operation.id_given, std::move(*write.result)});
  }
  response.took_ms = state_->options.clock->MonotonicMs() - start_ms;
  return response;
}

Result<WriteResult> Engine::Write(WriteRequest request, RefreshPolicy refresh) {
  std::vector<std::string> problems;
  if (request.kind == OperationKind::kUpdate && !request.source.empty()) {
    TIERCEL_TRY_ASSIGN(const UpdateBody update, ParseUpdateBody(request.source));
    AddProblems(request, &update, problems);
  } else {
    AddProblems(request, nullptr, problems);
  }
  TIERCEL_TRY(ValidationFailure(problems));
  if (request.source.empty() && (request.kind == OperationKind::kIndex || request.kind == OperationKind::kCreate)) {
    return InvalidArgument("request body is required").WithType("parse_exception");
  }
  BulkRequest bulk;
  bulk.operations.push_back(std::move(request));
  BulkResponse response = Bulk(std::move(bulk), refresh);
  Result<WriteResult> result = std::move(response.items[0].result);
  if (result.ok() && result->outcome == WriteResult::Outcome::kNoop) {
    // Alone, a noop reaches no copy; in a bulk request it is answered like any other item of its shard.
    result->copies_total = 0;
    result->copies_successful = 0;
    result->forced_refresh = false;
  }
  return result;
}

Result<GetResult> Engine::Get(const GetRequest& request) {
  TIERCEL_TRY_ASSIGN(const ResolvedWrite target, state_->catalog.ResolveGet(request.index));
  TIERCEL_TRY(CheckBlock(*target.metadata, target.metadata->settings.read_block()));
  std::string routing = request.routing;
  if (target.alias) TIERCEL_TRY(ApplyAliasRouting(request.index, *target.alias, routing));
  TIERCEL_TRY_ASSIGN(const std::shared_ptr<Index::Shards> shards, target.index->shards());
  const uint32_t number = ShardNumber(routing.empty() ? request.id : routing, shards->size());
  TIERCEL_TRY_ASSIGN(shard::Shard* const shard, shards->at(number));
  if (request.refresh) TIERCEL_TRY(shard->Refresh().status());
  TIERCEL_TRY_ASSIGN(std::optional<shard::StoredDocument> stored, shard->Get(request.id, request.realtime));
  GetResult result;
  result.index = target.metadata->name;
  result.id = request.id;
  if (!stored) return result;
  if (request.version && *request.version != stored->version) {
    return InShard(
        Conflict("[" + request.id + "]: version conflict, current version [" + std::to_string(stored->version) +
                 "] is different than the one provided [" + std::to_string(*request.version) + "]")
            .WithType("version_conflict_engine_exception"),
        *target.metadata, number);
  }
  result.found = true;
  result.version = stored->version;
  result.seq_no = stored->seq_no;
  result.primary_term = stored->primary_term;
  result.routing = std::move(stored->routing);
  if (!request.source.enabled) return result;
  result.source =
      request.source.passes_all() ? std::move(stored->source) : search::FilterSource(stored->source, request.source);
  return result;
}

uint32_t Engine::ShardOf(std::string_view routing_or_id, uint32_t number_of_shards) {
  return ShardNumber(routing_or_id, number_of_shards);
}

}  // namespace tiercel::engine
