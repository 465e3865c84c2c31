#include "tiercel/engine/write_batch.h"

#include <utility>

namespace tiercel::engine {
namespace {

Status DocumentMissing(const std::string& id) {
  return NotFound("[" + id + "]: document missing").WithType("document_missing_exception");
}

Status SequenceConflict(const WriteRequest& request, int64_t if_seq_no, int64_t if_term,
                        const shard::StoredDocument& stored) {
  return Conflict("[" + request.id + "]: version conflict, required seqNo [" + std::to_string(if_seq_no) +
                  "], primary term [" + std::to_string(if_term) + "]. current document has seqNo [" +
                  std::to_string(stored.seq_no) + "] and primary term [" + std::to_string(stored.primary_term) + "]")
      .WithType("version_conflict_engine_exception");
}

Status ScriptsUnsupported() {
  return InvalidArgument("failed to execute script").WithCause(InvalidArgument("script_lang not supported [painless]"));
}

WriteResult::Outcome OutcomeOf(shard::OperationResult::Outcome outcome) {
  switch (outcome) {
    case shard::OperationResult::Outcome::kCreated:
      return WriteResult::Outcome::kCreated;
    case shard::OperationResult::Outcome::kUpdated:
      return WriteResult::Outcome::kUpdated;
    case shard::OperationResult::Outcome::kDeleted:
      return WriteResult::Outcome::kDeleted;
    case shard::OperationResult::Outcome::kNotFound:
      return WriteResult::Outcome::kNotFound;
  }
  return WriteResult::Outcome::kNotFound;
}

GetResult Returned(const WriteRequest& request, const std::string& source, const search::SourceFilter& filter) {
  GetResult get;
  get.id = request.id;
  get.found = true;
  get.routing = request.routing;
  if (filter.enabled) get.source = filter.passes_all() ? source : search::FilterSource(source, filter);
  return get;
}

}  // namespace

WriteBatch::WriteBatch(Index& index, shard::Shard& shard, uint32_t shard_number)
    : index_(index), shard_(shard), shard_number_(shard_number), metadata_(index.metadata()) {}

void WriteBatch::Run(const std::vector<PendingWrite*>& writes) {
  for (PendingWrite* write : writes) Enqueue(*write, write->request->retry_on_conflict);
  Apply();
}

void WriteBatch::Enqueue(PendingWrite& write, uint32_t retries_left) {
  const bool is_update = write.request->kind == OperationKind::kUpdate;
  if (const auto same = queued_ids_.find(write.request->id); same != queued_ids_.end() && (is_update || same->second))
    Apply();
  Queued queued{&write, std::nullopt, retries_left};
  Result<std::optional<shard::Operation>> operation = Prepare(write, queued.get);
  if (!operation.ok()) {
    write.result.emplace(std::move(operation).status());
    return;
  }
  if (!operation->has_value()) return;
  operations_.push_back(std::move(**operation));
  queued_.push_back(std::move(queued));
  queued_ids_[write.request->id] |= is_update;
}

Result<shard::Operation> WriteBatch::WithDocument(const WriteRequest& request, shard::Operation::Kind kind,
                                                  std::string source) {
  TIERCEL_TRY_ASSIGN(mapping::ParsedDocument parsed, index_.Parse(request.id, std::move(source)));
  parsed.routing = request.routing;
  shard::Operation operation;
  operation.kind = kind;
  operation.id = request.id;
  operation.routing = request.routing;
  operation.document = std::make_unique<mapping::ParsedDocument>(std::move(parsed));
  return operation;
}

Result<std::optional<shard::Operation>> WriteBatch::Prepare(PendingWrite& write, std::optional<GetResult>& get) {
  WriteRequest& request = *write.request;
  if (request.kind == OperationKind::kUpdate) return PrepareUpdate(write, get);
  shard::Operation operation;
  if (request.kind == OperationKind::kDelete) {
    operation.kind = shard::Operation::Kind::kDelete;
    operation.id = request.id;
    operation.routing = request.routing;
  } else {
    const auto kind =
        request.kind == OperationKind::kCreate ? shard::Operation::Kind::kCreate : shard::Operation::Kind::kIndex;
    if (write.parsed) {
      operation.kind = kind;
      operation.id = request.id;
      operation.routing = request.routing;
      operation.document = std::make_unique<mapping::ParsedDocument>(std::move(*write.parsed));
      operation.document->routing = request.routing;
    } else {
      TIERCEL_TRY_ASSIGN(operation, WithDocument(request, kind, std::move(request.source)));
    }
  }
  operation.if_seq_no = request.if_seq_no;
  operation.if_primary_term = request.if_primary_term;
  operation.version = request.version;
  operation.version_type = request.version_type;
  return std::optional<shard::Operation>(std::move(operation));
}

Result<std::optional<shard::Operation>> WriteBatch::PrepareUpsert(PendingWrite& write, const UpdateBody& body,
                                                                  std::optional<GetResult>& get) {
  const WriteRequest& request = *write.request;
  const bool as_upsert = request.doc_as_upsert.value_or(body.doc_as_upsert);
  const json::Value inserted = as_upsert ? body.doc : body.upsert;
  if (!inserted.exists()) return InShard(DocumentMissing(request.id), *metadata_, shard_number_);
  std::string source(inserted.raw());
  const auto& filter = body.return_source ? body.return_source : request.return_source;
  if (filter) get = Returned(request, source, *filter);
  TIERCEL_TRY_ASSIGN(shard::Operation operation,
                     WithDocument(request, shard::Operation::Kind::kCreate, std::move(source)));
  return std::optional<shard::Operation>(std::move(operation));
}

Result<std::optional<shard::Operation>> WriteBatch::PrepareUpdate(PendingWrite& write, std::optional<GetResult>& get) {
  const WriteRequest& request = *write.request;
  TIERCEL_TRY_ASSIGN(const UpdateBody body, ParseUpdateBody(request.source));
  TIERCEL_TRY_ASSIGN(const std::optional<shard::StoredDocument> stored, shard_.Get(request.id));
  if (!stored) return PrepareUpsert(write, body, get);
  const std::optional<int64_t> if_seq_no = body.if_seq_no ? body.if_seq_no : request.if_seq_no;
  const int64_t if_term = (body.if_primary_term ? body.if_primary_term : request.if_primary_term).value_or(0);
  if (if_seq_no && (*if_seq_no != stored->seq_no || if_term != stored->primary_term)) {
    return InShard(SequenceConflict(request, *if_seq_no, if_term, *stored), *metadata_, shard_number_);
  }
  if (body.script.exists()) return ScriptsUnsupported();
  TIERCEL_TRY_ASSIGN(const json::Document source, json::Document::Parse(stored->source));
  MergedSource merged = MergeSource(source.root(), body.doc);
  const auto& filter = body.return_source ? body.return_source : request.return_source;
  if (filter) get = Returned(request, merged.json, *filter);
  if (!merged.changed && request.detect_noop.value_or(body.detect_noop)) {
    WriteResult noop = Base(request);
    noop.outcome = WriteResult::Outcome::kNoop;
    noop.version = stored->version;
    noop.seq_no = stored->seq_no;
    noop.primary_term = stored->primary_term;
    if (get) {
      get->seq_no = stored->seq_no;
      get->primary_term = stored->primary_term;
    }
    noop.get = std::move(get);
    write.result.emplace(std::move(noop));
    return std::optional<shard::Operation>();
  }
  TIERCEL_TRY_ASSIGN(shard::Operation operation,
                     WithDocument(request, shard::Operation::Kind::kIndex, std::move(merged.json)));
  operation.if_seq_no = stored->seq_no;
  operation.if_primary_term = stored->primary_term;
  return std::optional<shard::Operation>(std::move(operation));
}

void WriteBatch::Apply() {
  if (operations_.empty()) return;
  std::vector<shard::Operation> operations = std::exchange(operations_, {});
  std::vector<Queued> queued = std::exchange(queued_, {});
  queued_ids_.clear();
  const std::vector<shard::OperationResult> outcomes = shard_.Apply(operations);
  TIERCEL_CHECK(outcomes.size() == queued.size(), "a shard answers every operation");
  for (size_t i = 0; i < queued.size(); ++i) Settle(queued[i], outcomes[i]);
}

void WriteBatch::Settle(Queued& queued, const shard::OperationResult& outcome) {
  const WriteRequest& request = *queued.write->request;
  if (outcome.status.code() == Code::kConflict) {
    if (request.kind == OperationKind::kUpdate && queued.retries_left > 0) {
      // Somebody else changed the document between our read and our write; nothing of ours is pending, so order is
      // kept.
      Enqueue(*queued.write, queued.retries_left - 1);
      if (!queued.write->result) Apply();
      return;
    }
    queued.write->result.emplace(InShard(outcome.status, *metadata_, shard_number_));
    return;
  }
  if (!outcome.status.ok()) {
    queued.write->result.emplace(outcome.status);
    return;
  }
  WriteResult result = Base(request);
  result.outcome = OutcomeOf(outcome.outcome);
  result.version = outcome.version;
  result.seq_no = outcome.seq_no;
  result.primary_term = outcome.primary_term;
  if (queued.get) {
    queued.get->seq_no = outcome.seq_no;
    queued.get->primary_term = outcome.primary_term;
    queued.get->version = outcome.version;
    result.get = std::move(queued.get);
  }
  queued.write->result.emplace(std::move(result));
}

WriteResult WriteBatch::Base(const WriteRequest& request) const {
  WriteResult result;
  result.index = metadata_->name;
  result.id = request.id;
  result.copies_total = 1 + metadata_->settings.number_of_replicas();
  return result;
}

}  // namespace tiercel::engine
