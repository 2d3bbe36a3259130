// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DriverVersion.h"

using namespace gemm::runtime::cuda;

namespace {
struct PtxRelease {
  int ptx;  ///< 10 * major + minor
  int cuda; ///< 1000 * major + 10 * minor
};
} // namespace

// PTX ISA, "Release Notes", table "PTX Release History".
static constexpr PtxRelease releases[] = {
    {60, 9000},  {61, 9010},  {62, 9020},  {63, 10000}, {64, 10010},
    {65, 10020}, {70, 11000}, {71, 11010}, {72, 11020}, {73, 11030},
    {74, 11040}, {75, 11050}, {76, 11060}, {77, 11070}, {78, 11080},
    {80, 12000}, {81, 12010}, {82, 12020}, {83, 12030}, {84, 12040},
    {85, 12050}, {86, 12070}, {87, 12080}, {88, 12090}, {90, 13000}};

std::string gemm::runtime::cuda::cudaVersionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

int gemm::runtime::cuda::cudaVersionForPtx(int major, int minor) {
  int ptx = 10 * major + minor;
  for (const PtxRelease &release : releases)
    if (ptx <= release.ptx)
      return release.cuda;
  return 0;
}
