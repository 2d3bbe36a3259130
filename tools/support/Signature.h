// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel artifact computes and how it is launched, read from its JSON
// description (docs/Artifact.md).
#ifndef GEMM_TOOLS_SUPPORT_SIGNATURE_H
#define GEMM_TOOLS_SUPPORT_SIGNATURE_H

#include "ElementType.h"
#include "ScalarProgram.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm::tools {

enum class Dim : uint8_t { M, N, K, Batch };

std::string_view dimName(Dim dim);

enum class Role : uint8_t { A, B, Epilogue, D };

struct OperandSignature {
  std::string name;
  Role role = Role::A;
  ElementType type = ElementType::F32;
  // None (a scalar in memory), one (a vector) or two dimensions; A is (m, k),
  // B is (n, k), D is (m, n).
  std::vector<Dim> dims;
  bool columnMajor = false;
  bool batched = false;
  // Index of the scalar that, when zero, makes the operand unused.
  std::optional<int> unusedIfZero;
};

struct ScalarSignature {
  std::string name;
  ElementType type = ElementType::F32;
};

struct EntrySignature {
  std::string name;
  std::string schedule;
  int64_t threads = 0;
  int64_t clusterSize = 1;
  int64_t sharedBytes = 0;
  std::string gridKind;
  // One CTA per tile of tileRows x tileCols over the dimensions rows x cols; 0
  // if the grid is of another kind.
  int64_t tileRows = 0;
  int64_t tileCols = 0;
  Dim rows = Dim::M;
  Dim cols = Dim::N;

  // Extent of the tile along M or N.
  int64_t tile(Dim dim) const { return rows == dim ? tileRows : tileCols; }
};

struct Signature {
  std::string name;
  std::string compiler;
  std::string target;
  std::string ptxVersion;
  bool batched = false;
  ElementType accumulator = ElementType::F32;
  std::vector<OperandSignature> operands;
  std::vector<ScalarSignature> scalars;
  // Extents known at compile time, indexed by Dim.
  std::optional<int64_t> fixedExtents[4];
  ScalarProgram epilogue;
  std::vector<EntrySignature> entries;

  // Index of the only A; of the B operands and results in order.
  int operandA() const;
  std::vector<int> operandsB() const;
  std::vector<int> operandsD() const;
};

// Reads the JSON of gemm_kernel_json. Throws ToolError that names the field
// that is missing or wrong.
Signature parseSignature(std::string_view json);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_SIGNATURE_H
