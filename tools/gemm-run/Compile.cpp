// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compile.h"

#include "OneProblem.h"

#include "Gemm/InitAll.h"
#include "Gemm/Pipelines/Pipelines.h"
#include "Gemm/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;

namespace gemm::tools {
namespace {

class Stopwatch {
public:
  explicit Stopwatch(Compilation &compilation) : compilation(compilation) {}
  // The time since the last lap (or the start) went into `what`.
  void lap(const char *what) {
    Clock::time_point now = Clock::now();
    compilation.seconds.emplace_back(
        what, std::chrono::duration<double>(now - last).count());
    last = now;
  }

private:
  using Clock = std::chrono::steady_clock;
  Compilation &compilation;
  Clock::time_point last = Clock::now();
};

// The compiler has a target of its own for some architectures only; PTX for an
// earlier one without a suffix runs on a later one too (PTX ISA, ".target").
// The architecture itself if there is none, for the compiler to refuse.
std::string targetFor(llvm::StringRef architecture) {
  unsigned capability = 0;
  llvm::StringRef digits = architecture;
  if (lookupTarget(architecture) || !digits.consume_front("sm_") ||
      digits.consumeInteger(10, capability))
    return architecture.str();
  for (; capability > 0; --capability) {
    std::string name = "sm_" + std::to_string(capability);
    if (lookupTarget(name))
      return name;
  }
  return architecture.str();
}

} // namespace

Compilation compile(const CompileRequest &request, const std::string &phase) {
  Compilation result;
  std::optional<Phase> last = Phase::NVVM;
  if (!phase.empty())
    last = parsePhase(phase);
  if (!last) {
    result.diagnostics =
        "--emit: '" + phase +
        "' is none of problem, scheduled, tiled, placed, swizzled, pipelined, "
        "thread, nvvm, ptx";
    return result;
  }

  Stopwatch watch(result);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // The message, without the IR of the op: the phases can be printed by --emit.
  context.printOpOnDiagnostic(false);
  watch.lap("set up");

  // Diagnostics with their source lines, as gemm-opt prints them.
  llvm::SourceMgr sources;
  llvm::raw_string_ostream messages(result.diagnostics);
  SourceMgrDiagnosticHandler handler(sources, &context, messages);
  if (request.file.empty()) {
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(request.moduleText, "problem"),
        SMLoc());
  } else {
    auto buffer = llvm::MemoryBuffer::getFile(request.file);
    if (!buffer) {
      result.diagnostics =
          "cannot read " + request.file + ": " + buffer.getError().message();
      return result;
    }
    sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  watch.lap("parse");
  if (!module)
    return result;

  CompileOptions options;
  if (!request.target.empty())
    options.target = request.target;
  else if (!request.architecture.empty())
    options.target = targetFor(request.architecture);
  options.schedule = request.schedule;
  // A phase shows the whole module; an artifact stands for one product.
  LogicalResult lowered = success();
  if (phase.empty())
    lowered =
        success(succeeded(compileToPhase(*module, options, Phase::Problem)) &&
                succeeded(checkOneProblem(*module)));
  if (succeeded(lowered))
    lowered = compileToPhase(*module, options, *last);
  watch.lap("passes");
  if (failed(lowered))
    return result;
  if (!phase.empty()) {
    llvm::raw_string_ostream(result.text) << *module << "\n";
    return result;
  }
  FailureOr<std::string> artifact = translateToArtifact(*module);
  watch.lap("translate");
  if (succeeded(artifact))
    result.text = std::move(*artifact);
  return result;
}

} // namespace gemm::tools
