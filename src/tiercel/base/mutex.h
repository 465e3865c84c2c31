// Mutex and MutexLock: std::mutex with Clang's thread-safety annotations, so that -Wthread-safety checks our locking.
//
//   Mutex mutex_;
//   int value_ GUARDED_BY(mutex_);
//
// Thread safety: the point. Cost: that of std::mutex. No lock is held across store I/O unless its header says so.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define TIERCEL_ANNOTATE(x) __attribute__((x))
#else
#define TIERCEL_ANNOTATE(x)
#endif
#define CAPABILITY(x) TIERCEL_ANNOTATE(capability(x))
#define SCOPED_CAPABILITY TIERCEL_ANNOTATE(scoped_lockable)
#define GUARDED_BY(x) TIERCEL_ANNOTATE(guarded_by(x))
#define PT_GUARDED_BY(x) TIERCEL_ANNOTATE(pt_guarded_by(x))
#define REQUIRES(...) TIERCEL_ANNOTATE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) TIERCEL_ANNOTATE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) TIERCEL_ANNOTATE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) TIERCEL_ANNOTATE(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS TIERCEL_ANNOTATE(no_thread_safety_analysis)

namespace tiercel {

class CAPABILITY("mutex") Mutex {
 public:
  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Releases `mutex`, waits for a notification (or a spurious wake-up), takes it again.
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // As Wait, for at most `duration`; false when the time ran out.
  bool WaitFor(Mutex& mutex, std::chrono::nanoseconds duration) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool notified = condition_.wait_for(lock, duration) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace tiercel
