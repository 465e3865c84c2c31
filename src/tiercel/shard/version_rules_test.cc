#include "tiercel/shard/version_rules.h"

#include <gtest/gtest.h>

namespace tiercel::shard {
namespace {

constexpr KnownVersion kUnknown{};
constexpr KnownVersion kLive{.state = KnownVersion::State::kLive, .seq_no = 5, .primary_term = 2, .version = 3};
constexpr KnownVersion kDeleted{.state = KnownVersion::State::kDeleted, .seq_no = 5, .primary_term = 2, .version = 3};

Operation Op(Operation::Kind kind) {
  Operation operation;
  operation.kind = kind;
  operation.id = "a";
  return operation;
}
Operation IfSeqNo(Operation::Kind kind, int64_t seq_no, int64_t term) {
  Operation operation = Op(kind);
  operation.if_seq_no = seq_no;
  operation.if_primary_term = term;
  return operation;
}
Operation External(Operation::Kind kind, int64_t version, VersionType type = VersionType::kExternal) {
  Operation operation = Op(kind);
  operation.version = version;
  operation.version_type = type;
  return operation;
}
std::string Refusal(const Operation& operation, const KnownVersion& known) {
  const auto decision = DecideVersion(operation, known);
  if (decision.ok()) return "not refused";
  EXPECT_EQ(decision.error().code(), Code::kConflict);
  EXPECT_EQ(decision.error().type(), "version_conflict_engine_exception");
  return decision.error().message();
}

using enum Operation::Kind;
using Outcome = OperationResult::Outcome;

TEST(VersionRulesTest, InternalVersionsCountUpThroughDeletes) {
  EXPECT_EQ(DecideVersion(Op(kIndex), kUnknown)->version, 1);
  EXPECT_EQ(DecideVersion(Op(kIndex), kUnknown)->outcome, Outcome::kCreated);
  EXPECT_EQ(DecideVersion(Op(kIndex), kLive)->version, 4);
  EXPECT_EQ(DecideVersion(Op(kIndex), kLive)->outcome, Outcome::kUpdated);
  EXPECT_EQ(DecideVersion(Op(kIndex), kDeleted)->version, 4);
  EXPECT_EQ(DecideVersion(Op(kIndex), kDeleted)->outcome, Outcome::kCreated);
  EXPECT_EQ(DecideVersion(Op(kDelete), kLive)->outcome, Outcome::kDeleted);
  EXPECT_EQ(DecideVersion(Op(kDelete), kLive)->version, 4);
  EXPECT_EQ(DecideVersion(Op(kDelete), kUnknown)->outcome, Outcome::kNotFound);
  EXPECT_EQ(DecideVersion(Op(kDelete), kUnknown)->version, 1);
  EXPECT_EQ(DecideVersion(Op(kDelete), kDeleted)->outcome, Outcome::kNotFound);
  EXPECT_EQ(DecideVersion(Op(kDelete), kDeleted)->version, 4);
}

TEST(VersionRulesTest, CreateNeedsAnAbsentDocument) {
  EXPECT_EQ(DecideVersion(Op(kCreate), kDeleted)->version, 4);
  EXPECT_EQ(Refusal(Op(kCreate), kLive), "[a]: version conflict, document already exists (current version [3])");
}

TEST(VersionRulesTest, SequenceNumberConditions) {
  EXPECT_EQ(DecideVersion(IfSeqNo(kIndex, 5, 2), kLive)->version, 4);
  EXPECT_EQ(Refusal(IfSeqNo(kIndex, 4, 2), kLive),
            "[a]: version conflict, required seqNo [4], primary term [2]. current document has seqNo [5] and primary "
            "term [2]");
  EXPECT_EQ(Refusal(IfSeqNo(kDelete, 5, 1), kLive),
            "[a]: version conflict, required seqNo [5], primary term [1]. current document has seqNo [5] and primary "
            "term [2]");
  const std::string missing = "[a]: version conflict, required seqNo [5], primary term [2]. but no document was found";
  EXPECT_EQ(Refusal(IfSeqNo(kIndex, 5, 2), kUnknown), missing);
  EXPECT_EQ(Refusal(IfSeqNo(kDelete, 5, 2), kDeleted), missing);
}

TEST(VersionRulesTest, ExternalVersions) {
  EXPECT_EQ(DecideVersion(External(kIndex, 0), kUnknown)->version, 0);
  EXPECT_EQ(DecideVersion(External(kIndex, 9), kLive)->version, 9);
  EXPECT_EQ(DecideVersion(External(kDelete, 9), kUnknown)->outcome, Outcome::kNotFound);
  EXPECT_EQ(Refusal(External(kIndex, 3), kLive),
            "[a]: version conflict, current version [3] is higher or equal to the one provided [3]");
  EXPECT_EQ(Refusal(External(kDelete, 2), kDeleted),
            "[a]: version conflict, current version [3] is higher or equal to the one provided [2]");
  EXPECT_EQ(DecideVersion(External(kIndex, 3, VersionType::kExternalGte), kLive)->version, 3);
  EXPECT_EQ(Refusal(External(kIndex, 2, VersionType::kExternalGte), kLive),
            "[a]: version conflict, current version [3] is higher than the one provided [2]");
}

TEST(VersionRulesTest, SenselessCombinationsAreInvalid) {
  EXPECT_EQ(DecideVersion(External(kIndex, 3, VersionType::kInternal), kLive).error().code(), Code::kInvalidArgument);
  Operation no_version = External(kIndex, 3);
  no_version.version.reset();
  EXPECT_EQ(DecideVersion(no_version, kLive).error().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tiercel::shard
