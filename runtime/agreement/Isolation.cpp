// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Isolation.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace gemm::agreement {

SharedProgress::SharedProgress(size_t cases)
    : count(cases), bytes(64 + textBytes + cases * sizeof(SharedCase)) {
  static_assert(std::atomic<unsigned>::is_always_lock_free &&
                std::atomic<bool>::is_always_lock_free);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "mmap");
  char *at = static_cast<char *>(memory);
  lost = new (at) std::atomic<bool>(false);
  text = at + 64;
  this->cases = reinterpret_cast<SharedCase *>(at + 64 + textBytes);
  for (size_t i = 0; i < count; ++i)
    new (&this->cases[i]) SharedCase;
}

SharedProgress::~SharedProgress() { munmap(lost, bytes); }

void SharedProgress::loseDevice(const std::string &reason) {
  if (!lost->exchange(true))
    std::snprintf(text, textBytes, "%s", reason.c_str());
}

void SharedProgress::clearReason() {
  *lost = false;
  text[0] = 0;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Waits for the child; kills it at the deadline. Returns its wait status.
int await(pid_t child, Clock::time_point deadline, bool &killed) {
  int status = 0;
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child)
      return status;
    if (done < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "waitpid");
    if (!killed && Clock::now() > deadline) {
      killed = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

} // namespace

int runIsolated(SharedProgress &progress, double seconds,
                const std::function<int(unsigned)> &child,
                const std::function<void(size_t, const std::string &)> &blame) {
  const Clock::time_point deadline =
      seconds > 0 ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(seconds))
                  : Clock::time_point::max();
  for (unsigned before = 0;; ++before) {
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
      throw std::system_error(errno, std::generic_category(), "fork");
    if (pid == 0) {
      // A child must not go on when its parent is ended from outside.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int status = getppid() == parent ? child(before) : 1;
      std::fflush(nullptr);
      _exit(status);
    }
    bool killed = false;
    const int status = await(pid, deadline, killed);
    if (WIFEXITED(status) && WEXITSTATUS(status) != deviceLostStatus)
      return WEXITSTATUS(status);

    std::string reason = progress.reason();
    if (killed)
      reason = "did not end in time";
    else if (WIFSIGNALED(status))
      reason =
          std::string("the process ended by ") + strsignal(WTERMSIG(status));
    progress.clearReason();
    std::vector<size_t> inFlight;
    for (size_t i = 0; i < progress.count; ++i)
      if (progress[i].inFlight.exchange(0) && !progress[i].finished)
        inFlight.push_back(i);
    if (inFlight.empty()) {
      std::fprintf(stderr, "ptx-agree: %s, outside all cases\n",
                   reason.c_str());
      return 0;
    }
    // Cleared cases are only blamed when there is nobody else.
    const bool seek =
        inFlight.size() > 1 && !killed &&
        std::any_of(inFlight.begin(), inFlight.end(),
                    [&](size_t i) { return !progress[i].cleared; });
    for (size_t i : inFlight) {
      if (seek) {
        progress[i].suspect = !progress[i].cleared;
        continue;
      }
      std::string text = reason;
      if (inFlight.size() > 1)
        text +=
            " (one of " + std::to_string(inFlight.size()) + " cases in flight)";
      blame(i, text);
      progress[i].suspect = false;
      progress[i].finished = true;
    }
    if (killed)
      return 0;
  }
}

} // namespace gemm::agreement
