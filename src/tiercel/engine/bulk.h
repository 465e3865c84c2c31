// Bulk requests: NDJSON of action and source lines, parsed as a whole before anything runs.
//
// A line that is wrong makes the whole request InvalidArgument and nothing is executed. What is wrong with one
// operation alone (a bad index name, a version conflict, a document that does not fit the mapping) is that item's
// error.
//
// Thread safety: values and pure functions. Cost: the body is borrowed while parsing, each source line copied once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tiercel/engine/documents.h"

namespace tiercel::engine {

struct BulkDefaults {  // from the URL
  std::string index, routing, pipeline;
  bool require_alias = false;
  std::optional<search::SourceFilter> return_source;
  // Clients that speak the version 8 media type get a warning instead of an error for keys after the action object.
  bool tolerate_extra_keys = false;
};

struct BulkRequest {
  std::vector<WriteRequest> operations;
  bool extra_keys_tolerated = false;  // answer with a deprecation warning
};

Result<BulkRequest> ParseBulk(std::string_view body, const BulkDefaults& defaults);

struct BulkItem {
  OperationKind kind = OperationKind::kIndex;
  std::string index, id;  // as requested; the concrete index when it was resolved
  bool has_id = true;     // false: none was requested, and none made up before the operation failed ("_id": null)
  Result<WriteResult> result;
};

struct BulkResponse {
  int64_t took_ms = 0;
  std::vector<BulkItem> items;  // items[i] answers operations[i]
  bool has_errors() const;
};

}  // namespace tiercel::engine
