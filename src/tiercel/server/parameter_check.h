// Refuses query parameters that a route does not know, with Elasticsearch's message and its suggestions.
//
// Thread safety: free functions.
#pragma once

#include <span>
#include <string_view>

#include "tiercel/base/status.h"
#include "tiercel/server/rest_message.h"

namespace tiercel::server {

// OK when every parameter is one of `known`, of the path's names, or a common one (pretty, human, error_trace,
// filter_path, format).
Status CheckParameters(const RestRequest& request, std::span<const std::string_view> known);

// How alike two names are, 1 for equal: Damerau-Levenshtein distance over the shorter length.
double NameSimilarity(std::string_view a, std::string_view b);

}  // namespace tiercel::server
