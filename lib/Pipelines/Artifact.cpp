//===- Artifact.cpp - PTX with a description of its kernels ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"
#include "Gemm/Pipelines/Pipelines.h"

#include "EmitPtx.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace gemm {

namespace {

/// Descriptions are attributes in the IR and JSON in the artifact, one for one.
llvm::json::Value toJson(Attribute attribute) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute field : dictionary)
      object[field.getName().getValue()] = toJson(field.getValue());
    return object;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    llvm::json::Array list;
    for (Attribute element : array)
      list.push_back(toJson(element));
    return list;
  }
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    double value = number.getValueAsDouble();
    // JSON has no infinities.
    if (!std::isfinite(value))
      return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
    return value;
  }
  return cast<StringAttr>(attribute).getValue();
}

} // namespace

FailureOr<std::string> translateToArtifact(ModuleOp module) {
  gpu::GPUModuleOp kernels;
  for (auto candidate : module.getOps<gpu::GPUModuleOp>()) {
    if (!candidate->hasAttr("gemm.problem"))
      continue;
    if (kernels)
      return candidate.emitOpError(
          "is the second family of kernels of its module; an "
          "artifact holds one: split the module");
    kernels = candidate;
  }
  if (!kernels)
    return module.emitOpError(
        "has no kernels: nothing in it was a GEMM, or it has not "
        "been lowered by gemm-lower-to-nvvm-pipeline");

  FailureOr<std::string> ptx = emitPtx(kernels);
  if (failed(ptx))
    return failure();
  // emitPtx has checked that there is one.
  auto target = cast<NVVM::NVVMTargetAttr>(kernels.getTargetsAttr()[0]);

  llvm::json::Array entries;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
    if (auto entry = function->getAttrOfType<DictionaryAttr>("gemm.entry"))
      entries.push_back(toJson(entry));
  StringRef version = target.getFeatures(); // +ptxNN
  version.consume_front("+ptx");
  llvm::json::Object description{
      {"format", 1},
      {"compiler", "gemm-mlir " GEMM_VERSION},
      {"name", kernels.getName()},
      {"target", target.getChip()},
      {"ptx", (version.drop_back() + "." + version.take_back()).str()},
      {"problem",
       toJson(kernels->getAttrOfType<DictionaryAttr>("gemm.problem"))},
      {"entries", std::move(entries)}};

  std::string json;
  llvm::raw_string_ostream(json)
      << llvm::formatv("{0:2}", llvm::json::Value(std::move(description)));
  std::string artifact = "// gemm-artifact-begin\n";
  for (StringRef rest = json; !rest.empty();) {
    auto [line, tail] = rest.split('\n');
    artifact += "// " + line.str() + "\n";
    rest = tail;
  }
  artifact += "// gemm-artifact-end\n";
  return artifact + *ptx;
}

} // namespace gemm
