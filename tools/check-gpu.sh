#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What CI cannot see: correctness and speed on a Hopper GPU. Needs a gemm-run that starts
# on this machine (build with --preset static where LLVM is absent) and, for the ratios,
# libcublasLt.
#
#   tools/check-gpu.sh [GEMM_RUN] [SEED]
set -uo pipefail
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
  "$run" --schedule=$schedule --types="$(types_of $schedule)" --sweep=drawn:"$seed" --repeat=2 ||
    failures=$((failures + 1))
done

list=$(mktemp)
trap 'rm -f "$list"' EXIT
echo "== correctness: aligned pitches, ragged sizes, every epilogue (seed $seed)"
for schedule in smem mma-sync wgmma; do
  "$(dirname "$0")"/../test/Integration/draw-problems.sh "$(types_of $schedule)" "$seed" 120 600 >"$list"
  "$run" --schedule=$schedule --types="$(types_of $schedule)" --sweep="$list" --repeat=2 ||
    failures=$((failures + 1))
done

echo "== speed: cuBLASLt's best over ours, interleaved in one process"
for schedule in smem mma-sync wgmma; do
  for n in 4096 8192; do
    "$run" --schedule=$schedule --types="$(types_of $schedule)" --m=$n --n=$n --k=$n \
      --check=sampled --vs=cublaslt |
      grep -E '^(problem|check|time|cublaslt|ratio|compile)' || failures=$((failures + 1))
  done
done

echo "$failures failed"
exit $((failures > 0))
