#include "tiercel/engine/write_validation.h"

namespace tiercel::engine {
namespace {

constexpr size_t kIdBytesMax = 512;

std::string_view VersionTypeName(shard::VersionType type) {
  static constexpr std::string_view kNames[] = {"INTERNAL", "EXTERNAL", "EXTERNAL_GTE"};
  return kNames[static_cast<size_t>(type)];
}

void AddVersionProblems(const WriteRequest& request, std::vector<std::string>& problems) {
  if (request.version_type == shard::VersionType::kInternal) {
    if (request.version) {
      problems.emplace_back(
          "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and "
          "`if_primary_term` instead");
    }
    return;
  }
  // -3 is how "any version" reads where no version was given.
  const int64_t version = request.version.value_or(-3);
  if (version < 0) {
    problems.push_back("illegal version value [" + std::to_string(version) + "] for version type [" +
                       std::string(VersionTypeName(request.version_type)) + "]");
  }
}

void AddSequenceProblems(const WriteRequest& request, std::vector<std::string>& problems) {
  const int64_t term = request.if_primary_term.value_or(0);
  if (request.if_seq_no && term == 0)
    problems.push_back("ifSeqNo is set, but primary term is [" + std::to_string(term) + "]");
  if (!request.if_seq_no && term != 0)
    problems.push_back("ifSeqNo is unassigned, but primary term is [" + std::to_string(term) + "]");
}

void AddUpdateProblems(const WriteRequest& request, const UpdateBody* update, std::vector<std::string>& problems) {
  const bool conditional = request.if_seq_no.has_value() || (update != nullptr && update->if_seq_no.has_value());
  if (conditional && request.retry_on_conflict > 0)
    problems.emplace_back("compare and write operations can not be retried");
  const bool has_doc = update != nullptr && update->doc.exists();
  const bool has_script = update != nullptr && update->script.exists();
  const bool as_upsert = request.doc_as_upsert.value_or(update != nullptr && update->doc_as_upsert);
  if (conditional && (as_upsert || (update != nullptr && update->upsert.exists()))) {
    problems.emplace_back("upsert requests do not support `if_seq_no` and `if_primary_term`");
  }
  if (!has_doc && !has_script) problems.emplace_back("script or doc is missing");
  if (has_doc && has_script) problems.emplace_back("can't provide both script and doc");
  if (!has_doc && as_upsert) problems.emplace_back("doc must be specified if doc_as_upsert is enabled");
}

}  // namespace

void AddProblems(const WriteRequest& request, const UpdateBody* update, std::vector<std::string>& problems) {
  if (request.index.empty()) problems.emplace_back("index is missing");
  const bool needs_id = request.kind == OperationKind::kUpdate || request.kind == OperationKind::kDelete;
  if (needs_id && request.id.empty()) problems.emplace_back("id is missing");
  if (request.id.size() > kIdBytesMax) {
    problems.push_back("id [" + request.id +
                       "] is too long, must be no longer than 512 bytes but was: " + std::to_string(request.id.size()));
  }
  const bool conditional = request.if_seq_no.has_value() || request.if_primary_term.has_value();
  const bool creates = request.kind == OperationKind::kCreate ||
                       (request.kind == OperationKind::kIndex && !request.id_given && !conditional);
  if (creates && (request.version || request.version_type != shard::VersionType::kInternal)) {
    problems.emplace_back("create operations only support internal versioning. use index instead");
    return;
  }
  if (request.kind == OperationKind::kCreate && conditional) {
    problems.emplace_back("create operations do not support compare and set. use index instead");
    return;
  }
  AddVersionProblems(request, problems);
  AddSequenceProblems(request, problems);
  if (request.kind == OperationKind::kUpdate) AddUpdateProblems(request, update, problems);
}

Status ValidationFailure(const std::vector<std::string>& problems) {
  if (problems.empty()) return {};
  std::string message = "Validation Failed:";
  for (size_t i = 0; i < problems.size(); ++i)
    message += (i == 0 ? " " : "") + std::to_string(i + 1) + ": " + problems[i] + ";";
  return InvalidArgument(std::move(message)).WithType("action_request_validation_exception");
}

}  // namespace tiercel::engine
