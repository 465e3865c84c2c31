// Names of indices and aliases: what is allowed, and wildcard patterns over them.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "tiercel/base/status.h"

namespace tiercel::engine {

// invalid_index_name_exception with Elasticsearch's reasons.
Status CheckIndexName(std::string_view name);
// invalid_alias_name_exception likewise.
Status CheckAliasName(std::string_view name);

// `pattern` may hold any number of '*'.
bool MatchesPattern(std::string_view pattern, std::string_view name);
bool IsPattern(std::string_view expression);  // contains '*'

// The errors themselves, for problems that need more than the name to be seen.
Status InvalidIndexName(std::string_view name, std::string_view problem);
Status InvalidAliasName(std::string_view name, std::string_view problem);
// 404 index_not_found_exception with the attributes that clients read; `more` goes after the message.
Status IndexNotFound(std::string_view name, std::string_view more = {});

}  // namespace tiercel::engine
