#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds into build/, compiles an example to PTX and runs
# it: on the GPU if there is one, otherwise on the emulator.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${GEMM_BUILD:-build}
example=examples/matmul-bias-relu.mlir
artifact=$build/matmul-bias-relu.ptx

tools/install-packages.sh
tools/build.sh "$build" gemm-opt gemm-run

# What a step prints is its command, so that the reader can go on from there.
step() {
  echo
  echo "\$ $*"
  "$@"
}

echo
echo "\$ $build/bin/gemm-run $example --emit=ptx >$artifact"
"$build/bin/gemm-run" "$example" --emit=ptx >"$artifact"
grep -nE '^\.(version|target)|^\.visible \.entry' "$artifact"
size=(--m=200 --n=264 --k=136) # few, ragged tiles: the emulator is no GPU
[[ -e /dev/nvidiactl || -e /dev/dxg ]] && size=(--m=4096 --n=4096 --k=4096)
step "$build/bin/gemm-run" "$artifact" "${size[@]}"
