// URLs of requests: splitting a target, percent-decoding, query parameters.
//
// Thread safety: free functions. Errors: InvalidArgument with Elasticsearch's messages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/base/result.h"

namespace tiercel::server {

using QueryParameters =
    std::vector<std::pair<std::string, std::string>>;  // in the order of the URL, the last of equal names only

struct Target {
  std::string_view path;   // still encoded
  std::string_view query;  // still encoded, without '?'
};
Target SplitTarget(std::string_view target);

// `whole` is what the error message shows; `part` must be a piece of it.
Result<std::string> PercentDecode(std::string_view part, std::string_view whole, bool plus_is_space);
// "a=1&b" → {a:1}, {b:""}.
Result<QueryParameters> ParseQueryString(std::string_view query);
// Encodes everything but unreserved characters, for Location headers.
std::string PercentEncode(std::string_view text);
// Comma-separated list, without empty items.
std::vector<std::string> SplitList(std::string_view text);

}  // namespace tiercel::server
