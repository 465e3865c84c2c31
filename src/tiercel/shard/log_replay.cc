#include <algorithm>
#include <charconv>
#include <utility>

#include "tiercel/shard/log.h"
#include "tiercel/shard/log_cursor.h"

namespace tiercel::shard {
namespace {

struct OpenedLog {
  LogObject object;
  std::optional<LogHeader> header;
  int64_t void_from = INT64_MAX;  // rule L1
};

Result<std::vector<OpenedLog>> OpenLogs(const store::ObjectStore& store, std::string_view prefix,
                                        uint64_t log_generation) {
  TIERCEL_TRY_ASSIGN(const std::vector<LogObject> objects, ListLogs(store, prefix));
  std::vector<OpenedLog> logs;
  for (const LogObject& object : objects) {
    if (object.generation < log_generation) continue;
    OpenedLog log{.object = object, .header = std::nullopt};
    if (object.size >= LogHeader::kBytes) {
      // Twice where need be: a bit that flipped on the way here must not pass for a log that was never begun.
      for (int attempt = 0; attempt < 2 && !log.header; ++attempt) {
        TIERCEL_TRY_ASSIGN(const Bytes bytes, store.GetRange(object.name, 0, LogHeader::kBytes));
        log.header = DecodeLogHeader(bytes);
      }
      if (log.header && log.header->version != LogHeader::kVersion) {
        return Unimplemented(object.name + ": log format version " + std::to_string(log.header->version) +
                             " at offset 8");
      }
      if (log.header && log.header->generation != object.generation) {
        return Corruption(object.name + ": the header names another generation at offset 16");
      }
    }
    logs.push_back(std::move(log));
  }
  int64_t void_from = INT64_MAX;
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    log->void_from = void_from;
    if (log->header) void_from = std::min(void_from, log->header->first_seq_no);
  }
  return logs;
}

// Rule L3 between the records read so far and the log that comes next.
Status CheckGap(const OpenedLog& log, int64_t last_seq_no) {
  if (log.header->first_seq_no <= last_seq_no + 1 || last_seq_no >= log.header->synced_seq_no) return {};
  return Corruption(log.object.name + ": operations " + std::to_string(last_seq_no + 1) + " to " +
                    std::to_string(log.header->first_seq_no - 1) + " are missing before offset " +
                    std::to_string(LogHeader::kBytes));
}

}  // namespace

Result<std::vector<LogObject>> ListLogs(const store::ObjectStore& store, std::string_view prefix) {
  const std::string below = std::string(prefix) + "/log/";
  TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects, store.List(below));
  std::vector<LogObject> logs;
  for (const store::ObjectInfo& object : objects) {
    const std::string_view hex = std::string_view(object.name).substr(below.size());
    uint64_t generation = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), generation, 16);
    if (error != std::errc() || LogObjectName(prefix, generation) != object.name) continue;
    logs.push_back({object.name, generation, object.size});
  }
  return logs;
}

Result<ReplaySummary> ReplayLogs(const store::ObjectStore& store, std::string_view prefix, uint64_t log_generation,
                                 int64_t persisted_seq_no, const std::function<Status(const LogRecord&)>& apply) {
  TIERCEL_TRY_ASSIGN(const std::vector<OpenedLog> logs, OpenLogs(store, prefix, log_generation));
  ReplaySummary summary;
  summary.max_seq_no = persisted_seq_no;
  for (const OpenedLog& log : logs) {
    summary.last_generation = log.object.generation;
    summary.last_valid_size = 0;
    summary.last_torn = true;
    if (!log.header) continue;
    TIERCEL_TRY(CheckGap(log, summary.max_seq_no));
    LogCursor cursor(store, log.object.name, log.object.size, *log.header);
    int64_t next = log.header->first_seq_no;
    while (true) {
      TIERCEL_TRY_ASSIGN(const bool more, cursor.Next());
      if (!more) break;
      if (cursor.frame().first_seq_no != next) {
        return Corruption(log.object.name + ": operation " + std::to_string(next) + " is missing at offset " +
                          std::to_string(cursor.frame_offset()));
      }
      TIERCEL_TRY(cursor.Visit([&](const LogRecord& record) -> Status {
        next = record.seq_no + 1;
        if (record.seq_no >= log.void_from || record.seq_no <= persisted_seq_no) return {};
        summary.max_seq_no = record.seq_no;
        ++summary.operations;
        return apply(record);
      }));
    }
    summary.max_seq_no = std::max(summary.max_seq_no, log.header->first_seq_no - 1);
    summary.last_valid_size = cursor.valid_size();
    summary.last_torn = cursor.torn();
  }
  return summary;
}

}  // namespace tiercel::shard
