// The rule for object names, shared by every store so that what one accepts all accept.
//
// A name is one or more segments of [A-Za-z0-9._-] joined by '/'. No segment is empty or starts with a dot (which
// leaves
// ".", ".." and the store's own files out), a segment has at most 255 bytes and a name 1024.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "tiercel/base/status.h"

namespace tiercel::store {

Status CheckObjectName(std::string_view name);
// A prefix of a valid name; may be empty or end anywhere inside one.
Status CheckPrefix(std::string_view prefix);

}  // namespace tiercel::store
