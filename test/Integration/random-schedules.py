#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws schedules from what the attributes can say, not from what the compiler likes:
each must either be refused by name or compute the right numbers on the emulator.

  random-schedules.py GEMM_RUN SEED COUNT
"""
import random
import subprocess
import sys


def draw(rng):
    """A schedule and the element type of A, B and D."""
    pick = rng.choice
    element, in_flight, fragments = pick(["f16", "bf16"]), 0, pick([1, 2])
    instruction = pick(["fma", "mma_sync", "wgmma"])
    if instruction == "fma":
        element = "f32"
        warps, lanes = pick([(2, 2), (4, 1), (1, 4)]), pick([(4, 8), (8, 4), (1, 32)])
        thread = pick([(1, 1), (2, 2), (4, 4), (8, 8), (1, 4)])
        m, n = (warps[i] * lanes[i] * thread[i] for i in (0, 1))
        k = pick([8, 16, 32])
        mma = (f"fma 1x1x1, warps = {warps[0]}x{warps[1]}, "
               f"lanes = {lanes[0]}x{lanes[1]}, thread = {thread[0]}x{thread[1]}")
        copy = pick(["registers 4", "registers 16", "cp_async 4", "cp_async 16"])
        bank = pick(["plain", "padded 4", "padded 16"])
    elif instruction == "mma_sync":
        warps = pick([(1, 1), (2, 2), (1, 2), (2, 1), (2, 4), (4, 2)])
        m, n = warps[0] * pick([16, 32, 64]), warps[1] * pick([16, 32, 64])
        k = pick([16, 32, 64, 128])
        mma = f"mma_sync 16x8x16, warps = {warps[0]}x{warps[1]}"
        copy = pick(["cp_async 16", "cp_async 8", "cp_async 4", "registers 2",
                     "registers 16", "tma"])
        bank = pick(["panel 128", "panel 64", "plain"] if copy == "tma" else
                    ["plain", "padded 16", "xor"])
    else:
        width, groups, across = pick([64, 128, 256, 96]), pick([1, 2]), pick([1, 1, 2])
        m, n, k = 64 * groups * pick([1, 2]), width * across, pick([64, 128])
        mma = f"wgmma 64x{width}x16, warps = {4 * groups}x{across}"
        copy = pick(["tma", "tma", "cp_async 16", "registers 2", "registers 8"])
        bank = pick(["panel 128", "panel 128", "panel 64", "panel 32"])
        fragments, in_flight = 1, pick([0, 1])
    size = 4 if element == "f32" else 2
    epilogue = pick(["staged 16", f"staged {size}", f"registers {size}", "staged 8"])
    return element, (
        f"#gemm.schedule<tile = {m}x{n}x{k}, mma = <{mma}>, copy = [<{copy}>, <{copy}>], "
        f"bank = [<{bank}>, <{bank}>], pipeline = <stages = {pick([1, 2, 3, 4])}, "
        f"fragments = {fragments}, in_flight = {in_flight}>, epilogue = <{epilogue}>, "
        f"work = <tiles, raster = {pick([1, 2, 8])}>>")


def main():
    run, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    ran = refused = failed = 0
    for _ in range(count):
        element, schedule = draw(rng)
        m, n, k = rng.choice([(128, 128, 128), (72, 136, 200), (264, 72, 64), (129, 65, 72)])
        layout = rng.choice(["tn", "nn", "nt", "tt"])
        whole = lambda x: (x + 7) // 8 * 8
        command = [
            run, "--device=emulator", "--target=sm_90a", f"--schedule={schedule}",
            f"--types={element},{element},f32,{element}", f"--layout={layout}",
            f"--m={m}", f"--n={n}", f"--k={k}",
            f"--lda={whole(k if layout[1] == 'n' else m)}",
            f"--ldb={whole(k if layout[0] == 't' else n)}", f"--ldd={whole(n)}",
            f"--data={rng.choice(['integers', 'normal'])}",
            f"--beta={rng.choice(['0', '0.5'])}", f"--bias={rng.choice(['none', 'row', 'col'])}"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        text = result.stdout + result.stderr
        # A refusal is one diagnostic, or a guard that does not hold; a wrong number or a
        # crash is neither.
        if result.returncode == 0 and "PASS" in text:
            ran += 1
        elif result.returncode == 2 and ("error: " in text or " needs " in text) \
                and "FAIL" not in text and "race" not in text:
            refused += 1
        else:
            failed += 1
            print("FAILED with", result.returncode, " ".join(map(repr, command)))
            print(text[:2000], flush=True)
    print(f"seed {seed}: {ran} ran right, {refused} refused, {failed} failed")
    # Drawing nothing that runs would test nothing.
    sys.exit(failed > 0 or ran * 4 < count)


main()
