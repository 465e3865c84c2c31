#include "tiercel/shard/write_path.h"

#include <algorithm>
#include <utility>

#include "tiercel/shard/write_batch.h"

namespace tiercel::shard {
namespace {

// Requests beyond this many bytes wait for the next batch, so that a batch's latency and memory stay bounded.
constexpr uint64_t kBatchBytes = 32ull << 20;

uint64_t BytesOf(std::span<const Operation> operations) {
  uint64_t bytes = 0;
  for (const Operation& operation : operations) {
    bytes += operation.id.size() + (operation.document ? operation.document->source.size() : 0);
  }
  return bytes;
}

}  // namespace

WritePath::WritePath(ShardContext& context, SegmentRegistry& registry)
    : context_(context),
      registry_(registry),
      buffer_(std::make_shared<WriteBuffer>(context.options().settings.codec, context.options().budget)) {}

std::vector<OperationResult> WritePath::Apply(std::span<Operation> operations) {
  if (operations.empty()) return {};
  Request request{.operations = operations,
                  .results = std::vector<OperationResult>(operations.size()),
                  .bytes = BytesOf(operations)};
  {
    MutexLock lock(queue_mutex_);
    queue_.push_back(&request);
  }
  MutexLock lock(commit_mutex_);
  while (!request.done) Lead();
  return std::move(request.results);
}

void WritePath::Lead() {
  const ScopedTimer timer(context_.clock(), context_.counters().index_ns);
  std::vector<Request*> requests;
  {
    MutexLock lock(queue_mutex_);
    uint64_t bytes = 0;
    size_t taken = 0;
    while (taken < queue_.size() && (taken == 0 || bytes + queue_[taken]->bytes <= kBatchBytes))
      bytes += queue_[taken++]->bytes;
    requests.assign(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(taken));
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(taken));
  }
  Batch batch;
  {
    MutexLock lock(state_mutex_);
    batch.buffer = buffer_;
  }
  for (Request* request : requests) {
    for (size_t i = 0; i < request->operations.size(); ++i) Stage(request->operations[i], request->results[i], batch);
  }
  if (!batch.staged.empty()) {
    const Status logged = Log(batch);
    if (logged.ok()) {
      Enter(batch);
    } else {
      Abandon(batch, logged);
    }
    NoteProgress();
  }
  for (Request* request : requests) request->done = true;
}

Result<WritePath::Located> WritePath::Locate(std::string_view id) {
  std::shared_ptr<const SegmentSet> set;
  {
    MutexLock lock(state_mutex_);
    const auto entry = versions_.Find(id, context_.clock().MonotonicMs(), context_.settings()->gc_deletes_ms);
    if (entry) {
      Located located{.known = entry->known};
      located.elsewhere = entry->known.state == KnownVersion::State::kLive && entry->buffer != buffer_;
      return located;
    }
    set = registry_.Current();
  }
  TIERCEL_TRY_ASSIGN(const std::optional<SegmentHit> hit, FindLive(*set, id));
  if (!hit) return Located{};
  return Located{.known = hit->known, .elsewhere = true, .segment = hit->segment, .doc = hit->doc};
}

Result<std::optional<StoredDocument>> WritePath::Get(std::string_view id) {
  while (true) {
    std::optional<VersionEntry> entry;
    std::shared_ptr<const SegmentSet> set;
    {
      MutexLock lock(state_mutex_);
      entry = versions_.Find(id, context_.clock().MonotonicMs(), context_.settings()->gc_deletes_ms);
      if (!entry) set = registry_.Current();
    }
    if (!entry) return ReadLive(*set, id);
    if (entry->known.state != KnownVersion::State::kLive) return std::optional<StoredDocument>();
    TIERCEL_TRY_ASSIGN(std::optional<StoredDocument> stored, entry->buffer->Read(entry->doc));
    if (!stored) continue;  // it died meanwhile: the version map knows more now
    stored->seq_no = entry->known.seq_no;
    stored->primary_term = entry->known.primary_term;
    stored->version = entry->known.version;
    return stored;
  }
}

std::shared_ptr<WriteBuffer> WritePath::SwapBuffer() {
  auto next = std::make_shared<WriteBuffer>(context_.settings()->codec, context_.options().budget);
  MutexLock lock(state_mutex_);
  if (buffer_->empty()) {
    // Deletes of ids that stand in no segment leave tombstones, which age only in the layers behind the current one.
    versions_.Freeze();
    versions_.DropFrozen(context_.clock().MonotonicMs(), context_.settings()->gc_deletes_ms);
    return nullptr;
  }
  versions_.Freeze();
  return std::exchange(buffer_, std::move(next));
}

std::shared_ptr<WriteBuffer> WritePath::TakeBuffer() {
  MutexLock lock(commit_mutex_);
  return SwapBuffer();
}

Result<LogCut> WritePath::Cut(std::shared_ptr<WriteBuffer>* buffer) {
  MutexLock lock(commit_mutex_);
  if (log_->operations() > 0 || log_->suspect()) TIERCEL_TRY(Fence(log_->Roll(next_seq_no_)));
  *buffer = SwapBuffer();
  NoteProgress();
  return LogCut{.seq_no = next_seq_no_ - 1, .log_generation = log_->generation()};
}

void WritePath::Publish(std::vector<ShardSegment> segments) {
  MutexLock lock(state_mutex_);
  registry_.Publish(std::move(segments));
  versions_.DropFrozen(context_.clock().MonotonicMs(), context_.settings()->gc_deletes_ms);
}

void WritePath::Persisted(int64_t seq_no) {
  MutexLock lock(commit_mutex_);
  log_->Persisted(seq_no);
  NoteProgress();
}

Status WritePath::Sync() {
  MutexLock lock(commit_mutex_);
  const Status synced = log_->Sync();
  NoteProgress();
  return synced;
}

Status WritePath::Start(uint64_t primary_term, uint64_t last_log_generation, int64_t max_seq_no) {
  MutexLock lock(commit_mutex_);
  primary_term_ = primary_term;
  next_seq_no_ = max_seq_no + 1;
  log_ = std::make_unique<LogWriter>(context_.options().store, context_.prefix(), primary_term, last_log_generation,
                                     max_seq_no);
  TIERCEL_TRY(log_->Roll(next_seq_no_));
  NoteProgress();
  return {};
}

Status WritePath::Fence(Status logged) {
  return logged.code() == Code::kConflict ? context_.Fail(std::move(logged)) : logged;
}

void WritePath::NoteProgress() {
  Progress now;
  now.max_seq_no = next_seq_no_ - 1;
  now.log_bytes = log_->bytes();
  now.log_operations = log_->operations();
  now.log_generation = log_->generation();
  now.unsynced = log_->has_unsynced();
  now.log_suspect = log_->suspect();
  MutexLock lock(state_mutex_);
  progress_ = now;
}

WritePath::Progress WritePath::progress() const {
  MutexLock lock(state_mutex_);
  Progress now = progress_;
  now.buffer_bytes = buffer_->memory_bytes();
  return now;
}

bool WritePath::buffer_empty() const {
  MutexLock lock(state_mutex_);
  return buffer_->empty();
}

uint64_t WritePath::buffer_bytes() const {
  MutexLock lock(state_mutex_);
  return buffer_->memory_bytes();
}

}  // namespace tiercel::shard
