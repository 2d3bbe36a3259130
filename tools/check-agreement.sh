#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Hardware agreement: the same PTX on the same inputs on a Hopper GPU and on the emulator,
# compared to the bit: the tensor instructions on random and adversarial tiles, the other
# instructions, tensor copies, nvcc's kernels, kernels of further descriptions (those of
# runtime/agreement/triton-kernels.py, say), and this compiler's kernels.
#
#   tools/check-agreement.sh [--against=DEVICE] [--device=DEVICE] [--tiles=N] [--seed=N]
#     [--seconds=N] [--build=FOLDER] [DESCRIPTION.json ...]
#
# --seconds is the time for each of the parts. FOLDER (build) holds bin/ptx-agree and, for
# this compiler's kernels, bin/gemm-run. Without a GPU, --device=emulator:sm_90a,seed=2
# tries the script. Exit status: 0 all agree, 1 some do not, 2 usage, 3 no GPU.
set -uo pipefail
cd "$(dirname "$0")/.."
device=cuda against=emulator:sm_90a tiles=100000 seed=1 build=build
limit=() descriptions=runtime/emulator/test/kernels/agreement.json
for argument in "$@"; do
  case $argument in
  --device=*) device=${argument#*=} ;;
  --against=*) against=${argument#*=} ;;
  --tiles=*) tiles=${argument#*=} ;;
  --seed=*) seed=${argument#*=} ;;
  --seconds=*) limit=("$argument") ;;
  --build=*) build=${argument#*=} ;;
  -*)
    sed -n '4,16s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
  *) descriptions+=,$argument ;;
  esac
done
agree=$build/bin/ptx-agree run=$build/bin/gemm-run
worst=0

part() {
  echo "== $1"
  shift
  "$agree" --device="$device" --against="$against" --seed="$seed" "${limit[@]}" "$@"
  local status=$?
  ((status < 2)) || exit $status
  ((status == 0)) || worst=1
}
part "kernels of other compilers" --parts=kernels --kernels="$descriptions"
part "tensor instructions" --parts=tiles --tiles="$tiles"
part "other instructions" --parts=scalars --tiles="$tiles"
part "tensor copies" --parts=copies --tiles="$tiles"

echo "== this compiler's kernels"
if [[ -x $run ]]; then
  ours=$(mktemp -d)
  trap 'rm -rf "$ours"' EXIT
  for side in "$device" "$against"; do
    # gemm-run numbers its GPUs and takes the emulator's options elsewhere.
    name=${side%%,*}
    [[ $name == cuda ]] && name=cuda:0
    test/Integration/same-bits.sh "$run" "$name" "$seed" >"$ours/${side//[^a-z0-9]/_}" || worst=1
  done
  if diff "$ours/${device//[^a-z0-9]/_}" "$ours/${against//[^a-z0-9]/_}"; then
    echo "$(wc -l <"$ours/${device//[^a-z0-9]/_}") results agree"
  else
    worst=1
  fi
else
  echo "not compared: there is no $run"
fi
exit $worst
