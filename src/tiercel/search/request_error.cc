#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

std::string Position(json::Value at) {
  const auto [line, column] = at.line_column();
  return "[" + std::to_string(line) + ":" + std::to_string(column) + "] ";
}

bool IsParseError(const Status& error) {
  return error.type() == "parsing_exception" || error.type() == "x_content_parse_exception";
}

bool IsRequestsFault(const Status& error) {
  return error.code() == Code::kInvalidArgument || error.code() == Code::kUnimplemented;
}

bool IsStoresFault(const Status& error) {
  return error.code() == Code::kCorruption || error.code() == Code::kUnavailable || error.code() == Code::kInternal;
}

}  // namespace

Status ParsingError(json::Value at, std::string message) {
  const auto [line, column] = at.line_column();
  return InvalidArgument(std::move(message))
      .WithType("parsing_exception")
      .With("line", std::to_string(line))
      .With("col", std::to_string(column));
}

Status UnknownKey(json::Value at, std::string_view name) {
  return ParsingError(
      at, "Unknown key for a " + std::string(json::TokenName(at.type())) + " in [" + std::string(name) + "].");
}

Status ContentError(json::Value at, std::string_view message) {
  return InvalidArgument(Position(at) + std::string(message)).WithType("x_content_parse_exception");
}

Status FieldError(json::Value at, std::string_view parser, std::string_view field, Status cause) {
  return ContentError(at, "[" + std::string(parser) + "] failed to parse field [" + std::string(field) + "]")
      .WithCause(std::move(cause));
}

Status WrongFieldType(json::Value at, std::string_view parser, std::string_view field) {
  return ContentError(at, "[" + std::string(parser) + "] " + std::string(field) +
                              " doesn't support values of type: " + std::string(json::TokenName(at.type())));
}

Status NumberFormatError(std::string_view text) {
  return InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception");
}

Status ValidationError(std::string_view problem) {
  return InvalidArgument("Validation Failed: 1: " + std::string(problem) + ";")
      .WithType("action_request_validation_exception");
}

Status ShardFailure(Status error, std::string_view index) {
  const bool on_shard = IsRequestsFault(error) ? !IsParseError(error) : IsStoresFault(error);
  if (!on_shard || error.type() == "search_phase_execution_exception") return error;
  return Status(error.code(), "all shards failed")
      .WithType("search_phase_execution_exception")
      .With("phase", "query")
      .With("index", std::string(index))
      .WithCause(std::move(error));
}

Status QueryFailure(Status error, std::string_view index) {
  if (IsStoresFault(error)) return ShardFailure(std::move(error), index);
  if (!IsRequestsFault(error) || IsParseError(error)) return error;
  const std::string_view type = error.type();
  if (type == "query_shard_exception" || type == "search_phase_execution_exception" ||
      type == "too_many_nested_clauses" || type == "parse_exception") {
    return ShardFailure(std::move(error), index);
  }
  Status wrapped = QueryShardError("failed to create query: " + error.message(), index).WithCause(std::move(error));
  return ShardFailure(std::move(wrapped), index);
}

Status QueryShardError(std::string message, std::string_view index) {
  return InvalidArgument(std::move(message)).WithType("query_shard_exception").With("index", std::string(index));
}

}  // namespace tiercel::search
