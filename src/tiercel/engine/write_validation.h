// What is wrong with a write request before it meets an index: "Validation Failed: 1: …;2: …;".
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "tiercel/engine/documents.h"
#include "tiercel/engine/update_body.h"

namespace tiercel::engine {

// Adds the problems of one request; `update` is its parsed body when it is an update.
void AddProblems(const WriteRequest& request, const UpdateBody* update, std::vector<std::string>& problems);
// action_request_validation_exception, or OK when there are none.
Status ValidationFailure(const std::vector<std::string>& problems);

}  // namespace tiercel::engine
