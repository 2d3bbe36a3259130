// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptx-fuzz: changes PTX text at random, parses it, and runs what parses for a
// bounded number of instructions. Whatever the text, the emulator must answer:
// a crash, a hang or much memory is a defect. Everything follows from the seed
// and the number of the iteration, so that any one can be repeated alone.
#include "Emulator.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

using namespace gemm::emulator;

namespace {

constexpr unsigned kSecondsPerIteration = 60;
constexpr long kMemoryMegabytes = 4096;

std::mt19937_64 rng;
uint64_t draw(uint64_t below) { return rng() % below; }

// What a signal handler may still say.
char lastWords[160];
void onSignal(int number) {
  const char *what = number == SIGALRM ? "hang in " : "crash in ";
  if (write(2, what, std::strlen(what)) < 0 ||
      write(2, lastWords, std::strlen(lastWords)) < 0)
    _exit(3);
  _exit(number == SIGALRM ? 4 : 3);
}

struct Corpus {
  std::vector<std::string> names, texts;
  std::vector<std::string> tokens;

  void add(const std::string &path) {
    std::ifstream f(path, std::ios::binary);
    if (!f)
      throw std::runtime_error("cannot read '" + path + "'");
    names.push_back(path);
    texts.emplace_back(std::istreambuf_iterator<char>(f),
                       std::istreambuf_iterator<char>());
    // Nothing is learned from comments, such as an artifact's header.
    for (size_t at = 0;
         (at = texts.back().find("//", at)) != std::string::npos;)
      texts.back().erase(
          at, std::min(texts.back().find('\n', at), texts.back().size()) - at);
  }
  void collectTokens() {
    for (const std::string &text : texts)
      for (size_t i = 0; i < text.size();) {
        size_t end = tokenEnd(text, i);
        if (!std::isspace(static_cast<unsigned char>(text[i])))
          tokens.push_back(text.substr(i, end - i));
        i = end;
      }
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  }
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '%' || c == '$';
  }
  static size_t tokenEnd(const std::string &text, size_t i) {
    size_t end = i + 1;
    if (isWord(text[i]) || text[i] == '.')
      while (end < text.size() && isWord(text[end]))
        ++end;
    return end;
  }
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + '\n';
  return text;
}

const char *const kNumbers[] = {"0",
                                "1",
                                "-1",
                                "2",
                                "3",
                                "7",
                                "15",
                                "16",
                                "31",
                                "32",
                                "33",
                                "63",
                                "64",
                                "127",
                                "255",
                                "256",
                                "1023",
                                "1024",
                                "65535",
                                "65536",
                                "1048575",
                                "2147483647",
                                "-2147483648",
                                "4294967295",
                                "4294967296",
                                "0xffffffffffffffff",
                                "9223372036854775807",
                                "99999999999999999999",
                                "0f7FC00000",
                                "0f00000001",
                                "0d7FF0000000000000"};

void mutateLines(std::string &text, const Corpus &corpus) {
  auto lines = linesOf(text);
  if (lines.empty())
    return;
  auto any = [&] { return size_t(draw(lines.size())); };
  const size_t at = any();
  switch (draw(5)) {
  case 0: // delete some
    lines.erase(lines.begin() + long(at),
                lines.begin() + long(std::min(lines.size(), at + 1 + draw(4))));
    break;
  case 1:
    lines.insert(lines.begin() + long(at), lines[any()]);
    break;
  case 2:
    std::swap(lines[at], lines[any()]);
    break;
  case 3: { // a line of another kernel
    auto other = linesOf(corpus.texts[draw(corpus.texts.size())]);
    if (!other.empty())
      lines.insert(lines.begin() + long(at), other[draw(other.size())]);
    break;
  }
  case 4: // one that is nested in itself or twice as long
    lines[at] = draw(2) ? "{" + lines[at] + "}" : lines[at] + lines[at];
    break;
  }
  text = joined(lines);
}

void mutateToken(std::string &text, const Corpus &corpus) {
  if (text.empty())
    return;
  size_t at = draw(text.size());
  // Instructions are met more often than the declarations before them.
  if (size_t body = text.find('{'); body != std::string::npos && draw(4))
    at = body + draw(text.size() - body);
  while (at > 0 && Corpus::isWord(text[at - 1]) && Corpus::isWord(text[at]))
    --at;
  const size_t end = Corpus::tokenEnd(text, at);
  const bool number = std::isdigit(static_cast<unsigned char>(text[at]));
  std::string with;
  if (number && draw(4))
    with = kNumbers[draw(std::size(kNumbers))];
  else if (draw(8))
    with = corpus.tokens[draw(corpus.tokens.size())];
  text.replace(at, end - at, with);
}

void mutateBytes(std::string &text) {
  if (text.empty())
    return;
  const size_t at = draw(text.size());
  switch (draw(4)) {
  case 0:
    text[at] = char(rng());
    break;
  case 1:
    text.erase(at, 1 + draw(8));
    break;
  case 2:
    text.insert(at, 1 + draw(3), " \n;,{}[]().:@%$\"/*"[draw(19)]);
    break;
  case 3:
    if (!draw(8))
      text.resize(at);
    break;
  }
}

std::string mutant(const Corpus &corpus) {
  std::string text = corpus.texts[draw(corpus.texts.size())];
  // One change often leaves a program; many do not.
  for (uint64_t n = 1 + draw(draw(4) ? 2 : 8); n; --n)
    switch (draw(8)) {
    case 0:
    case 1:
      mutateLines(text, corpus);
      break;
    case 2:
      mutateBytes(text);
      break;
    default:
      mutateToken(text, corpus);
    }
  return text;
}

uint64_t buffer(Device &device, size_t bytes) {
  auto address = device.allocate(bytes);
  if (!address)
    throw std::runtime_error(address.error());
  std::vector<uint32_t> data(bytes / 4);
  for (uint32_t &word : data)
    word = uint32_t(rng());
  device.write(*address, data.data(), data.size() * 4);
  return *address;
}

void tensorMap(Device &device, uint8_t *to) {
  TiledMapArguments t;
  t.dataType = 6; // FLOAT16
  t.rank = 2 + unsigned(draw(2));
  t.globalAddress = buffer(device, 1 << 16);
  const uint32_t box = uint32_t(8 << draw(4));
  t.globalDim = {128, 64, 4};
  t.globalDim.resize(t.rank);
  t.globalStrides = {256, 256 * 64};
  t.globalStrides.resize(t.rank - 1);
  t.boxDim = {box, uint32_t(8 << draw(5)), 1};
  t.boxDim.resize(t.rank);
  t.elementStrides.assign(t.rank, 1);
  t.swizzle = unsigned(draw(4));
  encodeTiledMap(t, to);
}

/// Runs an entry of a module with arguments of the right sizes.
bool launch(const Module &module, const EntryInfo &entry) {
  auto device = Device::create(module.target());
  if (!device)
    return false;
  std::vector<uint8_t> parameters(entry.paramBytes, 0);
  for (const ParamInfo &p : entry.params) {
    uint8_t *to = parameters.data() + p.offset;
    if (p.size == 8) {
      const uint64_t value =
          draw(4) ? buffer(**device, 1 << 16) : uint64_t(draw(300));
      std::memcpy(to, &value, 8);
    } else if (p.size == 4) {
      const uint32_t value = draw(8) ? uint32_t(draw(200)) : uint32_t(rng());
      std::memcpy(to, &value, 4);
    } else if (p.size == 128) {
      tensorMap(**device, to);
    }
  }
  LaunchOptions options;
  options.seed = rng();
  options.async = AsyncMode(draw(3));
  options.sanitize = SanitizeMode(draw(3));
  options.sms = 1 + unsigned(draw(3));
  options.counters = !draw(4);
  options.maxWarpInstructions = 20000;
  Dim3 block = entry.reqntid.x   ? entry.reqntid
               : entry.maxntid.x ? entry.maxntid
                                 : Dim3{uint32_t(32 << draw(4)), 1, 1};
  Dim3 grid{uint32_t(1 + draw(4)), 1, 1}, cluster = entry.reqCluster;
  if (cluster.x == 0)
    cluster = {uint32_t(1 + !draw(8)), 1, 1};
  grid.x *= std::min(cluster.x, 8u);
  const size_t shared = draw(4) ? 200 << 10 : draw(64 << 10);
  LaunchResult r = (*device)->launch(
      module, entry.name, grid, block, cluster,
      std::min(shared, (*device)->limits().sharedPerBlockOptin -
                           std::min((*device)->limits().sharedPerBlockOptin,
                                    entry.staticShared)),
      parameters.data(), parameters.size(), options);
  return r.refusal.empty();
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Changes PTX text at random and lets the emulator parse and run "
               "it. Exit status 3: a crash, 4: a hang,\n5: too much memory, 6: "
               "an exception."};
  std::vector<std::string> paths;
  uint64_t seed = 1, first = 0, count = 0;
  double seconds = 60;
  bool print = false;
  app.add_option("corpus", paths, "PTX files, or folders of them")->required();
  app.add_option("--seed", seed, "of everything");
  app.add_option("--seconds", seconds, "how long");
  app.add_option("--first", first, "number of the first iteration");
  app.add_option("--count", count, "so many iterations, however long");
  app.add_flag("--print", print, "print the text of the first iteration only");
  CLI11_PARSE(app, argc, argv);
  Corpus corpus;
  try {
    for (const std::string &path : paths)
      if (std::filesystem::is_directory(path)) {
        std::vector<std::string> found;
        for (const auto &file : std::filesystem::directory_iterator(path))
          if (file.path().extension() == ".ptx")
            found.push_back(file.path().string());
        std::sort(found.begin(), found.end());
        for (const std::string &file : found)
          corpus.add(file);
      } else {
        corpus.add(path);
      }
    corpus.collectTokens();
    if (corpus.tokens.empty())
      throw std::runtime_error("the corpus is empty");
  } catch (const std::exception &error) {
    std::cerr << "ptx-fuzz: " << error.what() << "\n";
    return 2;
  }
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    std::signal(number, onSignal);
  std::printf("seed %llu, %zu texts, %zu tokens\n", (unsigned long long)seed,
              corpus.texts.size(), corpus.tokens.size());
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  uint64_t iteration = first, parsed = 0, ran = 0;
  for (;; ++iteration) {
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (count ? iteration - first >= count : spent > seconds)
      break;
    std::snprintf(lastWords, sizeof lastWords,
                  "iteration %llu of seed %llu: repeat with --seed=%llu "
                  "--first=%llu --count=1\n",
                  (unsigned long long)iteration, (unsigned long long)seed,
                  (unsigned long long)seed, (unsigned long long)iteration);
    std::seed_seq words{seed, iteration};
    rng.seed(words);
    const std::string text = mutant(corpus);
    if (print) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      return 0;
    }
    alarm(kSecondsPerIteration);
    try {
      if (auto module = Module::parse(text)) {
        ++parsed;
        for (const EntryInfo &entry : (*module)->entries())
          ran += launch(**module, entry);
      }
    } catch (const std::exception &error) {
      std::fprintf(stderr, "exception '%s' in %s", error.what(), lastWords);
      return 6;
    }
    alarm(0);
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss / 1024 > kMemoryMegabytes) {
      std::fprintf(stderr, "%ld MB of memory in %s", usage.ru_maxrss / 1024,
                   lastWords);
      return 5;
    }
  }
  std::printf("%llu texts, %llu parsed, %llu launches ran\n",
              (unsigned long long)(iteration - first),
              (unsigned long long)parsed, (unsigned long long)ran);
  return 0;
}
