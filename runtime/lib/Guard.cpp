// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Guard.h"
#include "Error.h"

#include <cstdio>

using namespace gemm::runtime;

/// Whether the batch stride of the operand is ever used.
static bool usesBatchStride(const Condition &condition,
                            const Problem &problem) {
  return problem.batches(condition.operand) > 1;
}

static bool holds(const Condition &condition, const Problem &problem) {
  switch (condition.kind) {
  case Condition::Kind::Align:
    return reinterpret_cast<uintptr_t>(
               problem.operand(condition.operand).data) %
               condition.value ==
           0;
  case Condition::Kind::Pitch: {
    const gemm_operand &operand = problem.operand(condition.operand);
    return operand.leading_dimension % condition.value == 0 &&
           (!usesBatchStride(condition, problem) ||
            operand.batch_stride % condition.value == 0);
  }
  case Condition::Kind::ExtentDivisible:
    return problem.extent(condition.dim) % condition.value == 0;
  case Condition::Kind::ExtentAtMost:
    return problem.extent(condition.dim) <= condition.value;
  }
  return false;
}

const Condition *gemm::runtime::firstFailing(const Entry &entry,
                                             const Problem &problem) {
  for (const Condition &condition : entry.guard)
    if (!holds(condition, problem))
      return &condition;
  return nullptr;
}

static std::string divisibleBy(const Condition &condition) {
  return " divisible by " + std::to_string(condition.value);
}

std::string gemm::runtime::describe(const Condition &condition,
                                    const Artifact &artifact) {
  const std::string &operand = artifact.operands[condition.operand].name;
  switch (condition.kind) {
  case Condition::Kind::Align:
    return operand + "'s address" + divisibleBy(condition) + " bytes";
  case Condition::Kind::Pitch:
    return operand + "'s leading dimension" +
           (artifact.operands[condition.operand].batched ? " and batch stride"
                                                         : "") +
           divisibleBy(condition);
  case Condition::Kind::ExtentDivisible:
    return dimName(condition.dim) + divisibleBy(condition);
  case Condition::Kind::ExtentAtMost:
    return std::string(dimName(condition.dim)) + " at most " +
           std::to_string(condition.value);
  }
  return "";
}

std::string gemm::runtime::describeGuard(const Entry &entry,
                                         const Artifact &artifact) {
  std::string text;
  for (const Condition &condition : entry.guard)
    text += (text.empty() ? "" : ", ") + describe(condition, artifact);
  return text;
}

std::string gemm::runtime::describeFailure(const Entry &entry,
                                           const Condition &condition,
                                           const Problem &problem) {
  const gemm_operand &operand = problem.operand(condition.operand);
  const std::string &name = problem.artifact().operands[condition.operand].name;
  std::string needs = describe(condition, problem.artifact());
  std::string got;
  switch (condition.kind) {
  case Condition::Kind::Align: {
    char address[32];
    std::snprintf(address, sizeof address, "%p", operand.data);
    got = address;
    break;
  }
  case Condition::Kind::Pitch:
    // Only the one that is wrong.
    if (operand.leading_dimension % condition.value != 0) {
      needs = name + "'s leading dimension" + divisibleBy(condition);
      got = std::to_string(operand.leading_dimension);
    } else {
      needs = name + "'s batch stride" + divisibleBy(condition);
      got = std::to_string(operand.batch_stride);
    }
    break;
  case Condition::Kind::ExtentDivisible:
  case Condition::Kind::ExtentAtMost:
    got = std::to_string(problem.extent(condition.dim));
    break;
  }
  return "entry " + entry.name + " needs " + needs + ", got " + got;
}

size_t gemm::runtime::selectEntry(const Problem &problem) {
  const Artifact &artifact = problem.artifact();
  for (size_t i = 0; i < artifact.entries.size(); ++i)
    if (!firstFailing(artifact.entries[i], problem))
      return i;
  std::string reasons;
  for (const Entry &entry : artifact.entries)
    reasons += (reasons.empty() ? "" : "; ") +
               describeFailure(entry, *firstFailing(entry, problem), problem);
  throw Error(GEMM_ERROR_NO_ENTRY,
              "kernel " + artifact.name +
                  " has no entry for this problem: " + reasons);
}
