// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Sweep.h"

#include "ExitStatus.h"
#include "Instance.h"
#include "KernelSource.h"
#include "Run.h"
#include "SweepList.h"

#include "support/Output.h"
#include "support/Report.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <regex>

namespace gemm::tools {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What makes two problems need two kernels.
std::string signatureKey(const Options &options,
                         const ProblemOptions &problem) {
  if (!options.file.empty())
    return options.file;
  std::string key = problem.layout + (problem.dColumnMajor ? " col" : " row") +
                    (problem.batch.value_or(1) != 1 ? " batched" : "") +
                    (problem.alpha ? " alpha" : "") +
                    (problem.beta.value_or(0) != 0 ? " beta" : "") + " " +
                    problem.bias + " " + problem.activation;
  for (ElementType type : problem.types)
    key += " " + std::string(elementTypeName(type));
  return key;
}

// The CTA tile of the first entry: its M and N from the grid, its K from the
// text of the schedule.
Tile tileOf(const Signature &signature) {
  const EntrySignature &entry = signature.entries.front();
  Tile tile{std::max<int64_t>(1, entry.tile(Dim::M)),
            std::max<int64_t>(1, entry.tile(Dim::N)), 32};
  std::smatch match;
  if (std::regex_search(entry.schedule, match,
                        std::regex("tile[^0-9]*[0-9]+x[0-9]+x([0-9]+)")))
    tile.k = std::stoll(match[1]);
  return tile;
}

class Sweep {
public:
  explicit Sweep(const Options &options) : options(options) {
    std::string whyNone;
    device = openDevice(options, whyNone);
    if (!device)
      throw RuntimeError(GEMM_ERROR_NO_DEVICE,
                         "--sweep needs a device: " + whyNone);
    arena = std::make_unique<DeviceArena>(*device);
  }

  int run() {
    Clock::time_point start = Clock::now(), told = start;
    std::vector<ProblemOptions> problems = list();
    if (problems.empty())
      throw ToolError("--sweep=" + options.sweep +
                      ": there is no problem in it");
    for (size_t i = 0; i < problems.size(); ++i) {
      check(problems[i]);
      if (since(told) > 10) {
        std::fprintf(stderr, "gemm-run: %zu of %zu problems, %zu failed\n",
                     i + 1, problems.size(), failures.size());
        told = Clock::now();
      }
    }
    report(problems.size(), since(start));
    return failures.empty() ? ExitRight : ExitWrong;
  }

private:
  std::vector<ProblemOptions> list() {
    std::optional<DrawnSweep> drawn = parseDrawnSweep(options.sweep);
    if (!drawn)
      return readSweep(options.sweep);
    if (!options.file.empty())
      throw ToolError("--sweep=drawn:SEED draws layouts and epilogues; " +
                      options.file + " has only its own");
    return drawSweep(*drawn, tileOf(kernelFor(options.problem).signature),
                     options.problem);
  }

  LoadedKernel &kernelFor(const ProblemOptions &problem) {
    std::unique_ptr<LoadedKernel> &kernel =
        kernels[signatureKey(options, problem)];
    if (!kernel) {
      kernel = obtainKernel(options, problem, device.get());
      for (const auto &[what, seconds] : kernel->compileSeconds)
        compileSeconds += seconds;
      loadSeconds += kernel->loadSeconds;
    }
    return *kernel;
  }

  void check(const ProblemOptions &problem) {
    try {
      LoadedKernel &kernel = kernelFor(problem);
      ProblemShape shape = resolveShape(kernel.signature, problem);
      Instance instance(*arena, kernel.signature, shape, problem);
      size_t entry = kernel.kernel.select(instance.problem()).first;
      Verdict verdict = runAndCheck(*device, kernel, entry, instance, problem,
                                    options.check, options.repeat);
      ++runsByEntry[kernel.signature.entries[entry].schedule];
      elements += verdict.check.checked;
      exact += verdict.check.exact;
      if (verdict.check.passed())
        worstRatio = std::max(worstRatio, verdict.check.worstRatio);
      if (verdict.findings.notes())
        note(problem, verdict.findings);
      if (!verdict.passed())
        fail(problem, reasonOf(verdict));
    } catch (const RuntimeError &error) {
      fail(problem, error.what());
      // After a fault nothing on the device works any more.
      if (error.status() == GEMM_ERROR_DEVICE)
        throw RuntimeError(error.status(),
                           "the device failed, the sweep ends here: " +
                               problemFlags(problem) + ": " + error.what());
    } catch (const ToolError &error) {
      fail(problem, error.what());
    }
  }

  // Why a problem failed, in one line.
  static std::string reasonOf(const Verdict &verdict) {
    if (verdict.complaint.empty())
      return std::to_string(verdict.check.wrong) + " of " +
             std::to_string(verdict.check.checked) + " elements are wrong; " +
             verdict.check.describeWorst();
    std::string text = verdict.complaint;
    for (const Finding &finding : verdict.findings.all())
      if (finding.isError)
        text += "; " + finding.text;
    return text;
  }

  void note(const ProblemOptions &problem, const Findings &findings) {
    ++problemsWithNotes;
    for (const Finding &finding : findings.all())
      if (!finding.isError && notes.size() < 5)
        notes.push_back(problemFlags(problem) + ": " + finding.text);
  }

  void fail(const ProblemOptions &problem, const std::string &reason) {
    failures.push_back(problemFlags(problem) + ": " + reason);
    if (!options.json)
      writeOutput("FAIL " + failures.back() + "\n");
  }

  void report(size_t problems, double seconds) {
    Report report;
    auto &json = report.json();
    json = {{"sweep", options.sweep},
            {"problems", problems},
            {"failed", failures.size()},
            {"failures", failures},
            {"problems_with_notes", problemsWithNotes},
            {"first_notes", notes},
            {"elements", elements},
            {"exact_elements", exact},
            {"largest_error_over_bound", worstRatio},
            {"kernels", kernels.size()},
            {"seconds", seconds},
            {"compile_seconds", compileSeconds},
            {"load_seconds", loadSeconds}};
    report.line("sweep",
                format("%s: %zu problems, %zu failed", options.sweep.c_str(),
                       problems, failures.size()));
    report.line("device", device->info().name);
    report.line("elements",
                format("%s checked, %s of them exact; largest error / bound of "
                       "the others %.3f",
                       formatCount(elements).c_str(),
                       formatCount(exact).c_str(), worstRatio));
    for (const auto &[schedule, count] : runsByEntry) {
      report.line("entry",
                  format("%lld problems ran ", static_cast<long long>(count)) +
                      schedule);
      json["runs_by_schedule"][schedule] = count;
    }
    if (problemsWithNotes)
      report.line("notes", format("%zu problems; the first notes are:",
                                  problemsWithNotes));
    for (const std::string &text : notes)
      report.line("", text);
    report.line("time",
                format("%s: %zu kernels compiled in %s and loaded in %s",
                       formatSeconds(seconds).c_str(), kernels.size(),
                       formatSeconds(compileSeconds).c_str(),
                       formatSeconds(loadSeconds).c_str()));
    writeOutput(options.json ? report.jsonText() : report.text());
  }

  const Options &options;
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceArena> arena;
  std::map<std::string, std::unique_ptr<LoadedKernel>> kernels;
  std::map<std::string, int64_t> runsByEntry;
  std::vector<std::string> failures, notes;
  size_t problemsWithNotes = 0;
  int64_t elements = 0, exact = 0;
  double worstRatio = 0, compileSeconds = 0, loadSeconds = 0;
};

} // namespace

int runSweep(const Options &options) { return Sweep(options).run(); }

} // namespace gemm::tools
