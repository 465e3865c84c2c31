// Why a text is not JSON, in the words Elasticsearch's parser (Jackson) uses.
//
// The fast parser only says that a text is broken; this one walks it again byte by byte and explains the first error.
// Kept apart so that good text never pays for it. Thread safety: a pure function. Cost: linear in the text.
#pragma once

#include <cstdint>
#include <string_view>

#include "tiercel/base/status.h"
#include "tiercel/json/value.h"

namespace tiercel::json {

// The first error of a text that Document::Parse refused. Type x_content_parse_exception, or x_content_e_o_f_exception
// when the text just stops; the cause (json_parse_exception or json_e_o_f_exception) holds the parser's own words.
Status Diagnose(std::string_view text, const ParseOptions& options);

// "[line:col] reason\n at [Source: ...]" for the place behind the first `consumed` bytes of `text`, with its cause.
Status ErrorAt(std::string_view text, size_t consumed, std::string_view reason, const char* cause_type);

}  // namespace tiercel::json
