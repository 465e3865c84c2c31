// WriteBatch: the operations of one request that go to one shard, applied in their order with as few log syncs as that
// allows.
//
// Consecutive operations share one Shard::Apply. An update reads the document it changes first, so what is pending is
// applied before an update of the same id is prepared, and before anything that follows an update of the same id.
//
// Thread safety: one thread. Lifetime: borrows index, shard and writes for the call.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/engine/documents.h"
#include "tiercel/engine/index.h"
#include "tiercel/engine/update_body.h"

namespace tiercel::engine {

// One operation on its way: the request, and what became of it.
struct PendingWrite {
  WriteRequest* request = nullptr;
  std::optional<mapping::ParsedDocument> parsed;  // when it could be parsed ahead of its turn
  std::optional<Result<WriteResult>> result;
};

class WriteBatch {
 public:
  WriteBatch(Index& index, shard::Shard& shard, uint32_t shard_number);
  // Sets the result of every write.
  void Run(const std::vector<PendingWrite*>& writes);

 private:
  struct Queued {
    PendingWrite* write;
    std::optional<GetResult> get;  // of an update that returns its source
    uint32_t retries_left = 0;
  };

  void Enqueue(PendingWrite& write, uint32_t retries_left);
  // The operation, or nothing when the result is known already.
  Result<std::optional<shard::Operation>> Prepare(PendingWrite& write, std::optional<GetResult>& get);
  Result<std::optional<shard::Operation>> PrepareUpdate(PendingWrite& write, std::optional<GetResult>& get);
  Result<std::optional<shard::Operation>> PrepareUpsert(PendingWrite& write, const UpdateBody& body,
                                                        std::optional<GetResult>& get);
  Result<shard::Operation> WithDocument(const WriteRequest& request, shard::Operation::Kind kind, std::string source);
  void Apply();
  void Settle(Queued& queued, const shard::OperationResult& outcome);
  WriteResult Base(const WriteRequest& request) const;

  Index& index_;
  shard::Shard& shard_;
  const uint32_t shard_number_;
  const IndexMetadataPtr metadata_;
  std::vector<shard::Operation> operations_;
  std::vector<Queued> queued_;                           // queued_[i] became operations_[i]
  std::map<std::string, bool, std::less<>> queued_ids_;  // → whether an update is among them
};

}  // namespace tiercel::engine
