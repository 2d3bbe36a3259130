// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was executed: by class of instruction and by PTX line.
#include "Machine.h"

#include <algorithm>
#include <string_view>

namespace gemm::emulator {

namespace {

bool has(std::string_view opcode, std::string_view word) {
  return opcode.find(word) != std::string_view::npos;
}

/// Loads and stores, by their state space.
const char *memoryClass(std::string_view opcode) {
  const bool store = opcode.starts_with("st") || has(opcode, ".store");
  if (has(opcode, ".shared") || has(opcode, "matrix."))
    return store ? "shared store" : "shared load";
  if (has(opcode, ".global"))
    return store ? "global store" : "global load";
  if (has(opcode, ".local"))
    return store ? "local store" : "local load";
  if (has(opcode, ".param"))
    return store ? "local store" : "parameter load";
  if (has(opcode, ".const"))
    return "constant load";
  return store ? "generic store" : "generic load";
}

/// Commits and waits order work, they do none.
bool isWait(std::string_view opcode) {
  return has(opcode, "commit_group") || has(opcode, "wait_group") ||
         has(opcode, "wait_all") || has(opcode, "mbarrier.arrive") ||
         has(opcode, "wgmma.fence");
}

const char *classOf(const Inst &i, std::string_view opcode) {
  switch (i.opClass) {
  case OpClass::Integer:
    return "integer";
  case OpClass::Float:
    return "float";
  case OpClass::Convert:
    return "conversion";
  case OpClass::Compare:
    return "comparison";
  case OpClass::Move:
    return "move";
  case OpClass::Matrix:
    return isWait(opcode) ? "synchronization" : "tensor";
  case OpClass::Memory:
    return memoryClass(opcode);
  case OpClass::Atomic:
    return "atomic";
  case OpClass::Async:
    return isWait(opcode) ? "synchronization" : "async copy";
  case OpClass::Barrier:
    return "synchronization";
  case OpClass::Warp:
    return "warp";
  case OpClass::Control:
    return "control";
  case OpClass::Other:
    break;
  }
  for (const char *word : {"call", "ret", "exit"})
    if (opcode == word || opcode.starts_with(std::string(word) + "."))
      return "control";
  return "other";
}

/// Multiply-adds x 2, adds, multiplies and the like of one lane.
unsigned floatOperations(std::string_view opcode) {
  const bool fused = opcode.starts_with("fma") || opcode.starts_with("mad");
  return (has(opcode, "x2") ? 2 : 1) * (fused ? 2 : 1);
}

} // namespace

void Machine::finishCounters() {
  Counters &c = result.counters;
  std::map<std::pair<unsigned, std::string_view>, SiteCounters> bySite;
  std::map<std::string_view, ClassCounters> byClass;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    const FunctionCode &fn = module.functions[f];
    for (size_t pc = 0; pc < fn.code.size(); ++pc) {
      const uint64_t warps = siteWarp[f][pc], lanes = siteLane[f][pc];
      if (!warps || fn.code[pc].run == executeJoin)
        continue;
      const Inst &i = fn.code[pc];
      const std::string &opcode = fn.opcodes[pc];
      const char *name = classOf(i, opcode);
      c.warpInstructions += warps;
      c.laneInstructions += lanes;
      ClassCounters &cls = byClass[name];
      cls.name = name;
      cls.warpInstructions += warps;
      cls.laneInstructions += lanes;
      if (name == std::string_view("tensor")) // imm: operations of a warp
        c.tensorOps += uint64_t(i.imm) * (lanes / kLanes);
      if (i.opClass == OpClass::Float)
        c.floatOps += lanes * floatOperations(opcode);
      SiteCounters &s = bySite[{i.line, opcode}];
      s.line = i.line;
      s.opcode = opcode;
      s.className = name;
      s.warpInstructions += warps;
      s.laneInstructions += lanes;
      if (auto memory = siteMemory.find(&i); memory != siteMemory.end()) {
        s.sharedRequests += memory->second.sharedRequests;
        s.sharedWavefronts += memory->second.wavefronts;
        s.sharedIdealWavefronts += memory->second.ideal;
        s.globalRequests += memory->second.globalRequests;
        s.globalSectors += memory->second.sectors;
      }
    }
  }
  for (auto &[key, s] : bySite)
    c.sites.push_back(std::move(s));
  for (const auto &[name, cls] : byClass)
    c.classes.push_back(cls);
  std::stable_sort(c.classes.begin(), c.classes.end(),
                   [](const ClassCounters &a, const ClassCounters &b) {
                     return a.warpInstructions > b.warpInstructions;
                   });
}

} // namespace gemm::emulator
