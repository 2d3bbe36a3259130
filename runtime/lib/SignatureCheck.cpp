// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SignatureCheck.h"
#include "Error.h"

using namespace gemm::runtime;

void gemm::runtime::checkParameters(const EntryRequest &entry,
                                    std::span<const size_t> ptxBytes) {
  auto fail = [&](const std::string &message) {
    throw Error(GEMM_ERROR_INVALID_ARTIFACT,
                "entry " + entry.name + ": " + message);
  };
  const std::vector<uint32_t> &described = entry.parameterBytes;
  if (ptxBytes.size() != described.size())
    fail("the PTX has " + std::to_string(ptxBytes.size()) +
         " parameters, the description " + std::to_string(described.size()));
  for (size_t i = 0; i < described.size(); ++i)
    if (ptxBytes[i] != described[i])
      fail("parameter " + std::to_string(i) + " has " +
           std::to_string(ptxBytes[i]) + " bytes in the PTX, " +
           std::to_string(described[i]) + " in the description");
}

void gemm::runtime::checkSharedMemory(const EntryRequest &entry,
                                      int64_t staticBytes, int64_t limit) {
  int64_t needed = staticBytes + int64_t(entry.sharedBytes);
  if (needed > limit)
    throw Error(GEMM_ERROR_UNSUPPORTED,
                "entry " + entry.name + " needs " + std::to_string(needed) +
                    " bytes of shared memory per CTA, " +
                    std::to_string(needed - limit) +
                    " more than the device's " + std::to_string(limit));
}

void gemm::runtime::checkThreads(const EntryRequest &entry, int64_t limit) {
  if (int64_t(entry.threads) > limit)
    throw Error(GEMM_ERROR_UNSUPPORTED,
                "entry " + entry.name + " needs " +
                    std::to_string(entry.threads) +
                    " threads per CTA, its registers and launch bounds allow " +
                    std::to_string(limit));
}
