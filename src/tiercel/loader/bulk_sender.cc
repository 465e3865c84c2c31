#include "tiercel/loader/bulk_sender.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"

namespace tiercel::loader {
namespace {

constexpr size_t kReasonsMax = 100;

// Documents on their way: the text of action and source lines, and where each document's pair begins.
struct Batch {
  std::string body;
  std::vector<size_t> starts;

  std::string_view Pair(size_t i) const {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : body.size();
    return std::string_view(body).substr(starts[i], end - starts[i]);
  }
  void Append(std::string_view pair) {
    starts.push_back(body.size());
    body += pair;
  }
};

// "2 documents failed like this": digits and quoted values differ from document to document, so they are cut out.
std::string ReasonKey(json::Value error) {
  if (error.is_string()) return std::string(error.as_string());
  std::string key;
  if (const json::Value type = error["type"]; type.is_string()) key = std::string(type.as_string());
  if (const json::Value reason = error["reason"]; reason.is_string()) {
    std::string text(reason.as_string());
    if (const size_t preview = text.find(" in document with id"); preview != std::string::npos) text.resize(preview);
    if (text.starts_with('[')) {  // "[1:12] failed to parse …": the place differs
      if (const size_t close = text.find("] "); close != std::string::npos && close < 16) text.erase(0, close + 2);
    }
    key += ": " + text;
  }
  return key.empty() ? "unknown error" : key;
}

}  // namespace

struct BulkSender::State {
  explicit State(BulkOptions with) : options(std::move(with)) {}

  void Run();
  void SendWithRetries(HttpClient& client, Batch batch);
  // Counts answered documents; returns those that must be sent again.
  Batch Digest(const Batch& batch, const HttpReply& reply);
  void Fail(const Batch& batch, const std::string& reason);
  void CountFailure(const std::string& reason, uint64_t documents) REQUIRES(mutex);

  const BulkOptions options;
  Batch filling;  // belongs to the thread that calls Add
  std::vector<std::thread> threads;

  mutable Mutex mutex;
  CondVar changed;
  std::deque<Batch> queue GUARDED_BY(mutex);
  bool closing GUARDED_BY(mutex) = false;
  bool abandoned GUARDED_BY(mutex) = false;
  BulkCounters counters GUARDED_BY(mutex);
};

BulkSender::BulkSender(BulkOptions options) : state_(std::make_unique<State>(std::move(options))) {
  for (size_t i = 0; i < std::max<size_t>(1, state_->options.connections); ++i) {
    state_->threads.emplace_back([state = state_.get()] { state->Run(); });
  }
}

BulkSender::~BulkSender() {
  {
    MutexLock lock(state_->mutex);
    state_->closing = state_->abandoned = true;
    state_->queue.clear();
  }
  state_->changed.NotifyAll();
  for (std::thread& thread : state_->threads) {
    if (thread.joinable()) thread.join();
  }
}

void BulkSender::Add(std::string_view id, std::string_view document) {
  Batch& batch = state_->filling;
  std::string pair;
  pair.reserve(document.size() + id.size() + 40);
  pair += "{\"" + state_->options.action + "\":{";
  if (!id.empty()) {
    pair += "\"_id\":";
    json::AppendQuoted(id, pair);
  }
  pair += "}}\n";
  pair += document;
  pair += '\n';
  batch.Append(pair);
  if (batch.starts.size() < state_->options.batch_documents_max && batch.body.size() < state_->options.batch_bytes_max)
    return;
  MutexLock lock(state_->mutex);
  while (state_->queue.size() >= state_->threads.size()) state_->changed.Wait(state_->mutex);
  state_->queue.push_back(std::exchange(batch, {}));
  state_->changed.NotifyAll();
}

void BulkSender::Finish() {
  {
    MutexLock lock(state_->mutex);
    if (!state_->filling.starts.empty()) state_->queue.push_back(std::exchange(state_->filling, {}));
    state_->closing = true;
  }
  state_->changed.NotifyAll();
  for (std::thread& thread : state_->threads) thread.join();
}

BulkCounters BulkSender::counters() const {
  MutexLock lock(state_->mutex);
  return state_->counters;
}

void BulkSender::State::Run() {
  HttpClient client(options.endpoint);
  while (true) {
    Batch batch;
    {
      MutexLock lock(mutex);
      while (queue.empty() && !closing) changed.Wait(mutex);
      if (queue.empty()) return;
      batch = std::move(queue.front());
      queue.pop_front();
    }
    changed.NotifyAll();
    SendWithRetries(client, std::move(batch));
  }
}

void BulkSender::State::SendWithRetries(HttpClient& client, Batch batch) {
  int64_t backoff_ms = options.first_backoff_ms;
  for (int attempt = 0;; ++attempt) {
    const Result<HttpReply> reply =
        client.Send("POST", "/" + options.index + "/_bulk", batch.body, "application/x-ndjson");
    if (reply.ok()) {
      batch = Digest(batch, *reply);
      if (batch.starts.empty()) return;
    }
    bool give_up = attempt >= options.retries_max;
    {
      MutexLock lock(mutex);
      give_up = give_up || abandoned;
      if (!give_up) counters.retried += batch.starts.size();
    }
    if (give_up)
      return Fail(batch, reply.ok() ? "still refused with 429 after " + std::to_string(attempt + 1) + " attempts"
                                    : reply.error().message());
    std::this_thread::sleep_for(std::chrono::milliseconds(backoff_ms));
    backoff_ms = std::min<int64_t>(backoff_ms * 2, 10'000);
  }
}

Batch BulkSender::State::Digest(const Batch& batch, const HttpReply& reply) {
  if (reply.status == 429 || reply.status == 502 || reply.status == 503 || reply.status == 504) return batch;
  const Result<json::Document> answer = json::Document::Parse(reply.body);
  if (!answer.ok() || reply.status != 200 || !answer->root()["items"].is_array() ||
      answer->root()["items"].size() != batch.starts.size()) {
    const std::string what =
        answer.ok() && answer->root()["error"].exists() ? ReasonKey(answer->root()["error"]) : "unexpected answer";
    Fail(batch, "HTTP " + std::to_string(reply.status) + ": " + what);
    return {};
  }
  Batch again;
  MutexLock lock(mutex);
  size_t i = 0;
  for (const json::Value item : answer->root()["items"].elements()) {
    json::Value result;
    for (const auto [action, value] : item.members()) result = value;
    const int64_t status = result["status"].is_integer() ? result["status"].as_int64() : 500;
    const std::string_view pair = batch.Pair(i++);
    if (status == 429) {
      again.Append(pair);
      continue;
    }
    ++counters.sent;
    counters.bytes += pair.size();
    if (status < 300)
      ++counters.indexed;
    else
      CountFailure(ReasonKey(result["error"]), 1);
  }
  return again;
}

void BulkSender::State::Fail(const Batch& batch, const std::string& reason) {
  MutexLock lock(mutex);
  counters.sent += batch.starts.size();
  counters.bytes += batch.body.size();
  CountFailure(reason, batch.starts.size());
}

void BulkSender::State::CountFailure(const std::string& reason, uint64_t documents) {
  counters.failed += documents;
  const bool fits = counters.failures.size() < kReasonsMax || counters.failures.contains(reason);
  counters.failures[fits ? reason : "other reasons"] += documents;
}

}  // namespace tiercel::loader
