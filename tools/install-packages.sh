#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs those of the Debian packages that are missing which the build and its
# tests need or the arguments name, and nothing else. On Debian 12 the LLVM 22
# packages are in bookworm-security.
set -euo pipefail

packages=(
  cmake ninja-build
  clang-22 lld-22
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libzstd-dev zlib1g-dev
  libgtest-dev libcli11-dev nlohmann-json3-dev
  "$@"
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == *"ok installed"* ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "error: no apt-get here; install what these Debian packages hold: ${missing[*]}" >&2
  exit 1
fi
echo "== installing ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  as_root=(sudo)
  command -v sudo >/dev/null || {
    echo "error: to install packages, run this as root or install sudo" >&2
    exit 1
  }
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
if ! apt-cache show libmlir-22-dev >/dev/null 2>&1; then
  echo "error: this system has no package libmlir-22-dev; on Debian 12 it is in" >&2
  echo "bookworm-security (deb http://deb.debian.org/debian-security bookworm-security main)" >&2
  exit 1
fi
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
