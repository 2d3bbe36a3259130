// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact with every field, and edits of it.
#ifndef GEMM_RUNTIME_TEST_TESTARTIFACT_H
#define GEMM_RUNTIME_TEST_TESTARTIFACT_H

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace gemm::runtime {

/// A batched D = relu-less alpha * A B^T + beta * C + bias with a TMA entry
/// (matmul_0) and a fallback that takes everything (matmul_1).
inline nlohmann::json sampleDescription() {
  return nlohmann::json::parse(R"({
    "format": 1, "compiler": "gemm-mlir 0.1.0", "name": "matmul",
    "target": "sm_90a", "ptx": "8.0",
    "problem": {
      "batched": true, "accumulator": "f32",
      "operands": [
        {"name": "A", "role": "a", "type": "bf16", "dims": ["m", "k"],
         "order": "row", "batched": true},
        {"name": "B", "role": "b", "type": "bf16", "dims": ["n", "k"],
         "order": "col", "batched": false},
        {"name": "C", "role": "epilogue", "type": "bf16", "dims": ["m", "n"],
         "order": "row", "batched": true, "unused_if_zero": 1},
        {"name": "bias", "role": "epilogue", "type": "f32", "dims": ["n"],
         "batched": false},
        {"name": "D", "role": "d", "type": "bf16", "dims": ["m", "n"],
         "order": "row", "batched": true}],
      "scalars": [{"name": "alpha", "type": "f32"},
                  {"name": "beta", "type": "f32"}],
      "static": {},
      "epilogue": []},
    "entries": [
      {"name": "matmul_0",
       "guard": [{"kind": "align", "operand": 0, "value": 16},
                 {"kind": "align", "operand": 1, "value": 16},
                 {"kind": "pitch", "operand": 0, "value": 8},
                 {"kind": "pitch", "operand": 1, "value": 8},
                 {"kind": "extent_divisible", "dim": "k", "value": 8},
                 {"kind": "extent_at_most", "dim": "m", "value": 4096},
                 {"kind": "batch_at_most", "value": 5}],
       "schedule": "#gemm.schedule<wgmma>",
       "block": 256, "cluster": [2, 1, 1], "shared_bytes": 196608,
       "grid": {"kind": "tiles", "rows": "m", "cols": "n",
                "tile": [128, 256], "raster": 8},
       "workspace": {"kind": "none"},
       "params": [
         {"kind": "tensor_map", "operand": 0, "box": [64, 128],
          "swizzle": 128},
         {"kind": "tensor_map", "operand": 1, "box": [64, 64], "swizzle": 128},
         {"kind": "pointer", "operand": 4},
         {"kind": "stride", "operand": 4},
         {"kind": "batch_stride", "operand": 4},
         {"kind": "extent", "dim": "m"}, {"kind": "extent", "dim": "n"},
         {"kind": "extent", "dim": "k"}, {"kind": "extent", "dim": "batch"},
         {"kind": "scalar", "index": 0}]},
      {"name": "matmul_1", "guard": [], "schedule": "#gemm.schedule<smem>",
       "block": 128, "cluster": [1, 1, 1], "shared_bytes": 0,
       "grid": {"kind": "tiles", "rows": "n", "cols": "m", "tile": [64, 32],
                "raster": 1},
       "workspace": {"kind": "none"},
       "params": [{"kind": "pointer", "operand": 0},
                  {"kind": "stride", "operand": 1},
                  {"kind": "scalar", "index": 1}]}]})");
}

/// The artifact with this description, around PTX that has its entries.
inline std::string artifactText(const std::string &json,
                                const std::string &target = "sm_90a",
                                const std::string &version = "8.0") {
  std::string text = "// a comment of the compiler\n// gemm-artifact-begin\n";
  std::istringstream lines(json);
  for (std::string line; std::getline(lines, line);)
    text += "// " + line + "\n";
  return text + "// gemm-artifact-end\n//\n.version " + version + "\n.target " +
         target +
         "\n.address_size 64\n.visible .entry matmul_0(\n)\n{ ret; }\n"
         ".visible .entry\n  matmul_1() { ret; }\n";
}

inline std::string artifactText(const nlohmann::json &description) {
  return artifactText(description.dump(1));
}

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_TEST_TESTARTIFACT_H
