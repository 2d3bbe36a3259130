// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assembler.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace gemm::tools {
namespace {

bool isExecutable(const std::string &path) {
  return access(path.c_str(), X_OK) == 0;
}

// The number before `word` in a line, or 0.
int64_t numberBefore(const std::string &line, const std::string &word) {
  size_t at = line.find(word);
  if (at == std::string::npos)
    return 0;
  size_t start = at;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9')
    --start;
  return std::atoll(line.substr(start, at - start).c_str());
}

// A path that a shell takes as one word.
std::string quoted(const std::string &text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// A file that is gone when this object is.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &contents) {
    const char *folder = std::getenv("TMPDIR");
    name =
        std::string(folder && *folder ? folder : "/tmp") + "/gemm-run-XXXXXX";
    int file = mkstemp(name.data());
    if (file < 0)
      return;
    size_t done = 0;
    while (done < contents.size()) {
      ssize_t written =
          write(file, contents.data() + done, contents.size() - done);
      if (written <= 0)
        break;
      done += static_cast<size_t>(written);
    }
    close(file);
    good = done == contents.size();
  }
  ~TemporaryFile() { unlink(name.c_str()); }
  bool valid() const { return good; }
  const std::string &path() const { return name; }

private:
  std::string name;
  bool good = false;
};

} // namespace

std::string findAssembler() {
  std::vector<std::string> folders;
  if (const char *path = std::getenv("PATH")) {
    std::istringstream stream(path);
    for (std::string folder; std::getline(stream, folder, ':');)
      folders.push_back(folder);
  }
  if (const char *home = std::getenv("CUDA_HOME"))
    folders.push_back(std::string(home) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (!folder.empty() && isExecutable(folder + "/ptxas"))
      return folder + "/ptxas";
  return "";
}

std::map<std::string, RegisterUse>
parseAssemblerOutput(std::string_view output) {
  std::map<std::string, RegisterUse> result;
  std::istringstream stream{std::string(output)};
  const std::string marker = "Compiling entry function '";
  std::string entry;
  for (std::string line; std::getline(stream, line);) {
    if (size_t at = line.find(marker); at != std::string::npos) {
      size_t start = at + marker.size();
      entry = line.substr(start, line.find('\'', start) - start);
      continue;
    }
    if (entry.empty())
      continue;
    if (line.find("spill stores") != std::string::npos) {
      result[entry].spillStores = numberBefore(line, " bytes spill stores");
      result[entry].spillLoads = numberBefore(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string::npos)
      result[entry].registers = numberBefore(line, " registers");
  }
  return result;
}

std::map<std::string, RegisterUse> assemble(const std::string &ptx,
                                            const std::string &target) {
  std::string assembler = findAssembler();
  TemporaryFile source(ptx);
  if (assembler.empty() || !source.valid())
    return {};
  std::string command = quoted(assembler) + " -v -arch=" + quoted(target) +
                        " " + quoted(source.path()) + " -o /dev/null 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return {};
  std::string output;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.append(buffer, count);
  if (pclose(pipe) != 0)
    return {};
  return parseAssemblerOutput(output);
}

} // namespace gemm::tools
