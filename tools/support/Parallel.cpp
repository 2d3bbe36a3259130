// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gemm::tools {
namespace {

class Pool {
public:
  Pool() {
    unsigned hardware = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < hardware; ++i)
      workers.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex);
      stopping = true;
    }
    start.notify_all();
    for (std::thread &worker : workers)
      worker.join();
  }

  int threads() const { return static_cast<int>(workers.size()) + 1; }

  void run(int64_t count, const std::function<void(int64_t)> &body) {
    // One loop at a time; a second caller waits its turn.
    std::lock_guard turn(callers);
    {
      std::lock_guard lock(mutex);
      task = &body;
      total = count;
      next = 0;
      failure = nullptr;
      running = workers.size();
      ++generation;
    }
    start.notify_all();
    drain();
    std::unique_lock lock(mutex);
    finish.wait(lock, [this] { return running == 0; });
    task = nullptr;
    if (failure)
      std::rethrow_exception(failure);
  }

  static thread_local bool inside;

private:
  void drain() {
    inside = true;
    for (int64_t i = next++; i < total; i = next++) {
      try {
        (*task)(i);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!failure)
          failure = std::current_exception();
        next = total;
      }
    }
    inside = false;
  }

  void work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      start.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping)
        return;
      seen = generation;
      lock.unlock();
      drain();
      lock.lock();
      if (--running == 0)
        finish.notify_one();
    }
  }

  std::vector<std::thread> workers;
  std::mutex callers, mutex;
  std::condition_variable start, finish;
  const std::function<void(int64_t)> *task = nullptr;
  int64_t total = 0;
  std::atomic<int64_t> next = 0;
  std::exception_ptr failure;
  size_t running = 0;
  uint64_t generation = 0;
  bool stopping = false;
};

thread_local bool Pool::inside = false;

Pool &pool() {
  static Pool instance;
  return instance;
}

} // namespace

int parallelThreads() { return pool().threads(); }

void parallelFor(int64_t count, const std::function<void(int64_t)> &body) {
  if (count <= 0)
    return;
  if (count == 1 || Pool::inside) {
    for (int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  pool().run(count, body);
}

void parallelRanges(int64_t count, int64_t grain,
                    const std::function<void(int64_t, int64_t)> &body) {
  grain = std::max<int64_t>(1, grain);
  parallelFor((count + grain - 1) / grain, [&](int64_t i) {
    body(i * grain, std::min(count, (i + 1) * grain));
  });
}

} // namespace gemm::tools
