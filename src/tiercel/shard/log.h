// The operation log of a shard: the writer, and the replay that reads it back. docs/format/log.md has the bytes and
// rules L1–L4.
//
// Thread safety: a LogWriter belongs to one thread at a time; the functions are free. Lifetime: both borrow the store.
// Cost: Append is one store append and, when asked for, one sync, whatever the number of records. Replay reads windows
// of a megabyte, or of one frame where that is longer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/store/object_store.h"

namespace tiercel::shard {

struct LogRecord {
  enum class Kind : uint8_t { kIndex = 0, kDelete = 1 } kind = Kind::kIndex;
  int64_t seq_no = -1;
  int64_t primary_term = 0;
  int64_t version = 0;
  std::string_view id;
  std::string_view routing;
  std::string_view source;
};

struct LogHeader {
  static constexpr uint64_t kBytes = 64;
  static constexpr uint32_t kVersion = 1;

  uint32_t version = kVersion;
  uint64_t generation = 0;
  uint64_t primary_term = 0;
  int64_t first_seq_no = 0;
  int64_t synced_seq_no = -1;
};

inline constexpr uint64_t kFrameHeaderBytes = 40;
inline constexpr uint64_t kMaxFramePayload = 1ull << 30;
inline constexpr uint64_t kFramePayloadTarget = 4ull << 20;

std::string LogObjectName(std::string_view prefix, uint64_t generation);
Bytes EncodeLogHeader(const LogHeader& header);
// Nothing when the bytes are no whole header. Versions to come decode too: readers refuse what they do not know.
std::optional<LogHeader> DecodeLogHeader(ByteSpan bytes);
// Appends frames holding `records`, whose sequence numbers are contiguous, to `out`. InvalidArgument for a record
// beyond kMaxFramePayload.
Status EncodeFrames(std::span<const LogRecord> records, uint64_t synced_offset, Bytes& out);

// Writes the newest log. After a failure the records of the failed call are cut off again; when even that fails, the
// next Append begins a new log that makes them void.
class LogWriter {
 public:
  // Writes nothing yet; the first Roll begins generation `last_generation` + 1.
  LogWriter(store::ObjectStore* store, std::string prefix, uint64_t primary_term, uint64_t last_generation,
            int64_t synced_seq_no);

  // Appends all records or none; with `sync` they are durable on OK. Records follow the last acknowledged one.
  Status Append(std::span<const LogRecord> records, bool sync);
  // Makes everything appended durable. After a failure only Roll and a flush can restore that: see suspect().
  Status Sync();
  // Begins a new log whose first record will be `first_seq_no`. On failure nothing is written until a later Roll works.
  // Conflict: somebody else made it, who owns the shard now.
  Status Roll(int64_t first_seq_no);

  uint64_t generation() const { return generation_; }
  uint64_t bytes() const { return appender_ ? appender_->size() : 0; }
  uint64_t operations() const { return operations_; }
  int64_t synced_seq_no() const { return synced_seq_no_; }
  bool has_unsynced() const { return last_seq_no_ > synced_seq_no_; }
  // A sync failed over records that were acknowledged before it (asynchronous durability): they need a flush.
  bool suspect() const { return suspect_; }
  // The records up to `seq_no` are durable in segments now.
  void Persisted(int64_t seq_no);

 private:
  void CutBack(uint64_t size);

  store::ObjectStore* const store_;
  const std::string prefix_;
  const uint64_t primary_term_;
  uint64_t generation_;
  uint64_t next_generation_;
  std::unique_ptr<store::Appender> appender_;
  uint64_t synced_size_ = 0;
  uint64_t operations_ = 0;
  int64_t last_seq_no_;
  int64_t synced_seq_no_;
  bool must_roll_ = true;  // the end of the object is not known to be good
  bool suspect_ = false;
};

struct LogObject {
  std::string name;
  uint64_t generation = 0;
  uint64_t size = 0;
};
// The log objects below `prefix`, oldest first.
Result<std::vector<LogObject>> ListLogs(const store::ObjectStore& store, std::string_view prefix);

struct ReplaySummary {
  int64_t max_seq_no = -1;       // of valid records, or `persisted_seq_no`
  uint64_t operations = 0;       // handed to `apply`
  uint64_t last_generation = 0;  // newest object seen, 0 for none
  uint64_t last_valid_size = 0;  // where its valid frames end
  bool last_torn = false;        // something follows them
};
// Hands every valid record above `persisted_seq_no` to `apply`, in order. Corruption names object and offset.
Result<ReplaySummary> ReplayLogs(const store::ObjectStore& store, std::string_view prefix, uint64_t log_generation,
                                 int64_t persisted_seq_no, const std::function<Status(const LogRecord&)>& apply);

}  // namespace tiercel::shard
