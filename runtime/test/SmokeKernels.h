// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two artifacts written by hand, in every layout: D = alpha A B^T + beta C with
// one thread per element. `naive` reads global memory, `tma` loads its tiles by
// tensor map. Integers in f32 keep their results exact.
#ifndef GEMM_RUNTIME_TEST_SMOKEKERNELS_H
#define GEMM_RUNTIME_TEST_SMOKEKERNELS_H

#include <string>

namespace gemm::runtime {

/// A coordinate order per operand: "row" or "col".
struct SmokeLayout {
  bool columnMajorA = false;
  bool columnMajorB = false;
  bool columnMajorD = false; ///< of C, too
};

/// Replaces every occurrence.
inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

inline constexpr const char *smokeDescription = R"({
 "format": 1, "compiler": "by hand", "name": "smoke",
 "target": "@TARGET@", "ptx": "@VERSION@",
 "problem": {
  "batched": true, "accumulator": "f32",
  "operands": [
   {"name": "A", "role": "a", "type": "f32", "dims": ["m", "k"],
    "order": "@A@", "batched": true},
   {"name": "B", "role": "b", "type": "f32", "dims": ["n", "k"],
    "order": "@B@", "batched": true},
   {"name": "C", "role": "epilogue", "type": "f32", "dims": ["m", "n"],
    "order": "@D@", "batched": true, "unused_if_zero": 1},
   {"name": "D", "role": "d", "type": "f32", "dims": ["m", "n"],
    "order": "@D@", "batched": true}],
  "scalars": [{"name": "alpha", "type": "f32"}, {"name": "beta", "type": "f32"}],
  "static": {},
  "epilogue": [
   {"op": "product", "index": 0, "type": "f32"},
   {"op": "operand", "index": 2, "type": "f32"},
   {"op": "scalar", "index": 0, "type": "f32"},
   {"op": "scalar", "index": 1, "type": "f32"},
   {"op": "arith.mulf", "args": [0, 2], "type": "f32"},
   {"op": "arith.mulf", "args": [1, 3], "type": "f32"},
   {"op": "arith.addf", "args": [4, 5], "type": "f32"},
   {"op": "yield", "args": [6]}]},
 "entries": [
  {"name": "smoke", "guard": [@GUARD@],
   "schedule": "one thread per element", "block": 256, "cluster": [1, 1, 1],
   "shared_bytes": @SHARED@,
   "grid": {"kind": "tiles", "rows": "m", "cols": "n", "tile": [16, 16],
            "raster": 1},
   "workspace": {"kind": "none"},
   "params": [
    @OPERANDS@,
    {"kind": "pointer", "operand": 2}, {"kind": "stride", "operand": 2},
    {"kind": "batch_stride", "operand": 2},
    {"kind": "pointer", "operand": 3}, {"kind": "stride", "operand": 3},
    {"kind": "batch_stride", "operand": 3},
    {"kind": "extent", "dim": "m"}, {"kind": "extent", "dim": "n"},
    {"kind": "extent", "dim": "k"},
    {"kind": "scalar", "index": 0}, {"kind": "scalar", "index": 1}]}]})";

/// From the block and thread index: m, n and batch of this thread.
inline constexpr const char *smokePrologue = R"(
  .reg .pred p, outside, more;
  .reg .b32 extentM, extentN, extentK, tile, rows, cols, tid, m0, n0, m, n, b, k;
  .reg .b64 m64, n64, b64, ld, one, base, offset, step;
  .reg .f32 alpha, beta, x, y, sum;
  ld.param.u32 extentM, [paramM];
  ld.param.u32 extentN, [paramN];
  ld.param.u32 extentK, [paramK];
  // Tiles of 16 x 16: columns fastest, then rows, then batches.
  add.u32 cols, extentN, 15;
  shr.u32 cols, cols, 4;
  add.u32 rows, extentM, 15;
  shr.u32 rows, rows, 4;
  mov.u32 tile, %ctaid.x;
  rem.u32 n0, tile, cols;
  div.u32 tile, tile, cols;
  rem.u32 m0, tile, rows;
  div.u32 b, tile, rows;
  shl.b32 m0, m0, 4;
  shl.b32 n0, n0, 4;
  mov.u32 tid, %tid.x;
  and.b32 n, tid, 15;
  shr.u32 m, tid, 4;
  add.u32 m, m, m0;
  add.u32 n, n, n0;
  cvt.u64.u32 m64, m;
  cvt.u64.u32 n64, n;
  cvt.u64.u32 b64, b;
  mov.u64 one, 1;
  mov.f32 sum, 0f00000000;
  setp.ge.u32 p, m, extentM;
  setp.ge.or.u32 outside, n, extentN, p;
)";

/// From the sum: the element of D.
inline constexpr const char *smokeEpilogue = R"(
  ld.param.f32 alpha, [paramAlpha];
  ld.param.f32 beta, [paramBeta];
  mul.rn.f32 sum, sum, alpha;
  // Without beta, C is not read and may be null.
  setp.eq.f32 p, beta, 0f00000000;
  @p bra STORE;
  ld.param.u64 ld, [strideC];
  ld.param.u64 offset, [batchC];
  mul.lo.u64 offset, offset, b64;
  mad.lo.u64 offset, m64, @D0@, offset;
  mad.lo.u64 offset, n64, @D1@, offset;
  ld.param.u64 base, [pointerC];
  shl.b64 offset, offset, 2;
  add.u64 base, base, offset;
  ld.global.f32 x, [base];
  fma.rn.f32 sum, x, beta, sum;
STORE:
  ld.param.u64 ld, [strideD];
  ld.param.u64 offset, [batchD];
  mul.lo.u64 offset, offset, b64;
  mad.lo.u64 offset, m64, @D0@, offset;
  mad.lo.u64 offset, n64, @D1@, offset;
  ld.param.u64 base, [pointerD];
  shl.b64 offset, offset, 2;
  add.u64 base, base, offset;
  st.global.f32 [base], sum;
DONE:
  ret;
}
)";

inline constexpr const char *smokeParameters = R"(
  .param .u64 pointerC, .param .u64 strideC, .param .u64 batchC,
  .param .u64 pointerD, .param .u64 strideD, .param .u64 batchD,
  .param .u32 paramM, .param .u32 paramN, .param .u32 paramK,
  .param .f32 paramAlpha, .param .f32 paramBeta)
.reqntid 256
{)";

inline constexpr const char *naiveParameters = R"(
  .param .u64 pointerA, .param .u64 strideA, .param .u64 batchA,
  .param .u64 pointerB, .param .u64 strideB, .param .u64 batchB,)";

inline constexpr const char *naiveLoop = R"(
  .reg .b64 a, b0, stepA, stepB;
  @outside bra DONE;
  ld.param.u64 ld, [strideA];
  ld.param.u64 offset, [batchA];
  mul.lo.u64 offset, offset, b64;
  mad.lo.u64 offset, m64, @A0@, offset;
  shl.b64 offset, offset, 2;
  ld.param.u64 base, [pointerA];
  add.u64 a, base, offset;
  shl.b64 stepA, @A1@, 2;
  ld.param.u64 ld, [strideB];
  ld.param.u64 offset, [batchB];
  mul.lo.u64 offset, offset, b64;
  mad.lo.u64 offset, n64, @B0@, offset;
  shl.b64 offset, offset, 2;
  ld.param.u64 base, [pointerB];
  add.u64 b0, base, offset;
  shl.b64 stepB, @B1@, 2;
  mov.u32 k, 0;
LOOP:
  setp.lt.u32 more, k, extentK;
  @!more bra SUMMED;
  ld.global.f32 x, [a];
  ld.global.f32 y, [b0];
  fma.rn.f32 sum, x, y, sum;
  add.u64 a, a, stepA;
  add.u64 b0, b0, stepB;
  add.u32 k, k, 1;
  bra LOOP;
SUMMED:
)";

inline constexpr const char *tmaParameters = R"(
  .param .align 64 .b8 mapA[128], .param .align 64 .b8 mapB[128],)";

// A and B tiles of 16 lines of the contracted dimension and 16 others, one
// stage. The box is 16 x 16 whichever coordinate is contiguous; only the
// coordinates and the place in the tile change.
inline constexpr const char *tmaLoop = R"(
  .reg .b32 shared, tileB, barrier, phase, i, row, column, addressA, addressB,
            strideRowA, strideKA, strideRowB, strideKB;
  .reg .b64 map, state;
  mov.u32 shared, dynamicShared;
  add.u32 tileB, shared, 1024;
  add.u32 barrier, shared, 2048;
  setp.ne.u32 p, tid, 0;
  @p bra READY;
  mbarrier.init.shared.b64 [barrier], 1;
  fence.proxy.async.shared::cta;
READY:
  bar.sync 0;
  shr.u32 row, tid, 4;
  and.b32 column, tid, 15;
  mov.u32 phase, 0;
  mov.u32 k, 0;
LOOP:
  setp.lt.u32 more, k, extentK;
  @!more bra SUMMED;
  @p bra WAIT;
  // The tiles were read by ordinary loads, and are overwritten by TMA.
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 state, [barrier], 2048;
  mov.b64 map, mapA;
  cvta.param.u64 map, map;
  cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
    [shared], [map, {@A_COORDINATES@, b}], [barrier];
  mov.b64 map, mapB;
  cvta.param.u64 map, map;
  cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
    [tileB], [map, {@B_COORDINATES@, b}], [barrier];
WAIT:
  .reg .pred done;
  mbarrier.try_wait.parity.shared.b64 done, [barrier], phase;
  @!done bra WAIT;
  xor.b32 phase, phase, 1;
  mov.u32 i, 0;
  mad.lo.u32 addressA, row, @A_ROW@, shared;
  mad.lo.u32 addressB, column, @B_ROW@, tileB;
STEP:
  ld.shared.f32 x, [addressA];
  ld.shared.f32 y, [addressB];
  fma.rn.f32 sum, x, y, sum;
  add.u32 addressA, addressA, @A_STEP@;
  add.u32 addressB, addressB, @B_STEP@;
  add.u32 i, i, 1;
  setp.lt.u32 more, i, 16;
  @more bra STEP;
  bar.sync 0;
  add.u32 k, k, 16;
  bra LOOP;
SUMMED:
  @outside bra DONE;
)";

/// The artifact of a kernel from its parts, with the layout filled in.
inline std::string smokeArtifact(const SmokeLayout &layout, bool tma,
                                 const std::string &target,
                                 const std::string &version,
                                 const std::string &shared) {
  std::string operands =
      tma ? R"({"kind": "tensor_map", "operand": 0, "box": [16, 16],
     "swizzle": 0},
    {"kind": "tensor_map", "operand": 1, "box": [16, 16], "swizzle": 0})"
          : R"({"kind": "pointer", "operand": 0}, {"kind": "stride", "operand": 0},
    {"kind": "batch_stride", "operand": 0},
    {"kind": "pointer", "operand": 1}, {"kind": "stride", "operand": 1},
    {"kind": "batch_stride", "operand": 1})";
  std::string guard = tma ? R"({"kind": "align", "operand": 0, "value": 16},
    {"kind": "align", "operand": 1, "value": 16},
    {"kind": "pitch", "operand": 0, "value": 4},
    {"kind": "pitch", "operand": 1, "value": 4})"
                          : "";
  std::string text = "// gemm-artifact-begin\n// " +
                     replaced(smokeDescription, "\n", "\n// ") +
                     "\n// gemm-artifact-end\n.version @VERSION@\n.target "
                     "@TARGET@\n.address_size 64\n";
  if (tma)
    text += ".extern .shared .align 1024 .b8 dynamicShared[];\n";
  text += ".visible .entry smoke(";
  text += tma ? tmaParameters : naiveParameters;
  text += std::string(smokeParameters) + smokePrologue +
          (tma ? tmaLoop : naiveLoop) + smokeEpilogue;

  text = replaced(text, "@OPERANDS@", replaced(operands, "\n", "\n// "));
  text = replaced(text, "@GUARD@", replaced(guard, "\n", "\n// "));
  text = replaced(text, "@TARGET@", target);
  text = replaced(text, "@VERSION@", version);
  text = replaced(text, "@SHARED@", shared);
  const char *order[] = {"row", "col"};
  text = replaced(text, "@A@", order[layout.columnMajorA]);
  text = replaced(text, "@B@", order[layout.columnMajorB]);
  text = replaced(text, "@D@", order[layout.columnMajorD]);
  auto strides = [&](const std::string &name, bool columnMajor) {
    text = replaced(text, "@" + name + "0@", columnMajor ? "one" : "ld");
    text = replaced(text, "@" + name + "1@", columnMajor ? "ld" : "one");
  };
  strides("A", layout.columnMajorA);
  strides("B", layout.columnMajorB);
  strides("D", layout.columnMajorD);
  // In shared memory a tile has its contiguous coordinate innermost: 4 bytes
  // apart, 16 elements a line.
  auto tile = [&](const std::string &name, const std::string &other,
                  bool columnMajor) {
    text = replaced(text, "@" + name + "_COORDINATES@",
                    columnMajor ? other + ", k" : "k, " + other);
    text = replaced(text, "@" + name + "_ROW@", columnMajor ? "4" : "64");
    text = replaced(text, "@" + name + "_STEP@", columnMajor ? "64" : "4");
  };
  tile("A", "m0", layout.columnMajorA);
  tile("B", "n0", layout.columnMajorB);
  return text;
}

/// Reads global memory; runs on every GPU since Volta.
inline std::string naiveArtifact(const SmokeLayout &layout,
                                 const std::string &target = "sm_70",
                                 const std::string &version = "7.0",
                                 const std::string &shared = "0") {
  return smokeArtifact(layout, false, target, version, shared);
}

/// Loads by tensor map; runs on GPUs since Hopper.
inline std::string tmaArtifact(const SmokeLayout &layout) {
  return smokeArtifact(layout, true, "sm_90", "8.0", "2064");
}

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_TEST_SMOKEKERNELS_H
