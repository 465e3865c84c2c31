// A whole engine over a store in memory, for the module's tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tiercel/engine/engine.h"
#include "tiercel/store/fault_store.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::engine {

class EngineFixture : public testing::Test {
 protected:
  EngineFixture() { Start(); }

  void Start() {
    EngineOptions options;
    options.store = &faults_;
    options.search_pool = &pool_;
    options.write_pool = &pool_;
    options.merge_pool = &merge_pool_;
    options.budget = &budget_;
    options.clock = &clock_;
    options.background = false;
    Result<std::unique_ptr<Engine>> engine = Engine::Open(options);
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(*engine);
  }
  // As a process that is killed: nothing is flushed, what was not synced is lost.
  void CrashAndRestart() {
    ASSERT_TRUE(faults_.Crash().ok());
    engine_.reset();
    faults_.Heal();
    Start();
  }

  // A value that lives as long as the test.
  json::Value Json(std::string_view text) {
    Result<json::Document> document = json::Document::ParseOwned(std::string(text));
    EXPECT_TRUE(document.ok()) << text;
    documents_.push_back(std::move(*document));
    return documents_.back().root();
  }
  Status Create(std::string_view name, std::string_view body = "{}") {
    return engine_->CreateIndex(name, Json(body)).status();
  }
  Result<WriteResult> Put(std::string index, std::string id, std::string source,
                          RefreshPolicy refresh = RefreshPolicy::kNone) {
    WriteRequest request;
    request.index = std::move(index);
    request.id = std::move(id);
    request.source = std::move(source);
    return engine_->Write(std::move(request), refresh);
  }
  Result<WriteResult> Update(std::string index, std::string id, std::string body) {
    WriteRequest request;
    request.kind = OperationKind::kUpdate;
    request.index = std::move(index);
    request.id = std::move(id);
    request.source = std::move(body);
    return engine_->Write(std::move(request), RefreshPolicy::kNone);
  }
  Result<WriteResult> Delete(std::string index, std::string id) {
    WriteRequest request;
    request.kind = OperationKind::kDelete;
    request.index = std::move(index);
    request.id = std::move(id);
    return engine_->Write(std::move(request), RefreshPolicy::kNone);
  }
  // The source of a document, "missing", or the error's message.
  std::string Source(std::string index, std::string id) {
    GetRequest request;
    request.index = std::move(index);
    request.id = std::move(id);
    const Result<GetResult> result = engine_->Get(request);
    if (!result.ok()) return result.error().message();
    return result->found ? result->source.value_or("no source") : "missing";
  }
  std::string Names(std::string_view expression, const IndicesOptions& options = {}) {
    const auto found = engine_->Resolve(expression, options);
    if (!found.ok()) return found.error().message();
    std::string names;
    for (const IndexMetadataPtr& metadata : *found) names += (names.empty() ? "" : ",") + metadata->name;
    return names;
  }
  IndexMetadataPtr Metadata(std::string_view name) { return engine_->Resolve(name, {}).value().at(0); }
  BulkResponse Bulk(std::string_view body, RefreshPolicy refresh = RefreshPolicy::kNone) {
    BulkDefaults defaults;
    defaults.index = "i";
    Result<BulkRequest> request = ParseBulk(body, defaults);
    EXPECT_TRUE(request.ok()) << request.status().ToString();
    return engine_->Bulk(std::move(*request), refresh);
  }

  store::MemoryStore store_;
  store::FaultStore faults_{store_};
  runtime::ThreadPool pool_{"work", 2, 1000};
  runtime::ThreadPool merge_pool_{"merge", 1, 1000};
  runtime::MemoryBudget budget_{1ull << 30};
  FakeClock clock_;
  std::vector<json::Document> documents_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace tiercel::engine
