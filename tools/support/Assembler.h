// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas, where there is one, asked about the registers of a kernel.
#ifndef GEMM_TOOLS_SUPPORT_ASSEMBLER_H
#define GEMM_TOOLS_SUPPORT_ASSEMBLER_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gemm::tools {

struct RegisterUse {
  int64_t registers = 0;
  // Bytes a thread stores and loads because registers did not suffice.
  int64_t spillStores = 0;
  int64_t spillLoads = 0;
};

// The path of ptxas (PATH, CUDA_HOME, /usr/local/cuda), or "".
std::string findAssembler();

// What `ptxas -v` printed, by name of the entry.
std::map<std::string, RegisterUse>
parseAssemblerOutput(std::string_view output);

// Assembles the text for a target and reads what it says; empty if there is no
// ptxas or it refuses.
std::map<std::string, RegisterUse> assemble(const std::string &ptx,
                                            const std::string &target);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_ASSEMBLER_H
