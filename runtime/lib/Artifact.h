// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel artifact in memory, as docs/Artifact.md describes the file. What a
// parsed Artifact holds is consistent: every index is in range, every number
// within the limits of its field.
#ifndef GEMM_RUNTIME_ARTIFACT_H
#define GEMM_RUNTIME_ARTIFACT_H

#include "ElementType.h"
#include "gemm-runtime/runtime.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm::runtime {

/// "m", "n", "k" or "batch".
const char *dimName(gemm_dim dim);

struct Operand {
  std::string name;
  gemm_role role = GEMM_ROLE_A;
  ElementType type = ElementType::F32;
  uint32_t rank = 0;
  std::array<gemm_dim, 2> dims{};
  bool columnMajor = false;
  bool batched = false;
  int32_t unusedIfZero = -1; ///< index of a scalar

  /// Matrices only: the dimension along a line and the one across lines.
  gemm_dim contiguousDim() const { return dims[columnMajor ? 0 : 1]; }
  gemm_dim stridedDim() const { return dims[columnMajor ? 1 : 0]; }
};

struct Scalar {
  std::string name;
  ElementType type = ElementType::F32;
};

/// One conjunct of a guard.
struct Condition {
  enum class Kind { Align, Pitch, ExtentDivisible, ExtentAtMost };
  Kind kind = Kind::Align;
  size_t operand = 0;        ///< Align, Pitch
  gemm_dim dim = GEMM_DIM_M; ///< Extent*; batch_at_most has GEMM_DIM_BATCH
  int64_t value = 1;         ///< bytes (Align) or elements
};

struct Parameter {
  enum class Kind { TensorMap, Pointer, Stride, BatchStride, Extent, Scalar };
  Kind kind = Kind::Pointer;
  size_t index = 0;              ///< operand, or scalar of Kind::Scalar
  gemm_dim dim = GEMM_DIM_M;     ///< Extent
  std::array<uint32_t, 2> box{}; ///< TensorMap: elements, innermost first
  uint32_t swizzle = 0;          ///< TensorMap: bytes
};

/// One CTA per tile of rows x columns, times the batch.
struct Grid {
  gemm_dim rows = GEMM_DIM_M;
  gemm_dim cols = GEMM_DIM_N;
  uint32_t tileRows = 1;
  uint32_t tileCols = 1;
};

struct Entry {
  std::string name;
  std::vector<Condition> guard;
  std::string schedule;
  uint32_t threads = 1;
  uint32_t clusterSize = 1;
  uint32_t sharedBytes = 0;
  Grid grid;
  std::vector<Parameter> parameters;
};

/// Parameters of one entry: more would not be the work of our compiler.
inline constexpr size_t maxParameters = 64;

struct Artifact {
  std::string name;
  std::string target;
  int ptxMajor = 0;
  int ptxMinor = 0;
  bool batched = false;
  ElementType accumulator = ElementType::F32;
  std::vector<Operand> operands;
  std::vector<Scalar> scalars;
  std::array<std::optional<int64_t>, 4> staticExtents; ///< by gemm_dim
  std::vector<Entry> entries;
  std::string json; ///< the description, without comment prefixes
  std::string ptx;  ///< the whole text
};

/// Parses the text of an artifact. Throws Error(GEMM_ERROR_INVALID_ARTIFACT)
/// with the line (syntax) or field (contents) that is wrong.
Artifact parseArtifact(std::string_view text);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_ARTIFACT_H
