// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelSource.h"

#include "ProblemText.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace gemm::tools {
namespace {

enum class FileKind : uint8_t { None, Module, Artifact };

FileKind kindOf(const std::string &file) {
  if (file.empty())
    return FileKind::None;
  if (file.ends_with(".mlir"))
    return FileKind::Module;
  if (file.ends_with(".ptx"))
    return FileKind::Artifact;
  throw ToolError(file + ": expected a module (.mlir) or an artifact (.ptx)");
}

std::string readFile(const std::string &file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw ToolError("cannot read " + file + ": it is a folder");
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw ToolError("cannot read " + file + ": " + std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void refuseSignatureFlags(const Options &options,
                          const ProblemOptions &problem) {
  if (problem.describesSignature)
    throw ToolError(options.file +
                    " says what is computed; --types, --layout, --d-order, "
                    "--bias and --activation describe a problem without a "
                    "file");
}

void refuseCompilerFlags(const Options &options) {
  for (const auto &[flag, value] : {std::pair{"--schedule", &options.schedule},
                                    std::pair{"--target", &options.target}})
    if (!value->empty())
      throw ToolError(std::string(flag) + ": " + options.file +
                      " is compiled already");
}

CompileRequest compileRequest(const Options &options,
                              const ProblemOptions &problem,
                              const Device *device) {
  CompileRequest request;
  request.target = options.target;
  if (device)
    request.architecture = device->info().architecture;
  request.schedule = options.schedule;
  if (kindOf(options.file) == FileKind::Module) {
    refuseSignatureFlags(options, problem);
    readFile(options.file); // For a message in our own words.
    request.file = options.file;
  } else {
    request.moduleText = problemText(problem);
  }
  return request;
}

Compilation compileOrThrow(const CompileRequest &request,
                           const std::string &phase) {
  Compilation compilation = compile(request, phase);
  while (compilation.diagnostics.ends_with('\n'))
    compilation.diagnostics.pop_back();
  if (compilation.text.empty())
    throw ToolError(compilation.diagnostics.empty()
                        ? "the compiler failed without saying why"
                        : compilation.diagnostics);
  return compilation;
}

} // namespace

LoadedKernel::LoadedKernel(const Device *device, std::string text)
    : artifact(std::move(text)), kernel(device, artifact),
      signature(parseSignature(kernel.json())) {}

std::unique_ptr<Device> openDevice(const Options &options,
                                   std::string &reason) {
  const std::string &flag = options.emulator.given;
  auto isGpu = [](const std::string &name) { return name.starts_with("cuda"); };
  auto open = [&](const std::string &name) {
    // A CUDA device has no options.
    return std::make_unique<Device>(
        name, isGpu(name) ? nullptr : &options.emulator.device);
  };
  if (!options.device.empty()) {
    if (!flag.empty() && isGpu(options.device))
      throw ToolError(flag + " is for the emulator, and --device=" +
                      options.device + " is a GPU; give --device=emulator");
    return open(options.device);
  }
  for (const char *candidate : {"cuda", "emulator"}) {
    std::unique_ptr<Device> device;
    try {
      device = open(candidate);
    } catch (const RuntimeError &error) {
      if (error.status() != GEMM_ERROR_NO_DEVICE)
        throw;
      reason += (reason.empty() ? "" : "; ") + std::string(error.what());
      continue;
    }
    if (!flag.empty() && isGpu(candidate))
      throw ToolError(flag +
                      " is for the emulator, and the default device is "
                      "the GPU here (" +
                      device->info().name + "); give --device=emulator");
    return device;
  }
  return nullptr;
}

std::unique_ptr<LoadedKernel> obtainKernel(const Options &options,
                                           const ProblemOptions &problem,
                                           const Device *device) {
  using Clock = std::chrono::steady_clock;
  std::string artifact;
  Compilation compilation;
  if (kindOf(options.file) == FileKind::Artifact) {
    refuseSignatureFlags(options, problem);
    refuseCompilerFlags(options);
    artifact = readFile(options.file);
  } else {
    compilation = compileOrThrow(compileRequest(options, problem, device), "");
    artifact = std::move(compilation.text);
  }
  Clock::time_point start = Clock::now();
  auto result = std::make_unique<LoadedKernel>(device, std::move(artifact));
  result->loadSeconds =
      std::chrono::duration<double>(Clock::now() - start).count();
  result->compileSeconds = std::move(compilation.seconds);
  return result;
}

std::string emitPhase(const Options &options) {
  if (kindOf(options.file) == FileKind::Artifact) {
    if (options.emit != "ptx")
      throw ToolError("--emit=" + options.emit + ": " + options.file +
                      " is compiled already; only ptx can be printed");
    return readFile(options.file);
  }
  // A target is needed but no device: that of the device that is named, or of
  // the GPU if there is one.
  std::unique_ptr<Device> device;
  if (options.target.empty() && !options.device.empty()) {
    device = std::make_unique<Device>(options.device);
  } else if (options.target.empty()) {
    try {
      device = std::make_unique<Device>("cuda");
    } catch (const RuntimeError &) {
      // No GPU: the compiler's default target.
    }
  }
  CompileRequest request =
      compileRequest(options, options.problem, device.get());
  return compileOrThrow(request, options.emit == "ptx" ? "" : options.emit)
      .text;
}

} // namespace gemm::tools
