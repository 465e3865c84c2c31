#include "tiercel/shard/shard_testing.h"

#include <gtest/gtest.h>

#include <utility>

#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"

namespace tiercel::shard {
namespace {

std::shared_ptr<const mapping::Mapping> NumberMapping() {
  static const std::shared_ptr<const mapping::Mapping> mapping = [] {
    const json::Document body = json::Document::Parse(R"({"properties":{"n":{"type":"long"}}})").value();
    return mapping::Mapping::Parse(body.root()).value();
  }();
  return mapping;
}

Operation DocumentOp(Operation::Kind kind, std::string id, int64_t number) {
  Operation operation;
  operation.kind = kind;
  operation.document = std::make_unique<mapping::ParsedDocument>(ParseNumber(id, NumberSource(number)).value());
  operation.id = std::move(id);
  return operation;
}

}  // namespace

std::string NumberSource(int64_t number) { return R"({"n":)" + std::to_string(number) + "}"; }

Result<mapping::ParsedDocument> ParseNumber(std::string_view id, std::string source) {
  TIERCEL_TRY_ASSIGN(mapping::ParseResult parsed,
                     mapping::DocumentParser().Parse(NumberMapping(), id, std::move(source)));
  return std::move(parsed.document);
}

Operation IndexOp(std::string id, int64_t number) { return DocumentOp(Operation::Kind::kIndex, std::move(id), number); }
Operation CreateOp(std::string id, int64_t number) {
  return DocumentOp(Operation::Kind::kCreate, std::move(id), number);
}
Operation DeleteOp(std::string id) {
  Operation operation;
  operation.kind = Operation::Kind::kDelete;
  operation.id = std::move(id);
  return operation;
}

OperationResult ApplyOne(Shard& shard, Operation operation) { return std::move(shard.Apply({&operation, 1}).front()); }

ShardOptions TestOptions(store::ObjectStore& store, Clock& clock) {
  ShardOptions options;
  options.prefix = kTestPrefix;
  options.store = &store;
  options.clock = &clock;
  options.background = false;
  options.parse = ParseNumber;
  return options;
}

std::map<std::string, std::string> SearchAll(Shard& shard) {
  std::map<std::string, std::string> found;
  const auto snapshot = shard.Acquire();
  EXPECT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  if (!snapshot.ok()) return found;
  for (const segment::SegmentView& view : (*snapshot)->segments) {
    segment::NumericCursor numbers(view.segment->numeric("n"));
    for (segment::DocId doc = 0; doc < view.segment->doc_count(); ++doc) {
      if (!view.IsLive(doc)) continue;
      const Result<std::string> id = view.segment->Id(doc);
      const Result<std::string> source = view.segment->Source(doc);
      const auto number = numbers.Values(doc);
      EXPECT_TRUE(id.ok() && source.ok() && number.ok());
      if (!id.ok() || !source.ok() || !number.ok()) continue;
      EXPECT_EQ(*source, number->size() == 1 ? NumberSource(number->front()) : "one number");
      EXPECT_TRUE(found.emplace(*id, *source).second) << *id << " is live twice";
    }
  }
  return found;
}

std::string GetSource(Shard& shard, std::string_view id) {
  const auto stored = shard.Get(id);
  if (!stored.ok()) return stored.error().ToString();
  return *stored ? (*stored)->source : "-";
}

std::string Problems(const store::ObjectStore& store, bool orphans) {
  const auto report = VerifyShard(store, kTestPrefix);
  if (!report.ok()) return report.error().ToString();
  std::string lines;
  for (const VerifyProblem& problem : report->problems) {
    if (!orphans && problem.what.starts_with("orphan")) continue;
    lines += problem.object + ": " + problem.what + "\n";
  }
  return lines;
}

}  // namespace tiercel::shard
