#include "tiercel/shard/refresher.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

namespace tiercel::shard {
namespace {

// Copies the live documents of a segment once, however many of them die.
class LiveDocsEditor {
 public:
  explicit LiveDocsEditor(std::vector<ShardSegment>& segments) : segments_(segments), edited_(segments.size()) {}

  void Delete(size_t index, segment::DocId doc) {
    std::shared_ptr<segment::LiveDocs>& live = edited_[index];
    const segment::SegmentView& view = segments_[index].view;
    if (!live)
      live = view.live ? std::make_shared<segment::LiveDocs>(*view.live)
                       : std::make_shared<segment::LiveDocs>(view.segment->doc_count());
    live->Delete(doc);
  }
  bool IsLive(size_t index, segment::DocId doc) const {
    return edited_[index] ? edited_[index]->live(doc) : segments_[index].view.IsLive(doc);
  }
  void Finish() {
    for (size_t i = 0; i < segments_.size(); ++i) {
      if (edited_[i]) segments_[i].view.live = std::move(edited_[i]);
    }
  }

 private:
  std::vector<ShardSegment>& segments_;
  std::vector<std::shared_ptr<segment::LiveDocs>> edited_;
};

}  // namespace

Result<bool> Refresher::Refresh() {
  MutexLock lock(publish_mutex_);
  TIERCEL_TRY(context_.failure());
  const ScopedTimer timer(context_.clock(), context_.counters().refresh_ns);
  const bool had_pending = pending_.has_value();
  TIERCEL_TRY(PublishPending());
  const int64_t seen = writes_.progress().max_seq_no;
  std::shared_ptr<WriteBuffer> buffer = writes_.TakeBuffer();
  ++context_.counters().refresh_total;
  if (!buffer) {
    NoteRefreshed(seen);
    return had_pending;
  }
  pending_ = Pending{.buffer = std::move(buffer), .name = registry_.NewSegmentName(), .max_seq_no = seen};
  TIERCEL_TRY(PublishPending());
  return true;
}

Result<Refresher::CutSet> Refresher::Cut() {
  MutexLock lock(publish_mutex_);
  TIERCEL_TRY(context_.failure());
  TIERCEL_TRY(PublishPending());
  std::shared_ptr<WriteBuffer> buffer;
  TIERCEL_TRY_ASSIGN(const LogCut cut, writes_.Cut(&buffer));
  if (buffer) {
    pending_ = Pending{.buffer = std::move(buffer), .name = registry_.NewSegmentName(), .max_seq_no = cut.seq_no};
    TIERCEL_TRY(PublishPending());
  } else {
    NoteRefreshed(cut.seq_no);
  }
  return CutSet{.cut = cut, .set = registry_.Current()};
}

Status Refresher::Edit(const std::function<Status(std::vector<ShardSegment>&)>& change) {
  MutexLock lock(publish_mutex_);
  std::vector<ShardSegment> segments = registry_.Current()->segments;
  TIERCEL_TRY(change(segments));
  registry_.Publish(std::move(segments));
  return {};
}

Status Refresher::PublishPending() {
  if (!pending_) return {};
  auto frozen = pending_->buffer->Freeze(pending_->name);
  // The builder is spent: only a replay of the log can bring these documents back.
  if (!frozen.ok()) return context_.Fail(std::move(frozen).status().WithContext("freezing the write buffer"));
  std::vector<ShardSegment> segments = registry_.Current()->segments;
  TIERCEL_TRY(ApplyDeletes(pending_->buffer->deletes(), segments));
  std::erase_if(segments, [](const ShardSegment& s) { return s.view.live_count() == 0; });
  if (frozen->view.segment) segments.push_back(std::move(frozen).value());
  writes_.Publish(std::move(segments));
  NoteRefreshed(pending_->max_seq_no);
  pending_.reset();
  return {};
}

Status Refresher::ApplyDeletes(const std::vector<PendingDelete>& deletes, std::vector<ShardSegment>& segments) {
  if (deletes.empty()) return {};
  std::unordered_map<const segment::Segment*, size_t> index_of;
  for (size_t i = 0; i < segments.size(); ++i) index_of.emplace(segments[i].view.segment.get(), i);
  LiveDocsEditor editor(segments);
  for (const PendingDelete& deletion : deletes) {
    // The hint is worth a look-up only while its segment has not been merged away or moved to the store.
    if (const auto hinted = index_of.find(deletion.hint.get()); deletion.hint && hinted != index_of.end()) {
      if (editor.IsLive(hinted->second, deletion.hint_doc)) editor.Delete(hinted->second, deletion.hint_doc);
      continue;
    }
    for (size_t i = 0; i < segments.size(); ++i) {
      TIERCEL_TRY_ASSIGN(const std::optional<segment::DocId> doc, segments[i].view.segment->FindId(deletion.id));
      if (doc && editor.IsLive(i, *doc)) editor.Delete(i, *doc);
    }
  }
  editor.Finish();
  return {};
}

int64_t Refresher::refreshed_seq_no() const {
  MutexLock lock(progress_mutex_);
  return refreshed_seq_no_;
}

bool Refresher::WaitFor(int64_t seq_no, int64_t timeout_ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  MutexLock lock(progress_mutex_);
  while (refreshed_seq_no_ < seq_no) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    refreshed_.WaitFor(progress_mutex_, left);
  }
  return true;
}

void Refresher::NoteRefreshed(int64_t seq_no) {
  MutexLock lock(progress_mutex_);
  refreshed_seq_no_ = std::max(refreshed_seq_no_, seq_no);
  refreshed_.NotifyAll();
}

}  // namespace tiercel::shard
