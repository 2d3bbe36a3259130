//===- EmitPtx.cpp - PTX text of a module of kernels ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The NVVM target's own serializer does the same with LLVM's whole -O3
// pipeline. On kernels that carry a hundred accumulators most of that time goes
// to passes over whole programs (IPSCCP alone is half of it) and the PTX is the
// same, so this file runs the few that matter.
//
//===----------------------------------------------------------------------===//

#include "EmitPtx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace gemm {

namespace {

/// Registers out of memory, common subexpressions, invariants out of loops, and
/// what becomes foldable or dead by that.
constexpr llvm::StringLiteral optimizations =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,"
    "loop-simplify,lcssa,loop-mssa(licm,loop-rotate,licm),"
    "instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg,adce)";

std::unique_ptr<llvm::TargetMachine>
createMachine(gpu::GPUModuleOp module, NVVM::NVVMTargetAttr target) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(target.getTriple());
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend) {
    module.emitOpError("cannot become PTX: ") << error;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.getChip(), target.getFeatures(), {}, {}, {},
      llvm::CodeGenOptLevel::Aggressive));
}

LogicalResult optimize(gpu::GPUModuleOp module, llvm::Module &llvmModule,
                       llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, optimizations))
    return module.emitOpError("cannot be optimized: ")
           << llvm::toString(std::move(error));
  passes.run(llvmModule, modules);
  return success();
}

} // namespace

FailureOr<std::string> emitPtx(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  auto target = targets && !targets.empty()
                    ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                    : NVVM::NVVMTargetAttr();
  if (!target)
    return module.emitOpError(
        "has no NVVM target; lower it with gemm-lower-to-nvvm-pipeline");
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(module, target);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context);
  if (!llvmModule)
    return failure(); // translation has said why
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  if (failed(optimize(module, *llvmModule, *machine)))
    return failure();

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitOpError(
        "cannot become PTX: the backend emits no assembly");
  codegen.run(*llvmModule);
  return std::string(text);
}

} // namespace gemm
