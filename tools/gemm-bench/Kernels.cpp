// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"

#include "ProblemText.h" // of gemm-run

#include "support/Error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gemm::bench {

using namespace tools;

namespace {

// The first line that says something, for a table's cell.
std::string oneLine(const std::string &text) {
  std::stringstream stream(text);
  std::string line;
  while (std::getline(stream, line))
    if (line.find_first_not_of(" \t") != std::string::npos)
      return line;
  return "the compiler failed without saying why";
}

} // namespace

std::string scheduleLabel(const std::string &schedule) {
  return schedule.empty() ? "compiler's choice" : schedule;
}

Kernels::Kernels(const Device &device, std::vector<std::string> schedules,
                 std::string target, const std::string &folder)
    : device(device), schedules(std::move(schedules)),
      target(std::move(target)), fromFolder(!folder.empty()) {
  if (this->target.empty())
    this->target = device.info().architecture;
  if (!fromFolder)
    return;
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto &item : std::filesystem::directory_iterator(folder, error))
    if (item.path().extension() == ".ptx")
      files.push_back(item.path());
  if (error)
    throw ToolError("--artifacts: cannot read " + folder + ": " +
                    error.message());
  if (files.empty())
    throw ToolError("--artifacts: " + folder + " has no .ptx file");
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path &file : files) {
    Loaded loaded;
    loaded.label = file.stem().string();
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    try {
      loaded.kernel = std::make_unique<LoadedKernel>(&device, text.str());
    } catch (const ToolError &problem) {
      throw ToolError(file.string() + ": " + problem.what());
    }
    artifacts.push_back(std::move(loaded));
  }
}

const Kernels::Loaded &Kernels::compiled(const Case &problem,
                                         const std::string &schedule) {
  ProblemOptions options = problem.problem();
  std::string text = problemText(options);
  auto [at, isNew] = cache.try_emplace(schedule + "\n" + text);
  Loaded &loaded = at->second;
  if (!isNew)
    return loaded;
  loaded.label = scheduleLabel(schedule);
  CompileRequest request;
  request.moduleText = text;
  request.target = target;
  request.schedule = schedule;
  Compilation compilation = compile(request);
  if (compilation.text.empty()) {
    loaded.problem = "does not compile: " + oneLine(compilation.diagnostics);
    return loaded;
  }
  try {
    loaded.kernel =
        std::make_unique<LoadedKernel>(&device, std::move(compilation.text));
  } catch (const ToolError &error) {
    loaded.problem = std::string("does not load: ") + error.what();
  }
  return loaded;
}

std::vector<std::string> Kernels::labels(const Case &problem) const {
  std::vector<std::string> result;
  Signature wanted = problem.signature();
  for (const Loaded &artifact : artifacts)
    if (computes(artifact.kernel->signature, wanted, problem))
      result.push_back(artifact.label);
  if (!fromFolder)
    for (const std::string &schedule : schedules)
      result.push_back(scheduleLabel(schedule));
  return result;
}

std::vector<Variant> Kernels::variants(const Case &problem) {
  std::vector<Variant> result;
  if (fromFolder) {
    Signature wanted = problem.signature();
    for (const Loaded &artifact : artifacts)
      if (computes(artifact.kernel->signature, wanted, problem))
        result.push_back({artifact.label, artifact.kernel.get(), ""});
    return result;
  }
  for (const std::string &schedule : schedules) {
    const Loaded &loaded = compiled(problem, schedule);
    result.push_back({loaded.label, loaded.kernel.get(), loaded.problem});
  }
  return result;
}

} // namespace gemm::bench
