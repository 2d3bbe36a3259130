// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something to compare: batches that any thread may run in any order.
#ifndef GEMM_AGREEMENT_CASE_H
#define GEMM_AGREEMENT_CASE_H

#include "Outcome.h"
#include "Platform.h"

#include <mutex>
#include <string_view>

namespace gemm::agreement {

struct RunOptions {
  uint64_t seed = 1;
  uint64_t tiles = 100000;          ///< per instruction
  std::vector<std::string> only;    ///< part of a name; empty: all
  std::vector<std::string> kernels; ///< description files
  double seconds = 0;               ///< 0: no limit
  unsigned threads = 0;             ///< 0: one per core
  std::string json; ///< file for the results, a JSON line each; empty: none
};

/// A seed of its own for each batch of each case, the same on every machine.
uint64_t batchSeed(uint64_t seed, std::string_view name, uint64_t batch);

class Case {
public:
  virtual ~Case() = default;
  virtual std::string ptx() const = 0;
  /// Called once, before the first batch.
  void prepare(Platform &first, Platform &second) {
    programs[0] = first.load(ptx(), entry);
    programs[1] = second.load(ptx(), entry);
  }
  /// Runs a batch on both devices. May be called from several threads.
  virtual Outcome run(uint64_t batch, Queue &first, Queue &second) = 0;

  std::string name, entry;
  uint64_t batches = 1;
  Outcome total; ///< guarded by `mutex` while the cases run
  std::mutex mutex;
  std::mutex preparing;
  bool isPrepared = false; ///< guarded by `preparing`

protected:
  std::unique_ptr<Program> programs[2];
};

using CaseList = std::vector<std::unique_ptr<Case>>;

CaseList tileCases(const RunOptions &options);
CaseList scalarCases(const RunOptions &options);
CaseList copyCases(const RunOptions &options);
/// The kernels of the descriptions that `options.kernels` names.
CaseList kernelCases(const RunOptions &options);

/// Keeps the cases that `options.only` names.
void select(CaseList &cases, const RunOptions &options);

/// Runs the first batch of every case and then the rest, in the list's order,
/// until the time is up; prints a line for each case that is complete, and for
/// those that are not at the end. A case that loses the device costs only
/// itself (Isolation.h). Returns the exit status: 0 all agree, 1 some do not, 2
/// a device cannot be opened, 3 there is none.
int runCases(CaseList &cases, const std::string &firstDevice,
             const std::string &secondDevice, const RunOptions &options);

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_CASE_H
