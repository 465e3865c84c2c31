#include "tiercel/shard/version_rules.h"

#include <string>

namespace tiercel::shard {
namespace {

Status VersionConflict(const Operation& operation, const std::string& why) {
  return Conflict("[" + operation.id + "]: version conflict, " + why).WithType("version_conflict_engine_exception");
}

Status CheckCondition(const Operation& operation, const KnownVersion& known) {
  const int64_t seq_no = operation.if_seq_no.value_or(-2);
  const int64_t term = operation.if_primary_term.value_or(0);
  const std::string required =
      "required seqNo [" + std::to_string(seq_no) + "], primary term [" + std::to_string(term) + "]. ";
  if (known.state != KnownVersion::State::kLive)
    return VersionConflict(operation, required + "but no document was found");
  if (known.seq_no == seq_no && known.primary_term == term) return {};
  return VersionConflict(operation, required + "current document has seqNo [" + std::to_string(known.seq_no) +
                                        "] and primary term [" + std::to_string(known.primary_term) + "]");
}

Status CheckExternal(const Operation& operation, const KnownVersion& known, int64_t provided) {
  if (known.state == KnownVersion::State::kUnknown) return {};
  const bool or_equal = operation.version_type == VersionType::kExternalGte;
  if (known.version < provided || (or_equal && known.version == provided)) return {};
  return VersionConflict(operation, "current version [" + std::to_string(known.version) + "] is " +
                                        (or_equal ? "higher than" : "higher or equal to") + " the one provided [" +
                                        std::to_string(provided) + "]");
}

}  // namespace

Result<VersionDecision> DecideVersion(const Operation& operation, const KnownVersion& known) {
  const bool live = known.state == KnownVersion::State::kLive;
  if (operation.if_seq_no || operation.if_primary_term) TIERCEL_TRY(CheckCondition(operation, known));
  VersionDecision decision;
  if (operation.version_type == VersionType::kInternal) {
    if (operation.version) {
      return InvalidArgument(
          "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and "
          "`if_primary_term` instead");
    }
    if (operation.kind == Operation::Kind::kCreate && live) {
      return VersionConflict(operation,
                             "document already exists (current version [" + std::to_string(known.version) + "])");
    }
    decision.version = known.state == KnownVersion::State::kUnknown ? 1 : known.version + 1;
  } else {
    if (!operation.version) return InvalidArgument("[" + operation.id + "]: external versioning needs a version");
    TIERCEL_TRY(CheckExternal(operation, known, *operation.version));
    decision.version = *operation.version;
  }
  if (operation.kind == Operation::Kind::kDelete) {
    decision.outcome = live ? OperationResult::Outcome::kDeleted : OperationResult::Outcome::kNotFound;
  } else {
    decision.outcome = live ? OperationResult::Outcome::kUpdated : OperationResult::Outcome::kCreated;
  }
  return decision;
}

}  // namespace tiercel::shard
