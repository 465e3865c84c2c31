// A Status as the error object of Elasticsearch's REST API: {"type", "reason", attributes..., "caused_by": {...}}.
//
// Thread safety: pure functions.
#pragma once

#include "tiercel/base/status.h"
#include "tiercel/json/writer.h"

namespace tiercel::json {

// "type", "reason" and the attributes (line, col, bytes_wanted, ... as numbers), into an object that is open.
void WriteErrorMembers(const Status& status, Writer& writer);
// The whole object, with its first cause.
void WriteErrorObject(const Status& status, Writer& writer);

}  // namespace tiercel::json
