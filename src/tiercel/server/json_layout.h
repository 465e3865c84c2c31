// Other shapes of a JSON answer: indented (?pretty), as YAML (?format=yaml), and with "_type":"_doc" for 7.x clients.
//
// Thread safety: free functions over an immutable document. Cost: one walk each; the plain shape costs nothing.
#pragma once

#include <string>

#include "tiercel/json/value.h"

namespace tiercel::server {

// Two spaces a level and " : " between name and value, with a line break at the end, as Elasticsearch prints.
std::string PrettyJson(json::Value root);
std::string Yaml(json::Value root);
// Adds "_type":"_doc" behind "_index" in every object that has both "_index" and "_id", outside "_source".
std::string WithTypes(json::Value root);

}  // namespace tiercel::server
