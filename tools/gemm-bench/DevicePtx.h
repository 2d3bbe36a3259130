// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX of the kernels that prepare, check and calibrate a measurement. Source:
// the PTX ISA manual; the sections are named where it matters.
#ifndef GEMM_BENCH_DEVICEPTX_H
#define GEMM_BENCH_DEVICEPTX_H

#include "support/ElementType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gemm::bench {

using tools::ElementType;

// `.version`, `.target` and `.address_size` lines.
std::string ptxHeader(const std::string &version, const std::string &target);

// fill(u64 data, u64 count, u64 key): `count` standard normal elements of
// `type` (8-bit integers: 32 times that), each a function of key and index.
std::string fillPtx(ElementType type);

// For elements of `bytes` bytes:
// set_bits(u64 data, u64 count, u64 bits): stores `bits` everywhere.
// gather(u64 to, u64 from, u64 rowOffsets, u64 colOffsets, u64 rows, u64 cols):
//   to[i * cols + j] = from[rowOffsets[i] + colOffsets[j]].
// count_equal(u64 data, u64 lines, u64 length, u64 pitch, u64 batches,
//   u64 batchStride, u64 bits, u64 out): adds the number of elements that equal
//   `bits` to out[0] and lowers out[1] to the smallest such element's number,
//   (batch * lines + line) * length + position.
std::string elementPtx(size_t bytes);

// nothing(): returns at once.
// read(u64 data, u64 chunks, u64 out): loads `chunks` times 128 bytes per
//   thread.
// copy(u64 to, u64 from, u64 chunks).
std::string memoryPtx();
// Bytes that one thread moves per chunk.
constexpr int64_t memoryChunk = 128;

// A kernel that does nothing but multiply-adds of a type: multiply(u64 data,
// u32 iterations, u64 out). `data` has operandBytes of elements; out[0] and
// out[1] receive the clock cycles and nanoseconds that block 0 took, then come
// results nobody reads, resultBytes per thread.
struct RatePtx {
  std::string instruction;
  std::string text;
  unsigned threads = 0;
  unsigned sharedBytes = 0;
  unsigned blocksPerMultiprocessor = 1;
  double operationsPerIteration = 0; // Of one block, two per multiply-add.
};
constexpr size_t rateOperandBytes = 48 << 10;
constexpr size_t rateHeaderBytes = 16, rateResultBytes = 8;

// From the fastest instruction to the most common; which one a device has, its
// driver says. Empty: the type is not multiplied.
std::vector<RatePtx> ratePtx(ElementType type);

} // namespace gemm::bench

#endif // GEMM_BENCH_DEVICEPTX_H
