// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime whose device "fake-gpu" computes D = A * B^T in f32 on the host. A
// kernel behaves as the schedule in its artifact says:
//   good     takes 2 ms
//   slow     takes 6 ms
//   wrong    the last element is off by 1 %
//   missing  the last element is not written
//   fault    the device breaks and stays broken
//   guarded  no entry's guard holds
//   signal   takes 2 ms; SIGINT arrives while it runs
#ifndef GEMM_TEST_GEMMBENCH_FAKERUNTIME_H
#define GEMM_TEST_GEMMBENCH_FAKERUNTIME_H

#include <cstddef>
#include <string>

// Bytes that can be allocated at once.
extern size_t fakeMemory;
extern bool deviceBroken;
// Launches of kernels since the start of the process.
extern int kernelLaunches;
// Compilations.
extern int compilations;

// The artifact of such a kernel.
std::string fakeArtifact(const std::string &schedule);

#endif // GEMM_TEST_GEMMBENCH_FAKERUNTIME_H
