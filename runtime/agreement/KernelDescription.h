// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to launch a kernel of any compiler: a JSON file beside its PTX.
//
//   {"kernels": [{
//     "name": "matmul f16", "ptx": "matmul.ptx", "entry": "matmul",
//     "grid": [4, 4], "block": [128], "cluster": [2], "shared": 65536,
//     "arguments": [
//       {"buffer": "a", "type": "f16", "count": 4096, "values": "normal"},
//       {"buffer": "c", "type": "f32", "count": 4096, "values": "zero",
//        "expected": "c.f64", "tolerance": 1e-3},
//       {"address": "a"}, {"address": "a", "offset": 64},
//       {"map": "a", "type": "f16", "extents": [64, 64], "strides": [128],
//        "box": [64, 8], "swizzle": 128},
//       {"i32": 64}, {"i64": 1}, {"f32": 0.5}, {"f64": 1}]}]}
//
// An entry of "arguments" is one kernel parameter, in order; "hidden": true
// makes a buffer that is none, for maps and addresses. Values: normal (mean 0,
// variance 1), integers (-3 to 3), bits, zero, index, or "file": a file of the
// buffer's bytes. "expected" is a file of as many f64 values, from a reference
// of higher precision; |x - e| <= tolerance * max(1, |e|) must hold on both
// devices. "ulps" allows that difference between the devices, where the kernel
// has approximate instructions. Strides are bytes; swizzle is 0, 32, 64 or 128.
// Every buffer is compared after the launch. Paths are relative to the
// description.
#ifndef GEMM_AGREEMENT_KERNELDESCRIPTION_H
#define GEMM_AGREEMENT_KERNELDESCRIPTION_H

#include "Outcome.h"
#include "Platform.h"

namespace gemm::agreement {

/// Element type of a buffer.
struct BufferType {
  std::string name;
  ValueFormat format;
  unsigned mapType = 0; ///< CUtensorMapDataType; 255: none
};

struct KernelBuffer {
  std::string name;
  BufferType type;
  size_t count = 0;
  std::string values = "zero";
  std::vector<uint8_t> bytes;   ///< from "file", or empty
  std::vector<double> expected; ///< or empty
  double tolerance = 0;
  uint64_t allowedUlps = 0;
};

struct KernelArgument {
  enum Kind { Address, Map, Scalar } kind = Scalar;
  size_t buffer = 0;     ///< Address and Map
  uint64_t offset = 0;   ///< Address, bytes
  uint64_t scalar = 0;   ///< Scalar: its bits
  TiledMapArguments map; ///< Map, without its address
};

struct KernelDescription {
  std::string name, entry, ptx;
  LaunchShape shape;
  std::vector<KernelBuffer> buffers;
  std::vector<KernelArgument> arguments;
};

/// Throws std::invalid_argument, naming the file and what is wrong.
std::vector<KernelDescription> readKernels(const std::string &path);

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_KERNELDESCRIPTION_H
