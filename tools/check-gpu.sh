#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What CI cannot see: correctness and speed on a Hopper GPU. Needs a gemm-run that starts
# on this machine (build with --preset static where LLVM is absent) and, for the ratios,
# libcublasLt.
#
#   tools/check-gpu.sh [GEMM_RUN] [SEED]
set -u
run=${1:-build/bin/gemm-run}
seed=${2:-1}
failures=0

types_of() {
  case $1 in
  smem) echo f32,f32,f32,f32 ;;
  mma-sync) echo f16,f16,f32,f16 ;;
  wgmma) echo bf16,bf16,f32,bf16 ;;
  esac
}

echo "== correctness: the named sizes and 30 drawn ones, layouts, pitches, batches (seed $seed)"
for schedule in smem mma-sync wgmma; do
  "$run" --schedule=$schedule --types="$(types_of $schedule)" --sweep=issue:"$seed" ||
    failures=$((failures + 1))
done

# Pitches rounded up to whole vectors put ragged sizes on the aligned entries too, and
# every part of the epilogue meets every edge.
draw() { # VECTOR TYPES
  awk -v seed="$seed" -v v="$1" -v types="$2" '
    function pick(list,  a, n) { n = split(list, a, " "); return a[1 + int(rand() * n)] }
    function up(x) { return int((x + v - 1) / v) * v }
    BEGIN {
      srand(seed)
      for (i = 0; i < 250; ++i) {
        m = pick("1 7 31 32 33 63 127 128 129 255 257 263 389 513")
        n = pick("1 8 31 32 33 64 127 255 256 257 264 395 515")
        k = pick("0 1 8 16 31 32 63 64 65 128 191 193 256 333")
        layout = pick("tn nn nt tt"); order = pick("row col"); bias = pick("none row col")
        beta = pick("0 0 0.5"); batch = pick("1 1 3")
        a = layout ~ /n$/ ? k : m; b = layout ~ /^t/ ? k : n; d = order == "row" ? n : m
        printf "--types %s --m %d --n %d --k %d --batch %d --layout %s --d-order %s", types, m, n, k, batch, layout, order
        printf " --lda %d --ldb %d --ldd %d", up(a ? a : 1), up(b ? b : 1), up(d)
        printf " --alpha %s --beta %s --bias %s --activation %s --data %s --seed %d%s\n",
          pick("1 -1.5"), beta, bias, pick("none relu"), pick("normal integers"), i,
          beta != 0 && rand() < 0.5 ? " --inplace" : ""
      }
    }'
}
list=$(mktemp)
trap 'rm -f "$list"' EXIT
echo "== correctness: aligned pitches, ragged sizes, every epilogue (seed $seed)"
for schedule in smem mma-sync wgmma; do
  draw $([ $schedule = smem ] && echo 4 || echo 8) "$(types_of $schedule)" >"$list"
  "$run" --schedule=$schedule --types="$(types_of $schedule)" --sweep="$list" ||
    failures=$((failures + 1))
done

echo "== speed: cuBLASLt's best over ours, interleaved in one process"
for schedule in smem mma-sync wgmma; do
  layouts=tn
  for layout in $layouts; do
    for n in 4096 8192; do
      "$run" --schedule=$schedule --types="$(types_of $schedule)" --layout=$layout \
        --m=$n --n=$n --k=$n --check=sampled --vs=cublaslt |
        grep -E '^(problem|check|time|cublaslt|ratio|compile)' || failures=$((failures + 1))
    done
  done
done

echo "$failures failed"
exit $((failures > 0))
