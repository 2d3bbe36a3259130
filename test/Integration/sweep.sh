#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs one schedule on the emulator, which checks every access and every race, and compares
# each number with a float64 reference.
#
#   sweep.sh GEMM_RUN SCHEDULE TYPES SEED
set -eu
here=$(cd "$(dirname "$0")" && pwd)
run=$1 schedule=$2 types=$3 seed=$4
options=(--device=emulator --target=sm_90a --schedule="$schedule" --types="$types")
echo "seed $seed"
"$run" "${options[@]}" --sweep=drawn:"$seed":130
list=$(mktemp)
trap 'rm -f "$list"' EXIT
"$here"/draw-problems.sh "$types" "$seed" 60 140 >"$list"
"$run" "${options[@]}" --sweep="$list"
