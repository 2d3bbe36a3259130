#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh DIR [TARGET...]: configures DIR with the default preset and builds the
# targets, or everything.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
mkdir -p "$build"
echo "== configuring $build"
cmake --preset default -B "$build" >"$build/configure.log" 2>&1 || {
  cat "$build/configure.log" >&2
  exit 1
}
echo "== building"
cmake --build "$build" ${1:+--target "$@"}
