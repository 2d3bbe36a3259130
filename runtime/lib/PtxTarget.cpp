// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PtxTarget.h"

#include <charconv>

using namespace gemm::runtime;

std::string gemm::runtime::whyTargetUnsupported(std::string_view target,
                                                int major, int minor) {
  const std::string device = "the device has compute capability " +
                             std::to_string(major) + "." +
                             std::to_string(minor);
  constexpr std::string_view prefix = "sm_";
  int capability = 0;
  const char *end = target.data() + target.size();
  const char *suffix = end;
  if (target.starts_with(prefix))
    suffix =
        std::from_chars(target.data() + prefix.size(), end, capability).ptr;
  std::string_view kind(suffix, size_t(end - suffix));
  if (capability == 0 || (kind != "" && kind != "a" && kind != "f"))
    return "'" + std::string(target) + "' is no PTX target of a GPU";
  const int have = 10 * major + minor;
  const std::string name(target);
  if (kind == "a" && have != capability)
    return "the artifact is for " + name +
           ", which runs on that architecture only; " + device;
  if (kind == "f" && (have < capability || major != capability / 10))
    return "the artifact is for " + name +
           ", which runs on later GPUs of the "
           "same family only; " +
           device;
  if (have < capability)
    return "the artifact is for " + name +
           ", which runs on this or a later architecture; " + device;
  return "";
}

std::string gemm::runtime::mostSpecificTarget(int major, int minor) {
  return "sm_" + std::to_string(10 * major + minor) + (major >= 9 ? "a" : "");
}
