// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Instance.h"

#include "support/EpilogueForm.h"
#include "support/Report.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gemm::tools {
namespace {

int64_t resolveExtent(const Signature &signature, Dim dim,
                      const std::optional<int64_t> &wanted, int64_t otherwise) {
  const std::optional<int64_t> &fixed =
      signature.fixedExtents[static_cast<size_t>(dim)];
  if (fixed && wanted && *fixed != *wanted)
    throw ToolError("--" + std::string(dimName(dim)) + "=" +
                    std::to_string(*wanted) +
                    " contradicts the kernel, which is compiled for " +
                    std::string(dimName(dim)) + " = " + std::to_string(*fixed));
  return fixed ? *fixed : wanted.value_or(otherwise);
}

// Rows and columns of an operand; a vector is one row.
MatrixLayout layoutOf(const OperandSignature &operand,
                      const ProblemShape &shape) {
  MatrixLayout layout;
  layout.columnMajor = operand.columnMajor;
  layout.rows = layout.cols = 1;
  if (operand.dims.size() == 1)
    layout.cols = shape.extent(operand.dims[0]);
  if (operand.dims.size() == 2) {
    layout.rows = shape.extent(operand.dims[0]);
    layout.cols = shape.extent(operand.dims[1]);
  }
  layout.leadingDimension = std::max<int64_t>(1, layout.lineLength());
  return layout;
}

void setPitch(MatrixLayout &layout, const Pitch &pitch, const char *flag,
              const OperandSignature &operand) {
  int64_t length = layout.lineLength();
  int64_t wanted = pitch.resolve(length);
  if (wanted < length)
    throw ToolError(std::string(flag) + "=" + std::to_string(wanted) +
                    " is smaller than a " +
                    (operand.columnMajor ? "column" : "row") + " of " +
                    operand.name + ", which has " + std::to_string(length) +
                    " elements");
  layout.leadingDimension = std::max<int64_t>(1, wanted);
}

// A finite number may still be infinite in the scalar's type, and then any
// result would be within its bound.
double checkedScalar(const ScalarSignature &scalar, const char *flag,
                     double value) {
  if (!std::isfinite(roundToElement(scalar.type, value)))
    throw ToolError(format("%s=%g is infinite in %s, the type of ", flag, value,
                           std::string(elementTypeName(scalar.type)).c_str()) +
                    scalar.name);
  return value;
}

double scalarValue(const Signature &signature, const EpilogueForm &form,
                   int index, const ProblemOptions &options) {
  const ScalarSignature &scalar = signature.scalars[index];
  if (index == form.alpha)
    return checkedScalar(scalar, "--alpha", options.alpha.value_or(1));
  if (index == form.beta)
    return checkedScalar(scalar, "--beta", options.beta.value_or(0));
  throw ToolError("the kernel has a scalar " + scalar.name +
                  " that scales neither the product (alpha) nor a matrix "
                  "(beta); gemm-run has no flag for it");
}

bool sameShape(const MatrixLayout &a, const MatrixLayout &b) {
  return a.rows == b.rows && a.cols == b.cols &&
         a.columnMajor == b.columnMajor && a.batches == b.batches;
}

} // namespace

int64_t ProblemShape::extent(Dim dim) const {
  switch (dim) {
  case Dim::M:
    return m;
  case Dim::N:
    return n;
  case Dim::K:
    return k;
  case Dim::Batch:
    return batch;
  }
  return 0;
}

double ProblemShape::multiplyAdds() const {
  return static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(k) * static_cast<double>(batch);
}

ProblemShape resolveShape(const Signature &signature,
                          const ProblemOptions &options) {
  ProblemShape shape;
  constexpr int64_t extent = ProblemOptions::defaultExtent;
  shape.m = resolveExtent(signature, Dim::M, options.m, extent);
  shape.n = resolveExtent(signature, Dim::N, options.n, extent);
  shape.k = resolveExtent(signature, Dim::K, options.k, extent);
  shape.batch = resolveExtent(signature, Dim::Batch, options.batch, 1);
  if (shape.batch != 1 && !signature.batched)
    throw ToolError("--batch=" + std::to_string(shape.batch) +
                    ": the kernel is compiled for a single product");

  EpilogueForm form = recognizeEpilogue(signature);
  for (size_t i = 0; i < signature.scalars.size(); ++i)
    shape.scalars.push_back(
        scalarValue(signature, form, static_cast<int>(i), options));
  if (options.alpha && form.alpha < 0 && *options.alpha != 1)
    throw ToolError("--alpha: the kernel has no scalar that multiplies the "
                    "product");
  if (options.beta && form.beta < 0 && *options.beta != 0)
    throw ToolError(
        "--beta: the kernel has no scalar that multiplies a matrix");

  for (const OperandSignature &operand : signature.operands) {
    MatrixLayout layout = layoutOf(operand, shape);
    int64_t offset = 0;
    if (operand.role == Role::A) {
      setPitch(layout, options.lda, "--lda", operand);
      offset = options.offsets[0];
    } else if (operand.role == Role::B) {
      setPitch(layout, options.ldb, "--ldb", operand);
      offset = options.offsets[1];
    } else if (operand.role == Role::D || operand.dims.size() == 2) {
      // C has D's leading dimension if it has D's order.
      if (operand.role == Role::D ||
          operand.columnMajor ==
              signature.operands[signature.operandsD()[0]].columnMajor)
        setPitch(layout, options.ldd, "--ldd", operand);
      offset = options.offsets[2];
    }
    if (operand.batched) {
      layout.batches = shape.batch;
      layout.batchStride =
          std::max<int64_t>(layout.lines(), 1) * layout.leadingDimension;
    }
    shape.layouts.push_back(layout);
    shape.offsets.push_back(offset);
  }

  if (options.inPlace) {
    int d = signature.operandsD()[0];
    int c = form.c;
    if (c < 0)
      throw ToolError("--inplace: the kernel has no matrix C that D could be; "
                      "--beta=1 adds one");
    if (signature.operands[c].type != signature.operands[d].type ||
        !sameShape(shape.layouts[c], shape.layouts[d]))
      throw ToolError("--inplace: C and D differ in type, order or shape");
    shape.inPlaceOperand = c;
  }
  return shape;
}

bool isUnused(const Signature &signature, const ProblemShape &shape,
              size_t operand) {
  const std::optional<int> &scalar = signature.operands[operand].unusedIfZero;
  return scalar && shape.scalars[*scalar] == 0;
}

PretendedProblem::PretendedProblem(const Signature &signature,
                                   const ProblemShape &shape)
    : scalars(shape.scalars) {
  uintptr_t next = uintptr_t{1} << 30;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const MatrixLayout &layout = shape.layouts[i];
    auto size = static_cast<int64_t>(elementSize(signature.operands[i].type));
    operands.push_back(
        {reinterpret_cast<void *>(next + shape.offsets[i] * size),
         layout.leadingDimension, layout.batchStride});
    next += (static_cast<uintptr_t>((layout.span() + shape.offsets[i]) * size) /
                 4096 +
             2) *
            4096;
  }
  if (shape.inPlaceOperand >= 0)
    operands[signature.operandsD()[0]] = operands[shape.inPlaceOperand];
  description = {shape.m,         shape.n,
                 shape.k,         shape.batch,
                 operands.data(), operands.size(),
                 scalars.data(),  scalars.size(),
                 nullptr,         0};
}

DeviceMemory &DeviceArena::operand(size_t index) {
  while (memory.size() <= index)
    memory.emplace_back(device);
  return memory[index];
}

Instance::Instance(DeviceArena &arena, const Signature &signature,
                   const ProblemShape &shape, const ProblemOptions &options)
    : arena(arena), signature(signature), shape(shape), options(options) {
  results.resize(signature.operands.size());
  arena.operand(signature.operands.size());
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const OperandSignature &operand = signature.operands[i];
    // In place, C is the result.
    bool input =
        operand.role != Role::D && static_cast<int>(i) != shape.inPlaceOperand;
    initial.emplace_back(operand.type, shape.layouts[i], shape.offsets[i],
                         input);
    HostMatrix &matrix = initial.back();
    bool product = operand.role == Role::A || operand.role == Role::B;
    if (operand.role == Role::D)
      results[i] = std::make_unique<HostMatrix>(operand.type, shape.layouts[i],
                                                shape.offsets[i]);
    else if (!isUnused(signature, shape, i))
      fillMatrix(matrix, {options.data, options.seed, i,
                          product ? shape.k : int64_t{1}});
    DeviceMemory &memory = arena.operand(i + 1);
    memory.upload(matrix);
    operands.push_back({memory.data() + matrix.firstElement(),
                        shape.layouts[i].leadingDimension,
                        shape.layouts[i].batchStride});
  }
  if (shape.inPlaceOperand >= 0)
    operands[signature.operandsD()[0]] = operands[shape.inPlaceOperand];
  description = {shape.m,
                 shape.n,
                 shape.k,
                 shape.batch,
                 operands.data(),
                 operands.size(),
                 shape.scalars.data(),
                 shape.scalars.size(),
                 nullptr,
                 0};
}

void Instance::provideWorkspace(size_t bytes) {
  description.workspace = bytes ? arena.workspace().require(bytes) : nullptr;
  description.workspace_bytes = bytes;
}

void Instance::resetResults() {
  if (shape.inPlaceOperand >= 0) {
    arena.operand(shape.inPlaceOperand + 1)
        .upload(initial[shape.inPlaceOperand]);
    return;
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i])
      arena.operand(i + 1).upload(initial[i]);
}

DeviceMemory &Instance::resultMemory(size_t operand) {
  return arena.operand((shape.inPlaceOperand >= 0
                            ? static_cast<size_t>(shape.inPlaceOperand)
                            : operand) +
                       1);
}

void Instance::fetchResults() {
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i])
      resultMemory(i).download(*results[i]);
}

std::string Instance::fetchAndCompare(int run) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i])
      continue;
    HostMatrix again(results[i]->type(), shape.layouts[i], shape.offsets[i]);
    resultMemory(i).download(again);
    std::string where = again.findDifference(*results[i]);
    if (!where.empty())
      return "run " + std::to_string(run + 1) +
             " differs from the first one in " + signature.operands[i].name +
             ": " + where;
  }
  return "";
}

uint64_t Instance::digestResults() const {
  // FNV-1a, 64 bits.
  uint64_t digest = 0xcbf29ce484222325;
  for (const auto &result : results) {
    if (!result)
      continue;
    for (size_t i = 0; i < result->storageBytes(); ++i)
      digest = (digest ^ static_cast<uint64_t>(result->storage()[i])) *
               0x100000001b3;
  }
  return digest;
}

std::string Instance::findUnwritten() const {
  // Integers have no NaN: any value may be right.
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] || !isFloat(results[i]->type()) ||
        options.data == DataKind::Special)
      continue;
    std::string where = results[i]->findPoison();
    if (!where.empty())
      return "the kernel did not write " + signature.operands[i].name + ", " +
             where;
  }
  return "";
}

CheckRequest Instance::checkRequest(const AccumulationModel &model,
                                    CheckMode mode) const {
  CheckRequest request;
  request.signature = &signature;
  request.m = shape.m;
  request.n = shape.n;
  request.k = shape.k;
  request.batch = shape.batch;
  for (size_t i = 0; i < initial.size(); ++i)
    request.operands.push_back(results[i] ? results[i]->view()
                                          : initial[i].view());
  request.scalars = shape.scalars;
  request.model = model;
  request.mode = mode;
  request.seed = options.seed;
  return request;
}

std::string Instance::findStrayWrite() {
  for (size_t i = 0; i < initial.size(); ++i) {
    const std::string &name = signature.operands[i].name;
    if (results[i]) {
      std::string where = results[i]->findWriteOutside();
      if (!where.empty())
        return "the kernel wrote outside of " + name + ": " + where;
      continue;
    }
    if (static_cast<int>(i) == shape.inPlaceOperand)
      continue;
    HostMatrix now(initial[i].type(), shape.layouts[i], shape.offsets[i], true);
    arena.operand(i + 1).download(now);
    std::string where = now.findDifference(initial[i]);
    if (!where.empty())
      return "the kernel wrote to its input " + name + ": " + where;
  }
  return "";
}

} // namespace gemm::tools
