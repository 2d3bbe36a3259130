// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the emulator's tests: parse, allocate, launch, look.
#ifndef GEMM_EMULATOR_TEST_SUPPORT_H
#define GEMM_EMULATOR_TEST_SUPPORT_H

#include "Emulator.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gemm::emulator::test {

inline std::string header(const std::string &target = "sm_90a",
                          const std::string &version = "8.0") {
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n";
}

/// A kernel `k(.param .u64 out, .param .u64 in)` with registers declared.
inline std::string kernel(const std::string &body,
                          const std::string &target = "sm_90a") {
  return header(target) +
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
         ".reg .pred %p<16>;\n.reg .b16 %h<32>;\n.reg .b32 %r<64>;\n.reg .f32 "
         "%f<64>;\n.reg .b64 %rd<32>;\n.reg .f64 %d<16>;\n"
         "ld.param.u64 %rd0, [out];\nld.param.u64 %rd1, [in];\n" +
         body + "\nret;\n}\n";
}

inline std::string readText(const std::string &name) {
  std::ifstream f(std::string(GEMM_EMULATOR_TEST_DIR) + "/" + name,
                  std::ios::binary);
  EXPECT_TRUE(bool(f)) << name;
  return std::string(std::istreambuf_iterator<char>(f), {});
}

/// Parses, or fails the test.
inline std::shared_ptr<const Module> parsed(const std::string &ptx) {
  auto m = Module::parse(ptx);
  EXPECT_TRUE(bool(m)) << m.error();
  return m ? *m : nullptr;
}

inline std::unique_ptr<Device> device(const std::string &target = "sm_90a") {
  auto d = Device::create(target);
  EXPECT_TRUE(bool(d)) << d.error();
  return d ? std::move(*d) : nullptr;
}

template <class T> uint64_t upload(Device &d, const std::vector<T> &data) {
  auto a = d.allocate(data.size() * sizeof(T));
  EXPECT_TRUE(bool(a)) << a.error();
  EXPECT_EQ(d.write(*a, data.data(), data.size() * sizeof(T)), "");
  return *a;
}
template <class T>
std::vector<T> download(const Device &d, uint64_t address, size_t n) {
  std::vector<T> data(n);
  EXPECT_EQ(d.read(address, data.data(), n * sizeof(T)), "");
  return data;
}

/// Runs `kernel(body)` with one CTA; `out` has n entries of T and starts
/// undefined.
template <class T> struct RunResult {
  LaunchResult launch;
  std::vector<T> out;
};
template <class T, class In = uint32_t>
RunResult<T> runBody(const std::string &body, size_t n,
                     const std::vector<In> &in = std::vector<In>(1),
                     unsigned threads = 32, const LaunchOptions &options = {},
                     const std::string &target = "sm_90a", Dim3 grid = {},
                     Dim3 cluster = {}, size_t shared = 0) {
  RunResult<T> r;
  auto m = parsed(kernel(body, target));
  if (!m)
    return r;
  auto d = device(target);
  uint64_t out = *d->allocate(std::max<size_t>(n, 1) * sizeof(T)),
           input = upload(*d, in);
  void *params[] = {&out, &input};
  r.launch = d->launch(*m, "k", grid, {threads, 1, 1}, cluster, shared, params,
                       options);
  r.out = download<T>(*d, out, n);
  return r;
}

/// True if some report has the kind and, when given, the PTX line.
inline bool hasReport(const LaunchResult &r, ReportKind kind,
                      Severity severity = Severity::Error) {
  for (const Report &x : r.reports)
    if (x.kind == kind && x.severity == severity)
      return true;
  return false;
}

inline uint32_t bits(float f) {
  uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}

} // namespace gemm::emulator::test

#endif // GEMM_EMULATOR_TEST_SUPPORT_H
