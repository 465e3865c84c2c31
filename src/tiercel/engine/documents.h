// Requests and results of single-document operations.
//
// Thread safety: values. Errors of the operations carry the attributes index_uuid, shard and index where
// Elasticsearch's do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/search/search.h"
#include "tiercel/shard/shard.h"

namespace tiercel::engine {

enum class RefreshPolicy { kNone, kImmediate, kWaitFor };
// "", "true" → kImmediate; "false" → kNone; "wait_for". InvalidArgument otherwise.
Result<RefreshPolicy> ParseRefreshPolicy(std::string_view text);
// "internal", "external", "external_gte".
Result<shard::VersionType> ParseVersionType(std::string_view text);

enum class OperationKind { kIndex, kCreate, kUpdate, kDelete };
std::string_view OperationName(OperationKind kind);  // "index", …

// One write. Fields that do not apply to the kind are ignored.
struct WriteRequest {
  OperationKind kind = OperationKind::kIndex;
  std::string index;     // an index or alias with one write index; no patterns
  std::string id;        // empty: generated (kIndex and kCreate)
  bool id_given = true;  // false: no id in the request; true with an empty id is an error
  std::string routing;
  std::string source;  // kIndex, kCreate: the document; kUpdate: the body {"doc":…}
  std::optional<int64_t> if_seq_no;
  std::optional<int64_t> if_primary_term;
  std::optional<int64_t> version;
  shard::VersionType version_type = shard::VersionType::kInternal;
  bool require_alias = false;
  bool require_data_stream = false;                   // there are none: always an error
  std::string pipeline;                               // none exist: naming one is an error, "_none" is not
  uint32_t retry_on_conflict = 0;                     // kUpdate
  std::optional<bool> doc_as_upsert, detect_noop;     // kUpdate: from the URL or the action line, under the body's
  std::optional<search::SourceFilter> return_source;  // kUpdate: the updated document goes into WriteResult::get
};

struct GetRequest {
  std::string index;
  std::string id;
  std::string routing;
  bool realtime = true;
  bool refresh = false;
  std::optional<int64_t> version;
  shard::VersionType version_type = shard::VersionType::kInternal;
  search::SourceFilter source;
};

struct GetResult {
  std::string index;  // the concrete index
  std::string id;
  bool found = false;
  int64_t version = -1, seq_no = -2, primary_term = 0;
  std::string routing;
  std::optional<std::string> source;  // filtered; nothing when _source is off
};

struct WriteResult {
  enum class Outcome { kCreated, kUpdated, kDeleted, kNotFound, kNoop };
  std::string index;  // the concrete index
  std::string id;
  Outcome outcome = Outcome::kCreated;
  int64_t version = -1, seq_no = -2, primary_term = 0;
  bool forced_refresh = false;
  uint32_t copies_total = 1, copies_successful = 1;  // _shards: 1 + replicas, and 1; both 0 for a noop
  std::optional<GetResult> get;
  int http_status() const;  // 201, 200 or 404
};

// Members of the response object, without its braces.
void WriteMembers(const WriteResult& result, json::Writer& writer);
void WriteMembers(const GetResult& result, json::Writer& writer);

// The body of _mget: {"docs":[…]} or {"ids":[…]}. `defaults` gives index, routing, realtime, refresh and source filter.
Result<std::vector<GetRequest>> ParseMultiGet(json::Value body, const GetRequest& defaults);

}  // namespace tiercel::engine
