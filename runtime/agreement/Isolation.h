// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases run in a child process, so that one that loses the device (a CUDA
// context is unusable after an illegal instruction, for the whole process) or
// crashes does not take the others with it: the rest runs in a fresh process.
#ifndef GEMM_AGREEMENT_ISOLATION_H
#define GEMM_AGREEMENT_ISOLATION_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gemm::agreement {

/// State of a case that outlives the process that runs it.
struct SharedCase {
  std::atomic<unsigned> inFlight = 0; ///< batches being run
  std::atomic<bool> finished = false; ///< its line is printed
  std::atomic<bool> agrees = false;
  std::atomic<bool> suspect = false; ///< in flight when a process was lost
  std::atomic<bool> cleared = false; ///< its first batches alone did no harm
};

class SharedProgress {
public:
  /// Throws std::system_error when there is no memory.
  explicit SharedProgress(size_t cases);
  ~SharedProgress();
  SharedProgress(const SharedProgress &) = delete;
  SharedProgress &operator=(const SharedProgress &) = delete;

  SharedCase &operator[](size_t i) { return cases[i]; }
  /// Says why the device is lost; the first of several threads is kept.
  void loseDevice(const std::string &reason);
  std::string reason() const { return text; }
  void clearReason();

  const size_t count;

private:
  static constexpr size_t textBytes = 2048;
  size_t bytes;
  std::atomic<bool> *lost;
  char *text;
  SharedCase *cases;
};

/// Exit status of a child that lost the device.
constexpr int deviceLostStatus = 99;

/// Runs `child` in child processes until one ends by itself, and returns its
/// exit status. When one is lost, the case in flight is reported by `blame` and
/// left out; several in flight become suspects, which the next child is to run
/// alone first. The child gets the number of children before it. A child that
/// runs longer than `seconds` (0: any time) is ended. Returns 0 as well when
/// nothing can be blamed, and says so on stderr.
int runIsolated(SharedProgress &progress, double seconds,
                const std::function<int(unsigned)> &child,
                const std::function<void(size_t, const std::string &)> &blame);

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_ISOLATION_H
