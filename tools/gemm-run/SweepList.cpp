// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SweepList.h"

#include "support/Error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace gemm::tools {
namespace {

// Draws one number after another from a counter.
class Draw {
public:
  explicit Draw(uint64_t seed) : seed(seed) {}

  int64_t below(int64_t count) {
    return static_cast<int64_t>(randomBits(seed, 0, counter++) %
                                static_cast<uint64_t>(count));
  }
  int64_t of(const std::vector<int64_t> &choices) {
    return choices[below(static_cast<int64_t>(choices.size()))];
  }

private:
  uint64_t seed;
  uint64_t counter = 0;
};

std::vector<int64_t> primesBelow(int64_t limit) {
  std::vector<int64_t> primes;
  for (int64_t number = 2; number < limit; ++number)
    if (std::none_of(primes.begin(), primes.end(),
                     [&](int64_t prime) { return number % prime == 0; }))
      primes.push_back(number);
  return primes;
}

struct Size {
  int64_t m, n, k;
};

std::vector<Size> drawSizes(Draw &draw, const Tile &tile) {
  std::vector<Size> sizes = {
      {1, 1, 1},        {7, 13, 5},         {64, 64, 24},
      {128, 128, 64},   {511, 511, 511},    {1000, 999, 1001},
      {33, 65, 0},      {4096, 4096, 4096}, {4095, 4097, 4099},
      {16, 8192, 8192}, {5000, 33, 129},    {257, 1, 4097}};
  const std::vector<int64_t> primes = primesBelow(700);
  auto extent = [&](int64_t t) {
    std::vector<int64_t> choices = {
        1, std::max<int64_t>(1, t - 1), t, t + 1, 2 * t + 3, draw.of(primes)};
    return draw.of(choices);
  };
  for (int i = 0; i < 30; ++i) {
    int64_t m = extent(tile.m), n = extent(tile.n), k = extent(tile.k);
    sizes.push_back({m, n, k});
  }
  return sizes;
}

void setEpilogue(ProblemOptions &problem, int64_t kind) {
  switch (kind) {
  case 0:
    break;
  case 1:
    problem.alpha = 2;
    problem.beta = -0.5;
    break;
  case 2:
    problem.bias = "row";
    problem.activation = "relu";
    break;
  default:
    problem.beta = 1;
    problem.bias = "col";
    problem.inPlace = true;
    problem.dColumnMajor = true;
    break;
  }
}

// Longer by 0, 1, 7 or 8 than a line, at random; `aligned`: by one of these
// that makes the pitch a multiple of 8, where one does, at aligned pointers.
// Most random pitches are odd, and kernels have entries for even ones.
void setPitches(ProblemOptions &problem, const Size &size, Draw &draw,
                bool aligned) {
  const std::vector<int64_t> paddings = {0, 1, 7, 8};
  auto padding = [&](int64_t line) {
    std::vector<int64_t> good;
    for (int64_t candidate : paddings)
      if ((line + candidate) % 8 == 0)
        good.push_back(candidate);
    return draw.of(aligned && !good.empty() ? good : paddings);
  };
  bool aByRows = problem.layout == "tn" || problem.layout == "nn";
  bool bByRows = problem.layout == "tn" || problem.layout == "tt";
  problem.lda.padding = padding(aByRows ? size.k : size.m);
  problem.ldb.padding = padding(bByRows ? size.k : size.n);
  problem.ldd.padding = padding(problem.dColumnMajor ? size.m : size.n);
  for (int64_t &offset : problem.offsets)
    offset = aligned ? 0 : draw.of({0, 0, 0, 1});
}

} // namespace

std::vector<ProblemOptions> readSweep(const std::string &file) {
  std::ifstream stream(file);
  if (!stream)
    throw ToolError("cannot read " + file + ": " + std::strerror(errno));
  std::vector<ProblemOptions> problems;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#')
      continue;
    try {
      problems.push_back(parseProblemLine(line));
    } catch (const ToolError &error) {
      throw ToolError(file + ":" + std::to_string(number) + ": " +
                      error.what());
    }
  }
  return problems;
}

std::optional<DrawnSweep> parseDrawnSweep(const std::string &text) {
  constexpr std::string_view prefix = "drawn:";
  if (!text.starts_with(prefix))
    return std::nullopt;
  DrawnSweep sweep;
  const char *at = text.data() + prefix.size(),
             *end = text.data() + text.size();
  auto [afterSeed, error] = std::from_chars(at, end, sweep.seed);
  bool good = error == std::errc();
  if (good && afterSeed != end) {
    auto [rest, limitError] =
        std::from_chars(afterSeed + (*afterSeed == ':'), end, sweep.limit);
    good = *afterSeed == ':' && limitError == std::errc() && rest == end;
  }
  if (!good)
    throw ToolError("--sweep=" + text +
                    ": expected drawn:SEED or drawn:SEED:LIMIT");
  return sweep;
}

std::vector<ProblemOptions> drawSweep(const DrawnSweep &sweep, const Tile &tile,
                                      const ProblemOptions &base) {
  Draw draw(sweep.seed);
  std::vector<ProblemOptions> problems;
  int64_t count = 0, sizeIndex = 0;
  for (const Size &size : drawSizes(draw, tile)) {
    ++sizeIndex;
    for (const char *layout : {"tn", "nn", "nt", "tt"}) {
      for (int64_t batch : {1, 3}) {
        ProblemOptions problem = base;
        problem.describesSignature = true;
        problem.m = size.m;
        problem.n = size.n;
        problem.k = size.k;
        problem.batch = batch;
        problem.layout = layout;
        // Shifted from size to size, so that every layout meets every epilogue.
        setEpilogue(problem, (count + sizeIndex) % 4);
        setPitches(problem, size, draw, (sizeIndex / 4 + count) % 2 == 0);
        ++count;
        for (DataKind data : {DataKind::Normal, DataKind::Integers}) {
          problem.data = data;
          problem.seed = static_cast<uint64_t>(draw.below(1000000));
          if (std::max({size.m, size.n, size.k}) <= sweep.limit)
            problems.push_back(problem);
        }
      }
    }
  }
  return problems;
}

} // namespace gemm::tools
