#include "tiercel/shard/write_batch.h"

#include <string>
#include <utility>

namespace tiercel::shard {

void WritePath::Stage(Operation& operation, OperationResult& result, Batch& batch) {
  if (result.status = context_.failure(); !result.status.ok()) return;
  Staged staged{.operation = &operation, .result = &result, .doc = std::nullopt, .before = {}};
  const auto overlaid = batch.overlay.find(operation.id);
  if (overlaid != batch.overlay.end()) {
    staged.first_on_id = false;
    staged.before.known = overlaid->second;
  } else {
    auto located = Locate(operation.id);
    if (!located.ok()) {
      result.status = std::move(located).status().WithContext("looking for document [" + operation.id + "]");
      return;
    }
    staged.before = std::move(located).value();
  }
  auto decision = DecideVersion(operation, staged.before.known);
  if (!decision.ok()) {
    result.status = std::move(decision).status();
    if (!staged.first_on_id) batch.refused_by_batch.push_back(&result);
    return;
  }
  KnownVersion next{
      .state = KnownVersion::State::kDeleted, .seq_no = next_seq_no_, .primary_term = 0, .version = decision->version};
  next.primary_term = static_cast<int64_t>(primary_term());
  if (operation.kind != Operation::Kind::kDelete) {
    if (!operation.document) {
      result.status = InvalidArgument("[" + operation.id + "]: an index operation needs a document");
      return;
    }
    next.state = KnownVersion::State::kLive;
    auto doc = batch.buffer->Stage(*operation.document,
                                   {.seq_no = next.seq_no, .primary_term = next.primary_term, .version = next.version});
    if (!doc.ok()) {
      result.status = std::move(doc).status();
      return;
    }
    staged.doc = *doc;
  }
  ++next_seq_no_;
  result.seq_no = next.seq_no;
  result.primary_term = next.primary_term;
  result.version = next.version;
  result.outcome = decision->outcome;
  batch.overlay.insert_or_assign(operation.id, next);
  batch.staged.push_back(std::move(staged));
}

Status WritePath::Log(const Batch& batch) {
  std::vector<LogRecord> records;
  records.reserve(batch.staged.size());
  for (const Staged& staged : batch.staged) {
    LogRecord record;
    record.seq_no = staged.result->seq_no;
    record.version = staged.result->version;
    record.id = staged.operation->id;
    if (staged.doc) {
      record.routing = staged.operation->document->routing;
      record.source = staged.operation->document->source;
    } else {
      record.kind = LogRecord::Kind::kDelete;
    }
    records.push_back(record);
  }
  return Fence(log_->Append(records, context_.settings()->durability == Durability::kRequest));
}

void WritePath::Abandon(Batch& batch, const Status& why) {
  next_seq_no_ = batch.staged.front().result->seq_no;
  for (const Staged& staged : batch.staged) {
    if (staged.doc) batch.buffer->Abandon(*staged.doc);
    *staged.result = OperationResult{.status = why};
  }
  for (OperationResult* refused : batch.refused_by_batch) *refused = OperationResult{.status = why};
}

void WritePath::Enter(Batch& batch) {
  const int64_t now_ms = context_.clock().MonotonicMs();
  const int64_t gc_deletes_ms = context_.settings()->gc_deletes_ms;
  MutexLock lock(state_mutex_);
  for (Staged& staged : batch.staged) {
    const std::string& id = staged.operation->id;
    const auto previous = versions_.Find(id, now_ms, gc_deletes_ms);
    if (previous && previous->known.state == KnownVersion::State::kLive && previous->buffer == batch.buffer) {
      batch.buffer->Kill(previous->doc);
    } else if (staged.first_on_id && staged.before.elsewhere) {
      batch.buffer->DeleteElsewhere(
          {.id = id, .hint = std::move(staged.before.segment), .hint_doc = staged.before.doc});
    }
    VersionEntry entry;
    entry.known = {.state = staged.doc ? KnownVersion::State::kLive : KnownVersion::State::kDeleted,
                   .seq_no = staged.result->seq_no,
                   .primary_term = staged.result->primary_term,
                   .version = staged.result->version};
    if (staged.doc) {
      entry.buffer = batch.buffer;
      entry.doc = *staged.doc;
      ++context_.counters().index_total;
    } else {
      entry.deleted_at_ms = now_ms;
      ++context_.counters().delete_total;
    }
    versions_.Put(id, std::move(entry));
  }
}

Status WritePath::Replay(const LogRecord& record) {
  MutexLock commit(commit_mutex_);
  std::shared_ptr<WriteBuffer> buffer;
  {
    MutexLock lock(state_mutex_);
    buffer = buffer_;
  }
  VersionEntry entry;
  entry.known = {.state = KnownVersion::State::kDeleted,
                 .seq_no = record.seq_no,
                 .primary_term = record.primary_term,
                 .version = record.version};
  if (record.kind == LogRecord::Kind::kIndex) {
    if (!context_.options().parse) return InvalidArgument("a log with documents can only be replayed with a parser");
    TIERCEL_TRY_ASSIGN(mapping::ParsedDocument document,
                       context_.options().parse(record.id, std::string(record.source)));
    document.routing = std::string(record.routing);
    TIERCEL_TRY_ASSIGN(entry.doc, buffer->Stage(document, {.seq_no = record.seq_no,
                                                           .primary_term = record.primary_term,
                                                           .version = record.version}));
    entry.known.state = KnownVersion::State::kLive;
    entry.buffer = buffer;
  } else {
    entry.deleted_at_ms = context_.clock().MonotonicMs();
  }
  const std::string id(record.id);
  MutexLock lock(state_mutex_);
  const auto previous = versions_.Find(id, context_.clock().MonotonicMs(), INT64_MAX);
  if (previous && previous->buffer == buffer) {
    buffer->Kill(previous->doc);
  } else if (!previous || previous->known.state == KnownVersion::State::kLive) {
    buffer->DeleteElsewhere({.id = id, .hint = nullptr});
  }
  versions_.Put(id, std::move(entry));
  next_seq_no_ = record.seq_no + 1;
  return {};
}

}  // namespace tiercel::shard
