#include "tiercel/server/error_body.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "tiercel/json/error_object.h"

namespace tiercel::server {
namespace {

using json::WriteErrorObject;

// Causes of these types say what went wrong inside their parent, but are no root cause of their own.
constexpr std::array<std::string_view, 18> kJavaTypes = {"illegal_argument_exception",
                                                         "number_format_exception",
                                                         "illegal_state_exception",
                                                         "null_pointer_exception",
                                                         "date_time_parse_exception",
                                                         "arithmetic_exception",
                                                         "class_cast_exception",
                                                         "array_index_out_of_bounds_exception",
                                                         "json_parse_exception",
                                                         "input_coercion_exception",
                                                         "json_e_o_f_exception",
                                                         "unsupported_operation_exception",
                                                         "i_o_exception",
                                                         "date_time_exception",
                                                         "x_content_e_o_f_exception",
                                                         "status_exception",
                                                         "named_object_not_found_exception",
                                                         "x_content_parse_exception"};
constexpr std::string_view kSearchPhase = "search_phase_execution_exception";

template <typename List>
bool Contains(const List& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The failure of a whole search is none of its own: the shard's is, whatever its type. What Elasticsearch has as an
// ordinary Java exception is a root cause itself, whatever caused it.
const Status& RootCause(const Status& status) {
  const Status* root = status.type() == kSearchPhase && status.cause() != nullptr ? status.cause() : &status;
  const auto unwraps = [](std::string_view type) {
    return type == "x_content_parse_exception" || !Contains(kJavaTypes, type);
  };
  while (root->cause() != nullptr && unwraps(root->type()) && !Contains(kJavaTypes, root->cause()->type())) {
    root = root->cause();
  }
  return *root;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view Attribute(const Status& status, std::string_view key) {
  for (const auto& [name, value] : status.attributes()) {
    if (name == key) return value;
  }
  return {};
}

void WriteStackTrace(const Status& status, json::Writer& writer) {
  writer.Member("stack_trace",
                status.ToString() + "\n\tat " + status.location().file + ":" + std::to_string(status.location().line));
}

void WriteMembers(const Status& status, json::Writer& writer, bool stack_trace) {
  json::WriteErrorMembers(status, writer);
  if (stack_trace) WriteStackTrace(status, writer);
}

void WriteCausedBy(const Status& status, json::Writer& writer) {
  if (status.cause() == nullptr) return;
  writer.Key("caused_by");
  WriteErrorObject(*status.cause(), writer);
}

// What failed in the phase that a shard runs; the fetch phase fails after shards have answered, without a root cause.
bool FailedOnShards(const Status& status) { return status.cause() != nullptr && Attribute(status, "phase") != "fetch"; }

// Visits the failures of single indices that a failed search is made of: itself, or its causes.
template <typename Visit>
void ForEachFailure(const Status& status, const Visit& visit) {
  if (status.cause() == nullptr || status.cause()->type() != kSearchPhase) return visit(status);
  for (const Status& failure : status.causes()) visit(failure);
}

void WriteFailedShard(const Status& failure, json::Writer& writer) {
  const Status& cause = *failure.cause();
  writer.Object([&] {
    writer.Member("shard", Number(Attribute(cause, "shard")).value_or(0));
    const std::string_view own = Attribute(failure, "index"), index = own.empty() ? Attribute(cause, "index") : own;
    if (!index.empty()) writer.Member("index", index);
    writer.Key("reason");
    WriteErrorObject(cause, writer);
  });
}

// The attributes "phase" and "index" of a failed search say where it failed; they have members of their own.
void WriteSearchFailure(const Status& status, json::Writer& writer) {
  const std::string_view phase = Attribute(status, "phase");
  writer.Member("type", status.type()).Member("reason", status.message());
  writer.Member("phase", phase.empty() ? "query" : phase).Member("grouped", true);
  writer.Key("failed_shards").Array([&] {
    if (FailedOnShards(status))
      ForEachFailure(status, [&](const Status& failure) { WriteFailedShard(failure, writer); });
  });
  if (!FailedOnShards(status)) WriteCausedBy(status, writer);
}

}  // namespace

void WriteErrorWithRootCause(const Status& status, json::Writer& writer, bool stack_trace) {
  const bool search_phase = status.type() == kSearchPhase;
  writer.Object([&] {
    writer.Key("root_cause").Array([&] {
      if (search_phase && !FailedOnShards(status)) return;
      ForEachFailure(status, [&](const Status& failure) {
        writer.Object([&] { WriteMembers(RootCause(failure), writer, stack_trace); });
      });
    });
    if (search_phase) {
      WriteSearchFailure(status, writer);
      if (stack_trace) WriteStackTrace(status, writer);
    } else {
      WriteMembers(status, writer, stack_trace);
      WriteCausedBy(status, writer);
    }
  });
}

std::string ErrorBody(const Status& status, int http_status, bool stack_trace) {
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Key("error");
    WriteErrorWithRootCause(status, writer, stack_trace);
    writer.Member("status", http_status);
  });
  return body;
}

std::string StringErrorBody(std::string_view error, int http_status) {
  std::string body;
  json::Writer writer(body);
  writer.Object([&] {
    writer.Member("error", error);
    if (http_status != 0) writer.Member("status", http_status);
  });
  return body;
}

}  // namespace tiercel::server
