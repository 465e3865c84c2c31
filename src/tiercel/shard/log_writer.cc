#include <algorithm>
#include <utility>

#include "tiercel/shard/log.h"

namespace tiercel::shard {

LogWriter::LogWriter(store::ObjectStore* store, std::string prefix, uint64_t primary_term, uint64_t last_generation,
                     int64_t synced_seq_no)
    : store_(store),
      prefix_(std::move(prefix)),
      primary_term_(primary_term),
      generation_(last_generation),
      next_generation_(last_generation + 1),
      last_seq_no_(synced_seq_no),
      synced_seq_no_(synced_seq_no) {}

Status LogWriter::Append(std::span<const LogRecord> records, bool sync) {
  if (must_roll_) TIERCEL_TRY(Roll(records.front().seq_no));
  Bytes frames;
  TIERCEL_TRY(EncodeFrames(records, synced_size_, frames));
  const uint64_t before = appender_->size();
  if (Status appended = appender_->Append(frames); !appended.ok()) {
    CutBack(before);
    return std::move(appended).WithContext(LogObjectName(prefix_, generation_));
  }
  if (sync) {
    if (Status synced = appender_->Sync(); !synced.ok()) {
      // What was acknowledged before and not synced yet may be lost now, whatever a later sync says.
      suspect_ = suspect_ || has_unsynced();
      CutBack(before);
      must_roll_ = must_roll_ || suspect_;
      return std::move(synced).WithContext(LogObjectName(prefix_, generation_));
    }
    synced_size_ = appender_->size();
  }
  last_seq_no_ = records.back().seq_no;
  operations_ += records.size();
  if (sync && !suspect_) synced_seq_no_ = last_seq_no_;
  return {};
}

Status LogWriter::Sync() {
  if (!has_unsynced() || !appender_) return {};
  if (suspect_) {
    return Unavailable("an earlier sync of the log failed; a flush is needed")
        .WithContext(LogObjectName(prefix_, generation_));
  }
  if (Status synced = appender_->Sync(); !synced.ok()) {
    suspect_ = true;
    must_roll_ = true;
    return std::move(synced).WithContext(LogObjectName(prefix_, generation_));
  }
  synced_size_ = appender_->size();
  synced_seq_no_ = last_seq_no_;
  return {};
}

Status LogWriter::Roll(int64_t first_seq_no) {
  if (appender_ && has_unsynced() && !suspect_) {
    // The old object is not synced again after this.
    if (appender_->Sync().ok()) {
      synced_seq_no_ = last_seq_no_;
    } else {
      suspect_ = true;
    }
  }
  const uint64_t generation = next_generation_++;
  const std::string name = LogObjectName(prefix_, generation);
  // Once its object may exist with a whole header, rule L1 makes void what the older log would still be given.
  must_roll_ = true;
  TIERCEL_TRY_ASSIGN(std::unique_ptr<store::Appender> appender, store_->OpenAppender(name));
  LogHeader header;
  header.generation = generation;
  header.primary_term = primary_term_;
  header.first_seq_no = first_seq_no;
  header.synced_seq_no = std::min(synced_seq_no_, first_seq_no - 1);
  if (appender->size() != 0) return Conflict("the log exists already: the shard has another owner").WithContext(name);
  Status begun = appender->Append(EncodeLogHeader(header));
  if (begun.ok()) begun = appender->Sync();
  if (!begun.ok()) return std::move(begun).WithContext(name);
  appender_ = std::move(appender);
  generation_ = generation;
  synced_size_ = LogHeader::kBytes;
  operations_ = 0;
  must_roll_ = false;
  return {};
}

void LogWriter::Persisted(int64_t seq_no) {
  if (seq_no < synced_seq_no_) return;
  synced_seq_no_ = seq_no;
  last_seq_no_ = std::max(last_seq_no_, seq_no);
  suspect_ = false;
}

void LogWriter::CutBack(uint64_t size) {
  if (!appender_->Truncate(size).ok()) must_roll_ = true;
}

}  // namespace tiercel::shard
