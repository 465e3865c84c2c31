// The errors a search request is refused with, in Elasticsearch's types and words. All are InvalidArgument.
//
// Thread safety: pure functions. Cost: those that name a position count the lines before it.
#pragma once

#include <string>
#include <string_view>

#include "tiercel/base/status.h"
#include "tiercel/json/value.h"

namespace tiercel::search {

// parsing_exception, with the position of `at` as attributes line and col.
Status ParsingError(json::Value at, std::string message);
// "Unknown key for a START_OBJECT in [name]."
Status UnknownKey(json::Value at, std::string_view name);
// x_content_parse_exception: "[line:col] message".
Status ContentError(json::Value at, std::string_view message);
// x_content_parse_exception: "[line:col] [parser] failed to parse field [field]", with the reason as its cause.
Status FieldError(json::Value at, std::string_view parser, std::string_view field, Status cause);
// x_content_parse_exception: "[line:col] [parser] field doesn't support values of type: VALUE_NUMBER".
Status WrongFieldType(json::Value at, std::string_view parser, std::string_view field);
// number_format_exception: For input string: "text".
Status NumberFormatError(std::string_view text);
// action_request_validation_exception: "Validation Failed: 1: problem;".
Status ValidationError(std::string_view problem);

// An error that Elasticsearch finds only on a shard: search_phase_execution_exception "all shards failed" of the same
// code, with what the shard said as its cause and the attribute "index". Errors of the whole request come back
// unchanged: it cannot be parsed, was cancelled, ran out of time or memory.
Status ShardFailure(Status error, std::string_view index);
// A query that parses but cannot be built for the index's mapping: query_shard_exception, inside a ShardFailure.
Status QueryFailure(Status error, std::string_view index);
// query_shard_exception with the index as an attribute.
Status QueryShardError(std::string message, std::string_view index);

}  // namespace tiercel::search
