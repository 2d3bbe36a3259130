#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints problems for gemm-run --sweep: ragged sizes around the tiles' edges, leading
# dimensions rounded up to whole vectors (so that the aligned kernels meet every edge), all
# layouts, and every part of the epilogue.
#
#   draw-problems.sh TYPES SEED COUNT LIMIT
set -eu
awk -v types="$1" -v seed="$2" -v count="$3" -v limit="$4" '
  function pick(list,  a, n) { n = split(list, a, " "); return a[1 + int(rand() * n)] }
  function size(list,  x) { do x = pick(list); while (x > limit); return x }
  function up(x) { return int((x + vector - 1) / vector) * vector }
  BEGIN {
    srand(seed)
    vector = types ~ /^f32/ ? 4 : 8
    for (i = 0; i < count; ++i) {
      m = size("1 7 31 32 33 63 64 65 127 128 129 255 257 263 389 513")
      n = size("1 8 31 32 33 64 65 120 127 129 255 256 257 264 395 515")
      k = size("0 1 8 16 31 32 63 64 65 128 129 191 193 256 333")
      layout = pick("tn nn nt tt"); order = pick("row col"); beta = pick("0 0 0.5")
      a = layout ~ /n$/ ? k : m; b = layout ~ /^t/ ? k : n; d = order == "row" ? n : m
      printf "--types %s --m %d --n %d --k %d --batch %d --layout %s --d-order %s",
             types, m, n, k, pick("1 1 3"), layout, order
      printf " --lda %d --ldb %d --ldd %d", up(a ? a : 1), up(b ? b : 1), up(d)
      printf " --alpha %s --beta %s --bias %s --activation %s --data %s --seed %d%s\n",
             pick("1 -1.5"), beta, pick("none row col"), pick("none relu"),
             pick("normal integers"), i, beta != 0 && rand() < 0.5 ? " --inplace" : ""
    }
  }'
