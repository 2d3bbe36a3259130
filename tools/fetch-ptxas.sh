#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fetch-ptxas.sh DIR: puts NVIDIA's ptxas into DIR/bin, from the PyPI wheel
# nvidia-cuda-nvcc, which is under NVIDIA's own licence.
set -euo pipefail
directory=$1
version=13.0.88
if ! python3 -m pip --version >/dev/null 2>&1; then
  "$(dirname "$0")/install-packages.sh" python3-pip
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
  --no-deps --target "$work" "nvidia-cuda-nvcc==$version"
mkdir -p "$directory/bin"
install -m 755 "$work"/nvidia/*/bin/ptxas "$directory/bin/ptxas"
"$directory/bin/ptxas" --version | tail -n 2
