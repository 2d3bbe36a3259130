#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds everything into build/ and runs every test.
#
#   tools/check.sh [--with-ptxas] [CTEST ARGUMENT...]
#
# --with-ptxas fetches ptxas from PyPI (wheel nvidia-cuda-nvcc) into build/ptxas
# when neither PATH nor CUDA_HOME has one: the tests that assemble our PTX run
# only where ptxas is.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${GEMM_BUILD:-build}

with_ptxas=
if [[ ${1:-} == --with-ptxas ]]; then
  with_ptxas=1
  shift
fi

tools/install-packages.sh

if [[ -n $with_ptxas ]] && ! command -v ptxas >/dev/null &&
  [[ ! -x ${CUDA_HOME:-/usr/local/cuda}/bin/ptxas && ! -x $build/ptxas/bin/ptxas ]]; then
  echo "== fetching ptxas"
  tools/fetch-ptxas.sh "$build/ptxas" ||
    echo "warning: no ptxas; the tests that assemble PTX are skipped" >&2
fi

tools/build.sh "$build"
echo "== testing"
ctest --test-dir "$build" -j "$(nproc)" --output-on-failure --no-tests=error "$@"
