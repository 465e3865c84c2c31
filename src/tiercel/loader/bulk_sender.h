// BulkSender: sends documents as bulk requests over several connections, retrying what the endpoint pushes back.
//
// Add blocks while every connection is busy and one batch waits for each (back-pressure), so memory is bounded by
// 2 * connections * batch_bytes. A 429, for the request or for an item, and a connection that fails are retried with
// exponential back-off; every other refusal is counted under its reason. Errors: after the retries are used up the
// batch counts as failed and the rest goes on.
//
// Thread safety: Add and Finish from one thread; counters() from any. Lifetime: the destructor abandons what is queued.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/loader/http_client.h"

namespace tiercel::loader {

struct BulkOptions {
  Endpoint endpoint;
  std::string index;
  std::string action = "index";  // or "create"
  size_t connections = 2;
  size_t batch_documents_max = 1000;
  size_t batch_bytes_max = 5u << 20;
  int retries_max = 8;
  int64_t first_backoff_ms = 50;
};

struct BulkCounters {
  uint64_t sent = 0;  // documents answered, well or badly
  uint64_t indexed = 0;
  uint64_t failed = 0;
  uint64_t retried = 0;                      // documents sent again after a 429 or a lost connection
  uint64_t bytes = 0;                        // of documents answered
  std::map<std::string, uint64_t> failures;  // "type: reason" → documents; at most 100 different ones are kept apart
};

class BulkSender {
 public:
  explicit BulkSender(BulkOptions options);
  ~BulkSender();

  // One document, as JSON on one line; `id` empty lets the endpoint make one.
  void Add(std::string_view id, std::string_view document);
  // Sends what is left and waits for every answer.
  void Finish();
  BulkCounters counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::loader
