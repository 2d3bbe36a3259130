//===- Targets.cpp - The target table -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by column. PTX: PTX ISA, "Release Notes", the version that adds the
// target. Shared memory, registers, threads: CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability" (maximum shared memory per
// SM and, opted in, per block). cp.async: PTX ISA, "cp.async", target notes.
// TMA: PTX ISA, "cp.async.bulk.tensor", target notes. Instructions:
// Instructions.cpp.
//
// The first tensor cores (sm_70) have mma.m8n8k4 on quad pairs only, which no
// schedule uses, so that row has none.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "llvm/ADT/STLExtras.h"

namespace gemm {

namespace {

constexpr int64_t kib = 1024;

using Group = llvm::ArrayRef<Instruction> (*)();

/// The table, and the storage of its instruction lists.
class Table {
public:
  Table() {
    using namespace detail;
    constexpr auto fma = getFmaInstructions;
    constexpr auto m75 = getMmaSync75;
    constexpr auto m80 = getMmaSync80;
    constexpr auto m89 = getMmaSync89;
    constexpr auto m90 = getMmaSync90;
    constexpr auto w90 = getWgmma90;
    constexpr int64_t regs = 65536;
    // clang-format off
    //  name       PTX  shared/CTA  shared/SM  registers  threads/CTA,SM  cp.async TMA
    add("sm_70",   60,   96 * kib,  96 * kib,  regs, 255, 1024, 2048, false, false, {fma});
    add("sm_75",   63,   64 * kib,  64 * kib,  regs, 255, 1024, 1024, false, false, {fma, m75});
    add("sm_80",   70,  163 * kib, 164 * kib,  regs, 255, 1024, 2048, true,  false, {fma, m75, m80});
    add("sm_86",   71,   99 * kib, 100 * kib,  regs, 255, 1024, 1536, true,  false, {fma, m75, m80});
    add("sm_89",   78,   99 * kib, 100 * kib,  regs, 255, 1024, 1536, true,  false, {fma, m75, m80, m89});
    add("sm_90a",  80,  227 * kib, 228 * kib,  regs, 255, 1024, 2048, true,  true,  {fma, m75, m80, m89, m90, w90});
    add("sm_100a", 86,  227 * kib, 228 * kib,  regs, 255, 1024, 2048, true,  true,  {fma, m75, m80, m89, m90});
    add("sm_120a", 87,   99 * kib, 100 * kib,  regs, 255, 1024, 1536, true,  true,  {fma, m75, m80, m89, m90});
    // clang-format on
    for (auto [row, list] : llvm::zip_equal(rows, lists))
      row.instructions = list;
  }

  llvm::ArrayRef<TargetInfo> getRows() const { return rows; }

private:
  void add(llvm::StringRef name, int ptx, int64_t sharedPerCta,
           int64_t sharedPerSm, int64_t registersPerSm,
           int64_t registersPerThread, int64_t threadsPerCta,
           int64_t threadsPerSm, bool hasCpAsync, bool hasTma,
           std::initializer_list<Group> groups) {
    rows.push_back({name, ptx, sharedPerCta, sharedPerSm, registersPerSm,
                    registersPerThread, threadsPerCta, threadsPerSm, hasCpAsync,
                    hasTma, /*instructions=*/{}});
    lists.emplace_back();
    for (Group group : groups)
      llvm::append_range(lists.back(), group());
  }

  std::vector<TargetInfo> rows;
  std::vector<std::vector<Instruction>> lists;
};

} // namespace

static llvm::ArrayRef<TargetInfo> getRows() {
  static const Table table;
  return table.getRows();
}

const TargetInfo *lookupTarget(llvm::StringRef name) {
  for (const TargetInfo &row : getRows())
    if (row.name == name)
      return &row;
  return nullptr;
}

const TargetInfo &getDefaultTarget() { return *lookupTarget("sm_90a"); }

std::string knownTargets() {
  return llvm::join(
      llvm::map_range(getRows(),
                      [](const TargetInfo &row) { return row.name; }),
      ", ");
}

} // namespace gemm
