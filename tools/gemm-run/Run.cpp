// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.h"

#include "CounterReport.h"
#include "Explain.h"
#include "Measure.h"

#include "ExitStatus.h"

#include "support/Output.h"
#include "support/Report.h"

namespace gemm::tools {
namespace {

std::string kernelTypes(const Signature &signature) {
  std::string text;
  text += elementTypeName(signature.operands[signature.operandA()].type);
  for (int b : signature.operandsB())
    text += " x " + std::string(elementTypeName(signature.operands[b].type));
  text += " -> " + std::string(elementTypeName(signature.accumulator));
  for (int d : signature.operandsD())
    text += " -> " + std::string(elementTypeName(signature.operands[d].type));
  return text;
}

// "A [m,k] ld 64, B [k,n] ld 128, bias [n], D [m,n] ld 128"
std::string operandShapes(const Signature &signature,
                          const ProblemShape &shape) {
  std::string text;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const OperandSignature &operand = signature.operands[i];
    std::string dims;
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      std::string name(dimName(operand.dims[d]));
      if (d == 0)
        dims = name;
      else
        dims = operand.columnMajor ? name + "," + dims : dims + "," + name;
    }
    text += (i ? ", " : "") + operand.name + " [" + dims + "]";
    if (operand.dims.size() == 2)
      text += " ld " + std::to_string(shape.layouts[i].leadingDimension);
    if (shape.offsets[i])
      text += " offset " + std::to_string(shape.offsets[i]);
  }
  if (shape.inPlaceOperand >= 0)
    text += ", D is C";
  return text;
}

void describeProblem(Report &report, const LoadedKernel &kernel,
                     const ProblemShape &shape, const ProblemOptions &options) {
  const Signature &signature = kernel.signature;
  std::string scalars;
  for (size_t i = 0; i < shape.scalars.size(); ++i)
    scalars +=
        format(", %s %g", signature.scalars[i].name.c_str(), shape.scalars[i]);
  report.line("problem",
              format("%lld x %lld x %lld (m n k), batch %lld, %s%s",
                     static_cast<long long>(shape.m),
                     static_cast<long long>(shape.n),
                     static_cast<long long>(shape.k),
                     static_cast<long long>(shape.batch),
                     kernelTypes(signature).c_str(), scalars.c_str()));
  report.line("operands", operandShapes(signature, shape));
  report.line("data", format("%s, seed %llu",
                             std::string(dataKindName(options.data)).c_str(),
                             static_cast<unsigned long long>(options.seed)));
  auto &json = report.json();
  json["problem"] = {{"m", shape.m},
                     {"n", shape.n},
                     {"k", shape.k},
                     {"batch", shape.batch},
                     {"types", kernelTypes(signature)}};
  for (size_t i = 0; i < signature.operands.size(); ++i)
    json["problem"]["operands"].push_back(
        {{"name", signature.operands[i].name},
         {"type", elementTypeName(signature.operands[i].type)},
         {"order", signature.operands[i].columnMajor ? "col" : "row"},
         {"leading_dimension", shape.layouts[i].leadingDimension}});
  for (size_t i = 0; i < shape.scalars.size(); ++i)
    json["problem"]["scalars"][signature.scalars[i].name] = shape.scalars[i];
  json["data"] = {{"kind", dataKindName(options.data)}, {"seed", options.seed}};
}

void describeKernel(Report &report, const LoadedKernel &kernel, size_t entry,
                    const std::string &reason) {
  const EntrySignature &chosen = kernel.signature.entries[entry];
  report.line("kernel",
              format("%s for %s, PTX %s", kernel.signature.name.c_str(),
                     kernel.signature.target.c_str(),
                     kernel.signature.ptxVersion.c_str()));
  report.line("entry", format("%zu of %zu: %s", entry + 1,
                              kernel.signature.entries.size(), reason.c_str()));
  report.line("schedule", chosen.schedule);
  report.line("block",
              format("%lld threads, %lld bytes of shared memory, cluster %lld",
                     static_cast<long long>(chosen.threads),
                     static_cast<long long>(chosen.sharedBytes),
                     static_cast<long long>(chosen.clusterSize)));
  auto &json = report.json();
  json["kernel"] = {{"name", kernel.signature.name},
                    {"target", kernel.signature.target},
                    {"ptx", kernel.signature.ptxVersion},
                    {"entry", chosen.name},
                    {"entry_index", entry},
                    {"reason", reason},
                    {"schedule", chosen.schedule},
                    {"threads", chosen.threads},
                    {"shared_bytes", chosen.sharedBytes},
                    {"cluster", chosen.clusterSize}};
  std::string times;
  if (!kernel.compileSeconds.empty()) {
    double total = 0;
    for (const auto &[what, seconds] : kernel.compileSeconds) {
      times +=
          (times.empty() ? "" : ", ") + what + " " + formatSeconds(seconds);
      json["compile_seconds"][what] = seconds;
      total += seconds;
    }
    json["compile_seconds"]["total"] = total;
    times = formatSeconds(total) + " to PTX (" + times + "), ";
  }
  json["load_seconds"] = kernel.loadSeconds;
  report.line("compile",
              times + "loaded in " + formatSeconds(kernel.loadSeconds));
}

// `whyNoGpu`: why the emulator runs, if nobody asked for it.
void describeDevice(Report &report, const Device &device,
                    const std::string &whyNoGpu) {
  const gemm_device_info &info = device.info();
  std::string text = format("%s (%s), %d multiprocessors", info.name,
                            info.architecture, info.multiprocessors);
  if (info.is_emulator)
    text += "; numbers only, no GPU time";
  report.line("device", text);
  report.json()["device"] = {{"name", info.name},
                             {"architecture", info.architecture},
                             {"multiprocessors", info.multiprocessors},
                             {"emulator", info.is_emulator != 0},
                             {"driver", info.driver_version}};
  if (whyNoGpu.empty())
    return;
  report.line("", "no GPU is used: " + whyNoGpu);
  report.json()["device"]["no_gpu"] = whyNoGpu;
}

std::string withFindings(const std::string &text, const Findings &findings) {
  std::string summary = findings.summary();
  return summary.empty() ? text : text + ", sanitizer: " + summary;
}

void describeVerdict(Report &report, const Verdict &verdict,
                     const AccumulationModel &model, int repeat) {
  const CheckResult &check = verdict.check;
  auto &json = report.json()["check"];
  json["passed"] = verdict.passed();
  if (!check.ran && verdict.complaint.empty()) {
    report.line("check", withFindings("off", verdict.findings));
    json["mode"] = "off";
    return;
  }
  std::string text = verdict.passed() ? "PASS" : "FAIL";
  if (check.ran)
    text += format(", %s elements (%s), %s wrong",
                   formatCount(check.checked).c_str(),
                   check.sampled ? "sampled rows and columns" : "all",
                   formatCount(check.wrong).c_str());
  if (check.exact > 0)
    text += format(", %s exact", formatCount(check.exact).c_str());
  if (check.unbounded > 0)
    text += format(", %s without a bound (overflow)",
                   formatCount(check.unbounded).c_str());
  if (repeat > 1 && verdict.complaint.empty())
    text += format(", %d runs agree to the bit", repeat);
  report.line("check", withFindings(text, verdict.findings));
  if (!verdict.complaint.empty())
    report.line("", verdict.complaint);
  if (check.ran && check.checked > 0)
    report.line(check.wrong ? "wrong" : "worst", check.describeWorst());
  if (check.ran)
    report.line("bound", model.description);
  json["mode"] = check.sampled ? "sampled" : "full";
  json["elements"] = check.checked;
  json["wrong"] = check.wrong;
  json["exact"] = check.exact;
  json["unbounded"] = check.unbounded;
  json["complaint"] = verdict.complaint;
  json["model"] = model.description;
  json["repeat"] = repeat;
  json["digest"] =
      format("%016llx", static_cast<unsigned long long>(verdict.digest));
  if (check.ran && check.checked > 0)
    json["worst"] = {{"operand", check.worstOperand},
                     {"batch", check.worst.batch},
                     {"row", check.worst.row},
                     {"col", check.worst.col},
                     {"value", check.value},
                     {"reference", check.reference},
                     {"bound", check.bound},
                     {"error_over_bound", check.worstRatio}};
}

void print(const Report &report, const Options &options) {
  writeOutput(options.json ? report.jsonText() : report.text());
}

// Runs the kernel to its end. An emulator goes on after a kernel that failed:
// then a sentence about the failure, whose details are among the findings.
std::string launch(const Device &device, const LoadedKernel &kernel,
                   const Instance &instance, Findings &findings) {
  try {
    kernel.kernel.launch(instance.problem(), device.stream());
    device.synchronize();
    findings.collect(device);
  } catch (const RuntimeError &error) {
    if (!device.info().is_emulator || error.status() != GEMM_ERROR_DEVICE)
      throw;
    findings.collect(device);
    return format("the emulator found errors in the kernel; "
                  "--interleaving=%llu repeats this run",
                  static_cast<unsigned long long>(findings.seed()));
  }
  return "";
}

} // namespace

AccumulationModel modelFor(const LoadedKernel &kernel, size_t entry,
                           const Device &device,
                           const ProblemOptions &problem) {
  const Signature &signature = kernel.signature;
  ElementType a = signature.operands[signature.operandA()].type;
  ElementType b = signature.operands[signature.operandsB()[0]].type;
  ElementType wider = elementSize(a) >= elementSize(b) ? a : b;
  int capability = device.info().is_emulator
                       ? targetCapability(signature.target)
                       : device.capability();
  AccumulationModel model =
      chooseAccumulation(signature.entries[entry].schedule, capability, wider,
                         signature.accumulator);
  // Integers are drawn so that 24 significant bits hold every partial sum.
  bool wide = signature.accumulator != ElementType::F16 &&
              signature.accumulator != ElementType::BF16;
  return problem.data == DataKind::Integers && wide && !model.exact
             ? exactAccumulation(model)
             : model;
}

Verdict runAndCheck(const Device &device, const LoadedKernel &kernel,
                    size_t entry, Instance &instance,
                    const ProblemOptions &problem, CheckMode mode, int repeat) {
  Verdict verdict;
  instance.provideWorkspace(kernel.kernel.workspaceBytes(instance.problem()));
  for (int run = 0; run < repeat && verdict.complaint.empty(); ++run) {
    instance.resetResults();
    verdict.complaint = launch(device, kernel, instance, verdict.findings);
    if (!verdict.complaint.empty())
      break;
    // Later runs are compared with the first, which is checked.
    if (run > 0) {
      verdict.complaint = instance.fetchAndCompare(run);
      continue;
    }
    instance.fetchResults();
    verdict.digest = instance.digestResults();
    if (mode == CheckMode::Off)
      continue;
    verdict.check = checkResult(
        instance.checkRequest(modelFor(kernel, entry, device, problem), mode));
    verdict.complaint = instance.findStrayWrite();
    // Sampling does not look everywhere, but poison is seen everywhere.
    if (verdict.complaint.empty() && verdict.check.sampled)
      verdict.complaint = instance.findUnwritten();
  }
  return verdict;
}

int runProblem(const Options &options) {
  Report report;
  std::string whyNone;
  std::unique_ptr<Device> device = openDevice(options, whyNone);
  std::unique_ptr<LoadedKernel> kernel =
      obtainKernel(options, options.problem, device.get());
  ProblemShape shape = resolveShape(kernel->signature, options.problem);
  PretendedProblem pretended(kernel->signature, shape);
  auto [entry, reason] = kernel->kernel.select(pretended.problem());

  describeProblem(report, *kernel, shape, options.problem);
  describeKernel(report, *kernel, entry, reason);
  if (!device) {
    report.line("device", "none: " + whyNone);
    report.line("next",
                "the kernel stands ready as PTX (--emit=ptx prints it); "
                "on a machine with a GPU the same command runs it, "
                "checks every number and times it");
    report.json()["device"] = nullptr;
    if (options.explain)
      explain(report, *kernel, entry, shape, nullptr);
    print(report, options);
    // Nothing was checked.
    return ExitImpossible;
  }
  describeDevice(report, *device, whyNone);

  DeviceArena arena(*device);
  Instance instance(arena, kernel->signature, shape, options.problem);
  Verdict verdict = runAndCheck(*device, *kernel, entry, instance,
                                options.problem, options.check, options.repeat);
  describeVerdict(report, verdict,
                  modelFor(*kernel, entry, *device, options.problem),
                  options.repeat);
  if (device->info().is_emulator)
    describeFindings(report, verdict.findings);
  bool measured = true;
  if (verdict.passed() && !device->info().is_emulator) {
    try {
      measure(report, *device, *kernel, entry, instance, shape, options);
    } catch (const ToolError &error) {
      report.line("time", std::string("not measured: ") + error.what());
      report.json()["time"] = {{"error", error.what()}};
      measured = false;
    }
  } else if (options.versusCublasLt)
    report.line("cublaslt", verdict.passed()
                                ? "not compared: an emulator has no GPU time"
                                : "not compared: the result is wrong");
  if (options.explain)
    explain(report, *kernel, entry, shape, device.get());
  if (options.emulator.device.emulator_counters)
    describeCounters(report, *device);
  print(report, options);
  if (!verdict.passed())
    return ExitWrong;
  return measured ? ExitRight : ExitImpossible;
}

} // namespace gemm::tools
