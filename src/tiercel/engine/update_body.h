// The body of an update ({"doc":…, "upsert":…}), and merging a partial document into a source.
//
// Thread safety: values and pure functions. Lifetime: UpdateBody owns the parsed body its values point into.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/search/search.h"

namespace tiercel::engine {

struct UpdateBody {
  json::Document document;
  json::Value doc, upsert, script;  // exists() false when absent
  bool doc_as_upsert = false;
  bool detect_noop = true;
  std::optional<search::SourceFilter> return_source;
  std::optional<int64_t> if_seq_no, if_primary_term;
};

// x_content_parse_exception as Elasticsearch words it. `text` is copied.
Result<UpdateBody> ParseUpdateBody(std::string_view text);

struct MergedSource {
  std::string json;
  bool changed = false;
};
// `patch` over `source`: objects merge member by member, anything else replaces. Members keep the source's order, new
// ones follow.
MergedSource MergeSource(json::Value source, json::Value patch);

}  // namespace tiercel::engine
