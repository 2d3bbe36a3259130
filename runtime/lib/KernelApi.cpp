// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface's kernels and problems.
#include "CApi.h"
#include "Guard.h"
#include "Kernel.h"

#include <algorithm>
#include <cstring>

using namespace gemm::runtime;

gemm_status gemm_kernel_load(gemm_device *device, const char *text, size_t size,
                             gemm_kernel **kernel) {
  return guarded([&] {
    requireArgument(text, "text");
    requireArgument(kernel, "kernel");
    *kernel = loadKernel(device, {text, size}).release();
  });
}

void gemm_kernel_unload(gemm_kernel *kernel) { delete kernel; }

const char *gemm_kernel_name(const gemm_kernel *kernel) {
  return kernel->artifact.name.c_str();
}

const char *gemm_kernel_target(const gemm_kernel *kernel) {
  return kernel->artifact.target.c_str();
}

const char *gemm_kernel_json(const gemm_kernel *kernel) {
  return kernel->artifact.json.c_str();
}

const char *gemm_kernel_accumulator(const gemm_kernel *kernel) {
  return elementTypeName(kernel->artifact.accumulator);
}

int32_t gemm_kernel_is_batched(const gemm_kernel *kernel) {
  return kernel->artifact.batched;
}

/// Throws unless `index` is below `count` of what `kind` names.
static void requireIndex(const char *kind, size_t index, size_t count) {
  if (index >= count)
    throw Error(GEMM_ERROR_INVALID_ARGUMENT,
                "there is no " + std::string(kind) + " " +
                    std::to_string(index) + ": the kernel has " +
                    std::to_string(count));
}

size_t gemm_kernel_operand_count(const gemm_kernel *kernel) {
  return kernel->artifact.operands.size();
}

gemm_status gemm_kernel_get_operand(const gemm_kernel *kernel, size_t index,
                                    gemm_operand_info *info) {
  return guarded([&] {
    requireArgument(kernel, "kernel");
    requireArgument(info, "info");
    requireIndex("operand", index, kernel->artifact.operands.size());
    const Operand &operand = kernel->artifact.operands[index];
    info->name = operand.name.c_str();
    info->role = operand.role;
    info->type = elementTypeName(operand.type);
    info->element_bytes = static_cast<int32_t>(elementBytes(operand.type));
    info->rank = static_cast<int32_t>(operand.rank);
    info->dims[0] = operand.dims[0];
    info->dims[1] = operand.dims[1];
    info->column_major = operand.columnMajor;
    info->batched = operand.batched;
    info->unused_if_zero = operand.unusedIfZero;
  });
}

size_t gemm_kernel_scalar_count(const gemm_kernel *kernel) {
  return kernel->artifact.scalars.size();
}

gemm_status gemm_kernel_get_scalar(const gemm_kernel *kernel, size_t index,
                                   gemm_scalar_info *info) {
  return guarded([&] {
    requireArgument(kernel, "kernel");
    requireArgument(info, "info");
    requireIndex("scalar", index, kernel->artifact.scalars.size());
    const Scalar &scalar = kernel->artifact.scalars[index];
    info->name = scalar.name.c_str();
    info->type = elementTypeName(scalar.type);
  });
}

size_t gemm_kernel_entry_count(const gemm_kernel *kernel) {
  return kernel->artifact.entries.size();
}

gemm_status gemm_kernel_get_entry(const gemm_kernel *kernel, size_t index,
                                  gemm_entry_info *info) {
  return guarded([&] {
    requireArgument(kernel, "kernel");
    requireArgument(info, "info");
    requireIndex("entry", index, kernel->artifact.entries.size());
    const Entry &entry = kernel->artifact.entries[index];
    info->name = entry.name.c_str();
    info->guard = kernel->guardTexts[index].c_str();
    info->schedule = entry.schedule.c_str();
    info->threads = static_cast<int32_t>(entry.threads);
    info->cluster[0] = static_cast<int32_t>(entry.clusterSize);
    info->cluster[1] = info->cluster[2] = 1;
    info->shared_bytes = static_cast<int32_t>(entry.sharedBytes);
  });
}

/// The caller's problem, checked.
static Problem checked(const gemm_kernel *kernel, const gemm_problem *problem) {
  requireArgument(kernel, "kernel");
  requireArgument(problem, "problem");
  return Problem(kernel->artifact, *problem);
}

gemm_status gemm_kernel_workspace_bytes(const gemm_kernel *kernel,
                                        const gemm_problem *problem,
                                        size_t *bytes) {
  return guarded([&] {
    requireArgument(bytes, "bytes");
    checked(kernel, problem);
    // "none" is the only workspace rule of format 1.
    *bytes = 0;
  });
}

/// "matmul_1, because matmul_0 needs ..." or "matmul_0, because its guard
/// holds: ..." or "matmul_0, which has no guard".
static std::string explain(const gemm_kernel &kernel, size_t chosen,
                           const Problem &problem) {
  const std::vector<Entry> &entries = kernel.artifact.entries;
  std::string reason = entries[chosen].name;
  for (size_t i = 0; i < chosen; ++i)
    reason += (i == 0 ? ", because " : "; ") +
              describeFailure(entries[i], *firstFailing(entries[i], problem),
                              problem);
  if (chosen == 0)
    reason += entries[0].guard.empty()
                  ? ", which has no guard"
                  : ", because its guard holds: " + kernel.guardTexts[0];
  return reason;
}

gemm_status gemm_kernel_select(const gemm_kernel *kernel,
                               const gemm_problem *problem, size_t *entry,
                               char *reason, size_t reason_bytes) {
  return guarded([&] {
    requireArgument(entry, "entry");
    Problem valid = checked(kernel, problem);
    size_t chosen = selectEntry(valid);
    if (reason && reason_bytes) {
      std::string text = explain(*kernel, chosen, valid);
      size_t length = std::min(text.size(), reason_bytes - 1);
      std::memcpy(reason, text.data(), length);
      reason[length] = '\0';
    }
    *entry = chosen;
  });
}

static void requireLoaded(const gemm_kernel &kernel) {
  if (!kernel.module)
    throw Error(GEMM_ERROR_INVALID_ARGUMENT,
                "kernel " + kernel.artifact.name +
                    " was loaded without a device and cannot be launched");
}

gemm_status gemm_kernel_launch(gemm_kernel *kernel, const gemm_problem *problem,
                               gemm_stream stream) {
  return guarded([&] {
    Problem valid = checked(kernel, problem);
    requireLoaded(*kernel);
    if (!valid.isEmpty())
      launchEntry(*kernel, selectEntry(valid), valid, stream);
  });
}

gemm_status gemm_kernel_launch_entry(gemm_kernel *kernel, size_t entry,
                                     const gemm_problem *problem,
                                     gemm_stream stream) {
  return guarded([&] {
    Problem valid = checked(kernel, problem);
    requireLoaded(*kernel);
    requireIndex("entry", entry, kernel->artifact.entries.size());
    const Entry &chosen = kernel->artifact.entries[entry];
    if (const Condition *failing = firstFailing(chosen, valid))
      throw Error(GEMM_ERROR_NO_ENTRY,
                  describeFailure(chosen, *failing, valid));
    if (!valid.isEmpty())
      launchEntry(*kernel, entry, valid, stream);
  });
}
