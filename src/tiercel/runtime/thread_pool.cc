#include "tiercel/runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "tiercel/base/check.h"
#include "tiercel/base/mutex.h"

namespace tiercel::runtime {
namespace {

// One ParallelFor. Helpers that start after the last index was taken touch nothing but `next`, so `body` may be gone by
// then.
struct Job {
  Job(size_t job_count, const std::function<void(size_t)>& job_body) : count(job_count), body(job_body) {}

  void Work() {
    size_t ran = 0;
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count; ++ran) body(i);
    if (ran == 0) return;
    MutexLock lock(mutex);
    finished += ran;
    if (finished == count) all_finished.NotifyAll();
  }

  void Wait() {
    MutexLock lock(mutex);
    while (finished != count) all_finished.Wait(mutex);
  }

  const size_t count;
  const std::function<void(size_t)>& body;
  std::atomic<size_t> next{0};
  Mutex mutex;
  CondVar all_finished;
  size_t finished GUARDED_BY(mutex) = 0;
};

}  // namespace

struct ThreadPool::State {
  State(std::string pool_name, size_t capacity) : name(std::move(pool_name)), queue_capacity(capacity) {}

  bool TryPush(std::function<void()> task) {
    {
      MutexLock lock(mutex);
      if (stopping || queue.size() >= queue_capacity) return false;
      queue.push_back(std::move(task));
    }
    work.NotifyOne();
    return true;
  }

  void Run() noexcept {
    for (;;) {
      std::function<void()> task;
      {
        MutexLock lock(mutex);
        while (queue.empty() && !stopping) work.Wait(mutex);
        if (queue.empty()) return;
        task = std::move(queue.front());
        queue.pop_front();
      }
      task();
      completed.fetch_add(1, std::memory_order_relaxed);
    }
  }

  const std::string name;
  const size_t queue_capacity;
  mutable Mutex mutex;
  CondVar work;
  std::deque<std::function<void()>> queue GUARDED_BY(mutex);
  bool stopping GUARDED_BY(mutex) = false;
  std::atomic<uint64_t> completed{0};
  std::atomic<uint64_t> rejected{0};
  std::vector<std::thread> threads;
};

ThreadPool::ThreadPool(std::string name, size_t threads, size_t queue_capacity)
    : state_(std::make_unique<State>(std::move(name), queue_capacity)) {
  TIERCEL_CHECK(threads > 0, "a pool needs a thread");
  state_->threads.reserve(threads);
  for (size_t i = 0; i < threads; ++i) state_->threads.emplace_back([state = state_.get()] { state->Run(); });
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work.NotifyAll();
  for (std::thread& thread : state_->threads) thread.join();
}

Status ThreadPool::Submit(std::function<void()> task) {
  if (state_->TryPush(std::move(task))) return {};
  state_->rejected.fetch_add(1, std::memory_order_relaxed);
  return ResourceExhausted(
             "rejected execution on " + state_->name + " [queue capacity = " + std::to_string(state_->queue_capacity) +
             ", pool size = " + std::to_string(threads()) + ", queued tasks = " + std::to_string(queued()) +
             ", completed tasks = " + std::to_string(completed()) + "]")
      .WithType("es_rejected_execution_exception");
}

void ThreadPool::ParallelFor(size_t count, const std::function<void(size_t)>& body) {
  if (count == 0) return;
  if (count == 1) return body(0);
  auto job = std::make_shared<Job>(count, body);
  const size_t helpers = std::min(threads(), count - 1);
  for (size_t i = 0; i < helpers; ++i) {
    if (!state_->TryPush([job] { job->Work(); })) break;
  }
  job->Work();
  job->Wait();
}

size_t ThreadPool::threads() const { return state_->threads.size(); }
size_t ThreadPool::queued() const {
  MutexLock lock(state_->mutex);
  return state_->queue.size();
}
uint64_t ThreadPool::completed() const { return state_->completed.load(std::memory_order_relaxed); }
uint64_t ThreadPool::rejected() const { return state_->rejected.load(std::memory_order_relaxed); }
const std::string& ThreadPool::name() const { return state_->name; }

}  // namespace tiercel::runtime
