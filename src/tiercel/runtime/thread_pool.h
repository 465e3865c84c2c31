// ThreadPool: a fixed set of threads over one bounded queue.
//
// Submit refuses with ResourceExhausted (REST: 429 es_rejected_execution_exception) when the queue is full, so that
// load is pushed back instead of piling up. ParallelFor splits one job over the pool and the calling thread, which
// always takes part: it finishes even when every pool thread is busy, so nesting cannot deadlock.
//
// Thread safety: all methods from any thread. Lifetime: the destructor runs what is queued, then joins.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "tiercel/base/status.h"

namespace tiercel::runtime {

class ThreadPool {
 public:
  ThreadPool(std::string name, size_t threads, size_t queue_capacity);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  Status Submit(std::function<void()> task);
  // Calls body(i) once for every i in [0, count), in any order and on several threads; returns when all are done.
  void ParallelFor(size_t count, const std::function<void(size_t)>& body);

  size_t threads() const;
  size_t queued() const;
  uint64_t completed() const;
  uint64_t rejected() const;
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tiercel::runtime
