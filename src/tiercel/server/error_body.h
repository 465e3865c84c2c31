// Status → the error objects of REST answers.
//
//   {"error":{"root_cause":[{…}],"type":…,"reason":…,attributes…,"caused_by":{…}},"status":404}
//
// Thread safety: free functions.
#pragma once

#include <string>
#include <string_view>

#include "tiercel/base/status.h"
#include "tiercel/json/writer.h"

namespace tiercel::server {

// json::WriteErrorObject with root_cause in front: documents of _mget.
void WriteErrorWithRootCause(const Status& status, json::Writer& writer, bool stack_trace = false);
// The whole body. root_cause is the deepest cause that is an Elasticsearch exception and not one of Java's; a
// search_phase_execution_exception also lists its cause under failed_shards. `stack_trace` adds where the error was
// made.
std::string ErrorBody(const Status& status, int http_status, bool stack_trace = false);
// Routing failures carry their error as a string.
std::string StringErrorBody(std::string_view error, int http_status);

}  // namespace tiercel::server
