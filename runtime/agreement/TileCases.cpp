// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of the tensor instructions on both devices.
#include "Case.h"
#include "TileData.h"

#include <algorithm>
#include <cstring>

namespace gemm::agreement {

using namespace emulator;
using enum ElementType;

namespace {

ValueFormat resultFormat(ElementType type) {
  switch (type) {
  case F16:
    return {FloatFormat::F16, 16};
  case F64:
    return {FloatFormat::F64, 64};
  case S32:
    return {std::nullopt, 32};
  default:
    return {FloatFormat::F32, 32};
  }
}

size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

class TileCase final : public Case {
public:
  TileCase(const TileInstruction &instruction, const RunOptions &options)
      : t(instruction), layout(tileLayout(t)), seed(options.seed),
        format(resultFormat(t.d)) {
    name = t.name();
    entry = "tiles";
    // A batch is about a million operand bytes times rows; wide tiles hold
    // many results, so that fewer of them are as many values.
    const uint64_t work = std::max<uint64_t>(
        uint64_t(t.rows()) * t.shape.n * t.shape.k * elementBits(t.a) / 16, 1);
    const uint64_t most = 64 * 8 * 32;
    uint64_t tiles = options.tiles;
    if (work > most)
      tiles =
          std::max<uint64_t>(tiles * most / work, std::min(tiles, most / 32));
    perBatch = std::clamp<uint64_t>((1u << 20) / work, 2 * patternCount, 1024);
    perBatch = std::min(perBatch, std::max<uint64_t>(tiles, patternCount));
    batches = (tiles + perBatch - 1) / perBatch;
    total.planned = batches * perBatch;
    total.name = name;
  }

  std::string ptx() const override { return tilePtx(t); }

  Outcome run(uint64_t batch, Queue &first, Queue &second) override {
    Random random(batchSeed(seed, name, batch));
    std::vector<TileMatrices> tiles(perBatch);
    const size_t aAt = 0, bAt = aligned(aAt + perBatch * layout.aBytes);
    const size_t cAt = aligned(bAt + perBatch * layout.bBytes);
    const size_t dAt = aligned(cAt + perBatch * layout.cBytes);
    std::vector<uint8_t> inputs(dAt);
    for (uint64_t i = 0; i < perBatch; ++i) {
      drawTile(t, patternOf(batch, i), random, tiles[i]);
      packTile(t, layout, tiles[i], &inputs[aAt + i * layout.aBytes],
               &inputs[bAt + i * layout.bBytes],
               &inputs[cAt + i * layout.cBytes]);
    }
    std::vector<uint8_t> results[2];
    Queue *queues[] = {&first, &second};
    for (unsigned device = 0; device < 2; ++device)
      results[device] =
          execute(*queues[device], *programs[device], inputs, bAt, cAt, dAt);
    Outcome outcome;
    outcome.cases = perBatch;
    for (uint64_t i = 0; i < perBatch; ++i)
      compare(outcome, tiles[i], patternOf(batch, i),
              &results[0][i * layout.dBytes], &results[1][i * layout.dBytes]);
    return outcome;
  }

private:
  Pattern patternOf(uint64_t batch, uint64_t tile) const {
    return Pattern((batch * perBatch + tile) % patternCount);
  }

  std::vector<uint8_t> execute(Queue &queue, const Program &program,
                               const std::vector<uint8_t> &inputs, size_t bAt,
                               size_t cAt, size_t dAt) const {
    std::vector<uint8_t> result(perBatch * layout.dBytes);
    Buffer memory(queue, dAt + result.size());
    queue.write(memory.address(), inputs.data(), inputs.size());
    uint64_t a = memory.address(), b = a + bAt, c = a + cAt, d = a + dAt;
    uint32_t count = uint32_t(perBatch);
    void *parameters[] = {&a, &b, &c, &d, &count};
    LaunchShape shape;
    shape.grid.x = tileCtas(t, count);
    shape.block.x = 128;
    shape.dynamicShared = layout.sharedBytes;
    queue.launch(program, shape, parameters);
    queue.read(d, result.data(), result.size());
    return result;
  }

  void compare(Outcome &outcome, const TileMatrices &tile, Pattern pattern,
               const uint8_t *first, const uint8_t *second) const {
    if (std::memcmp(first, second, layout.dBytes) == 0) {
      outcome.values += tile.c.size();
      return;
    }
    std::vector<uint64_t> x, y;
    unpackResult(t, first, x);
    unpackResult(t, second, y);
    bool shown = false;
    for (size_t i = 0; i < x.size(); ++i)
      if (outcome.add(x[i], y[i], format, patternName(pattern)) && !shown &&
          outcome.wantsExample(patternName(pattern))) {
        shown = true; // one of a tile is enough
        outcome.addExample(patternName(pattern), example(tile, i, x[i], y[i]));
      }
  }

  /// All that one result depends on.
  std::string example(const TileMatrices &tile, size_t at, uint64_t first,
                      uint64_t second) const {
    const unsigned k = t.shape.k, n = t.accumulatorColumns();
    const unsigned row = unsigned(at) / n;
    const unsigned column = unsigned(at) % n + (t.isQuad() ? row / 8 * 8 : 0);
    const ValueFormat aFormat{std::nullopt, elementBits(t.a)};
    const ValueFormat bFormat{std::nullopt, elementBits(t.b)};
    std::string a, b;
    for (unsigned i = 0; i < k; ++i) {
      a += " " + aFormat.text(tile.a[row * k + i]);
      b += " " + bFormat.text(tile.b[size_t(i) * t.columns() + column]);
    }
    return format.text(first) + " and " + format.text(second) + " of a" + a +
           " b" + b + " c " + resultFormat(t.c).text(tile.c[at]);
  }

  const TileInstruction t;
  const TileLayout layout;
  const uint64_t seed;
  const ValueFormat format;
  uint64_t perBatch = 1;
};

} // namespace

CaseList tileCases(const RunOptions &options) {
  CaseList result;
  for (const TileInstruction &t : tileInstructions())
    result.push_back(std::make_unique<TileCase>(t, options));
  return result;
}

} // namespace gemm::agreement
