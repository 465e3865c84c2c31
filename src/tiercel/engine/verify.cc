#include "tiercel/engine/verify.h"

#include <algorithm>

#include "tiercel/engine/metadata_store.h"

namespace tiercel::engine {
namespace {

std::string ProblemObject(const Status& status) {
  for (const auto& [key, value] : status.attributes()) {
    if (key == "object") return value;
  }
  return "indices";
}

// Objects below no index: nobody will ever read or delete them.
void ReportStrays(const std::vector<store::ObjectInfo>& objects, const StoredIndices& stored,
                  const std::vector<std::string>& known, StoreReport& report) {
  const auto belongs = [&](const std::string& name) {
    const auto below = [&](std::string_view uuid) { return name.starts_with(IndexPrefix(uuid) + "/"); };
    return std::find(known.begin(), known.end(), name) != known.end() ||
           std::any_of(stored.indices.begin(), stored.indices.end(),
                       [&](const IndexMetadata& index) { return below(index.uuid); }) ||
           std::any_of(stored.tombstoned.begin(), stored.tombstoned.end(),
                       [&](const std::string& uuid) { return below(uuid); }) ||
           std::any_of(stored.problems.begin(), stored.problems.end(), [&](const Status& problem) {
             const std::string object = ProblemObject(problem);
             return name.starts_with(object.substr(0, object.find('/', sizeof "indices/" - 1)) + "/");
           });
  };
  for (const store::ObjectInfo& object : objects) {
    if (!belongs(object.name)) report.problems.push_back({object.name, "belongs to no index"});
  }
}

Status VerifyIndex(const store::ObjectStore& store, const IndexMetadata& index, StoreReport& report) {
  for (uint32_t number = 0; number < index.settings.number_of_shards(); ++number) {
    TIERCEL_TRY_ASSIGN(shard::VerifyReport shard,
                       shard::VerifyShard(store, IndexPrefix(index.uuid) + "/" + std::to_string(number)));
    ++report.shards;
    report.documents += shard.documents;
    report.log_operations += shard.log_operations;
    report.problems.insert(report.problems.end(), shard.problems.begin(), shard.problems.end());
  }
  return {};
}

}  // namespace

Result<StoreReport> VerifyStore(const store::ObjectStore& store, const std::vector<std::string>& known) {
  StoreReport report;
  TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects, store.List(""));
  for (const store::ObjectInfo& object : objects) report.bytes += object.size;
  report.objects = objects.size();
  TIERCEL_TRY_ASSIGN(const StoredIndices stored, LoadIndices(store));
  for (const Status& problem : stored.problems) report.problems.push_back({ProblemObject(problem), problem.message()});
  ReportStrays(objects, stored, known, report);
  for (const IndexMetadata& index : stored.indices) {
    ++report.indices;
    if (const Status status = VerifyIndex(store, index, report); !status.ok()) {
      report.problems.push_back({IndexPrefix(index.uuid), status.message()});
    }
  }
  return report;
}

}  // namespace tiercel::engine
