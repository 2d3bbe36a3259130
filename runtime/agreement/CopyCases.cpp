// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tensor maps and box copies on both devices: which maps are refused,
// what a load leaves in shared memory and a store in global memory.
#include "Case.h"
#include "CopyPtx.h"
#include "FloatDraw.h"
#include "TensorMap.h"

#include <algorithm>
#include <cstring>

namespace gemm::agreement {

using namespace emulator;

namespace {

using Random = std::mt19937_64;
constexpr unsigned copiesPerBatch = 20;

/// One copy: the map without its address, and where the box lies.
struct Copy {
  TensorMapFields fields;
  unsigned misalignment = 0; ///< of the global address, bytes
  int32_t coordinates[5] = {};
  size_t tensorBytes = 0;
  const char *group = "";
};

unsigned draw(Random &random, unsigned low, unsigned high) {
  return low + unsigned(random() % (high - low + 1));
}

/// What breaks a rule of cuTensorMapEncodeTiled, or stands at its edge.
struct Doubt {
  const char *name;
  unsigned leastRank;
  void (*apply)(Copy &copy, unsigned dim, Random &random);
};

const Doubt doubts[] = {
    {"box of any bytes", 1,
     [](Copy &c, unsigned, Random &) { c.fields.boxDim[0] += 1; }},
    {"box of 0 or 257", 1,
     [](Copy &c, unsigned dim, Random &random) {
       c.fields.boxDim[dim] = random() % 2 ? 0 : 257;
     }},
    {"element stride 0 or 9", 1,
     [](Copy &c, unsigned dim, Random &random) {
       c.fields.elementStrides[dim] = random() % 2 ? 0 : 9;
     }},
    {"first element stride", 1,
     [](Copy &c, unsigned, Random &random) {
       c.fields.elementStrides[0] = draw(random, 2, 8);
     }},
    {"stride of 8 bytes more", 2,
     [](Copy &c, unsigned, Random &) {
       c.fields.globalStrides[c.fields.rank - 2] += 8;
     }},
    {"address of 8 bytes more", 1,
     [](Copy &c, unsigned, Random &) { c.misalignment = 8; }},
    {"empty tensor", 1,
     [](Copy &c, unsigned dim, Random &) { c.fields.globalDim[dim] = 0; }},
    {"NaN fill of any type", 1,
     [](Copy &c, unsigned, Random &) { c.fields.fill = TensorMapFill::NaN; }},
    {"rows that overlap", 2,
     [](Copy &c, unsigned, Random &) { c.fields.globalStrides[0] = 16; }},
    {"stride of zero", 2,
     [](Copy &c, unsigned, Random &) {
       c.fields.globalStrides[c.fields.rank - 2] = 0;
     }},
    {"box wider than the swizzle", 1,
     [](Copy &c, unsigned, Random &) {
       c.fields.swizzle = TensorMapSwizzle::B32;
       c.fields.boxDim[0] = 64 / c.fields.elementBytes();
     }},
};

Copy drawCopy(unsigned rank, bool load, const Doubt *doubt, Random &random) {
  Copy copy;
  TensorMapFields &f = copy.fields;
  f.rank = rank;
  f.type = TensorMapType(draw(random, 0, 12));
  f.swizzle = TensorMapSwizzle(draw(random, 0, 3));
  const bool isFloat = unsigned(f.type) >= unsigned(TensorMapType::Float16);
  if (load && isFloat && random() % 2)
    f.fill = TensorMapFill::NaN;
  f.l2Promotion = TensorMapL2Promotion(draw(random, 0, 3));
  const unsigned size = f.elementBytes();
  const unsigned spans[] = {256, 32, 64, 128};
  const unsigned span = spans[unsigned(f.swizzle)];
  f.boxDim[0] = draw(random, 1, std::min(span, 256 * size) / 16) * 16 / size;
  // Of each dimension above the first; keeps the box below the shared memory.
  const unsigned boxes[] = {1, 1, 32, 8, 4, 3}, extents[] = {1, 1, 40, 9, 5, 4};
  f.globalDim[0] = draw(random, 1, 2 * f.boxDim[0] + 3);
  size_t pitch = (f.globalDim[0] * size + 15) / 16 * 16;
  for (unsigned d = 0; d < rank; ++d) {
    f.elementStrides[d] = 1;
    if (d == 0)
      continue;
    if (random() % 4 == 0)
      f.elementStrides[d] = draw(random, 1, 8);
    f.boxDim[d] = draw(random, 1, boxes[rank]);
    f.globalDim[d] = draw(random, 1, extents[rank]);
    f.globalStrides[d - 1] = pitch + 16 * draw(random, 0, 2);
    pitch = f.globalStrides[d - 1] * f.globalDim[d];
  }
  copy.tensorBytes = pitch;
  copy.group = load ? "load" : "store";
  const bool inside = random() % 3 == 0;
  // A box starts at a multiple of 16 bytes, or the launch dies.
  const int grain = int(16 / size);
  for (unsigned d = 0; d < rank; ++d) {
    const int box = int(f.boxDim[d]), extent = int(f.globalDim[d]);
    copy.coordinates[d] =
        inside ? int(draw(random, 0, unsigned(std::max(extent - box, 0))))
               : -box - 1 + int(draw(random, 0, unsigned(extent + box + 2)));
    if (d == 0)
      copy.coordinates[d] = copy.coordinates[d] / grain * grain;
  }
  if (doubt)
    doubt->apply(copy, draw(random, 0, rank - 1), random);
  return copy;
}

class CopyCase final : public Case {
public:
  CopyCase(unsigned rank, bool load, const Doubt *doubt,
           const RunOptions &options)
      : rank(rank), load(load), doubt(doubt), seed(options.seed) {
    const std::string what =
        std::to_string(rank) + "d " + (load ? "load" : "store");
    name = doubt ? "tensor map " + what + ", " + doubt->name
                 : "cp.async.bulk.tensor." + what;
    entry = "copy";
    const uint64_t copies =
        std::max<uint64_t>(options.tiles / (doubt ? 500 : 50), 1);
    batches = (copies + copiesPerBatch - 1) / copiesPerBatch;
    total.planned = batches * copiesPerBatch;
  }

  std::string ptx() const override { return copyPtx(rank, load); }

  Outcome run(uint64_t batch, Queue &first, Queue &second) override {
    Random random(batchSeed(seed, name, batch));
    Outcome outcome;
    outcome.cases = copiesPerBatch;
    for (unsigned i = 0; i < copiesPerBatch; ++i) {
      const Copy copy = drawCopy(rank, load, doubt, random);
      const std::vector<uint8_t> tensor = drawTensor(copy, random);
      std::vector<uint8_t> image(copySharedBytes + 16, 0);
      for (uint8_t &byte : image)
        byte = uint8_t(random());
      std::vector<uint8_t> results[2];
      Queue *queues[] = {&first, &second};
      for (unsigned device = 0; device < 2; ++device)
        try {
          results[device] =
              execute(*queues[device], *programs[device], copy, tensor, image);
        } catch (const DeviceLost &error) {
          throw DeviceLost(error.what() + describe(copy));
        } catch (const std::exception &error) {
          throw std::runtime_error(error.what() + describe(copy));
        }
      compare(outcome, copy, results[0], results[1]);
    }
    return outcome;
  }

private:
  /// Floats of every kind where the type is one, so that flushing and rounding
  /// have something to do.
  std::vector<uint8_t> drawTensor(const Copy &copy, Random &random) const {
    std::vector<uint8_t> bytes((copy.tensorBytes + 7) / 8 * 8 + 16);
    for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      const uint64_t bits = random();
      std::memcpy(&bytes[i], &bits, 8);
    }
    const TensorMapType type = copy.fields.type;
    if (type == TensorMapType::Float32Ftz || type == TensorMapType::TFloat32 ||
        type == TensorMapType::TFloat32Ftz) {
      FloatDraw f(FloatFormat::F32, random);
      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const unsigned kind = draw(random, 0, 5);
        const uint64_t bits =
            kind == 0   ? f.value(f.smallest() - int(random() % 23))
            : kind == 1 ? (random() % 2 ? f.nan() : f.infinity())
            : kind == 2 ? f.zero()
                        : f.bits();
        std::memcpy(&bytes[i], &bits, 4);
      }
    }
    return bytes;
  }

  /// The bytes that the copy changes, or a single one where the map is
  /// refused.
  std::vector<uint8_t> execute(Queue &queue, const Program &program,
                               const Copy &copy,
                               const std::vector<uint8_t> &tensor,
                               const std::vector<uint8_t> &image) const {
    Buffer tensorBuffer(queue, tensor.size()), imageBuffer(queue, image.size());
    queue.write(tensorBuffer.address(), tensor.data(), tensor.size());
    queue.write(imageBuffer.address(), image.data(), image.size());
    const TensorMapFields &f = copy.fields;
    TiledMapArguments t;
    t.dataType = unsigned(f.type);
    t.rank = f.rank;
    t.globalAddress = tensorBuffer.address() + copy.misalignment;
    t.globalDim.assign(f.globalDim, f.globalDim + f.rank);
    t.globalStrides.assign(f.globalStrides, f.globalStrides + f.rank - 1);
    t.boxDim.assign(f.boxDim, f.boxDim + f.rank);
    t.elementStrides.assign(f.elementStrides, f.elementStrides + f.rank);
    t.swizzle = unsigned(f.swizzle);
    t.l2Promotion = unsigned(f.l2Promotion);
    t.oobFill = unsigned(f.fill);
    alignas(64) uint8_t map[128];
    if (!queue.encode(t, map).empty())
      return {0};
    if (f.sharedBytes() > copySharedBytes)
      return {1};
    uint64_t data = imageBuffer.address();
    uint32_t bytes = f.boxBytes(), c[5];
    std::copy_n(copy.coordinates, 5, c);
    void *parameters[] = {map,   &data, &bytes, &c[0],
                          &c[1], &c[2], &c[3],  &c[4]};
    LaunchShape shape;
    shape.block.x = copyThreads;
    shape.dynamicShared = copySharedBytes;
    queue.launch(program, shape, parameters);
    std::vector<uint8_t> result(load ? copySharedBytes + 4 : tensor.size());
    queue.read(load ? imageBuffer.address() : tensorBuffer.address(),
               result.data(), result.size());
    return result;
  }

  void compare(Outcome &outcome, const Copy &copy,
               const std::vector<uint8_t> &x,
               const std::vector<uint8_t> &y) const {
    const ValueFormat byte{std::nullopt, 8};
    if (x.size() != y.size()) {
      outcome.add(x.size() > 1, y.size() > 1, byte, "which maps are refused");
      addExample(outcome, copy,
                 x.size() > 1 ? "the second device refuses"
                              : "the first device refuses");
      return;
    }
    bool shown = false;
    for (size_t i = 0; i < x.size(); ++i)
      if (outcome.add(x[i], y[i], byte, copy.group) && !shown) {
        shown = true;
        std::string pair = "byte " + std::to_string(i) + ":";
        for (const auto &side : {x, y}) {
          pair += " ";
          for (size_t j = i & ~size_t(3);
               j < std::min((i & ~size_t(3)) + 8, x.size()); ++j)
            pair += byte.text(side[j]);
        }
        addExample(outcome, copy, pair);
      }
  }

  void addExample(Outcome &outcome, const Copy &copy,
                  const std::string &what) const {
    outcome.addExample(copy.group, what + describe(copy));
  }

  std::string describe(const Copy &copy) const {
    const TensorMapFields &f = copy.fields;
    const auto list = [&](const char *label, const auto *values, unsigned n) {
      std::string text = std::string(", ") + label;
      for (unsigned i = 0; i < n; ++i)
        text += " " + std::to_string(values[i]);
      return text;
    };
    return " (type " + std::to_string(unsigned(f.type)) + ", swizzle " +
           std::to_string(unsigned(f.swizzle)) + ", fill " +
           std::to_string(unsigned(f.fill)) + ", promotion " +
           std::to_string(unsigned(f.l2Promotion)) +
           list("extents", f.globalDim, rank) +
           list("strides", f.globalStrides, rank - 1) +
           list("box", f.boxDim, rank) +
           list("element strides", f.elementStrides, rank) +
           list("at", copy.coordinates, rank) + ", address + " +
           std::to_string(copy.misalignment) + ")";
  }

  const unsigned rank;
  const bool load;
  const Doubt *const doubt; ///< null: none
  const uint64_t seed;
};

} // namespace

CaseList copyCases(const RunOptions &options) {
  CaseList result;
  const auto add = [&](unsigned rank, bool load, const Doubt *doubt) {
    result.push_back(std::make_unique<CopyCase>(rank, load, doubt, options));
  };
  for (bool load : {true, false})
    for (unsigned rank = 1; rank <= 5; ++rank)
      add(rank, load, nullptr);
  for (const Doubt &doubt : doubts)
    for (unsigned rank : {1, 3})
      if (rank >= doubt.leastRank) {
        add(rank, true, &doubt);
        add(rank, false, &doubt);
      }
  return result;
}

} // namespace gemm::agreement
