#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates our kernels: deletes in turn each barrier, fence, wait, commit, arrival,
initialisation and predicate, and runs the mutants on the emulator (ptx-mutate says how).

  mutate-kernels.py GEMM_RUN PTX_MUTATE [--seed N] [--sample N] [--only TEXT] [--json]
      [--list] [FLAG OF PTX_MUTATE...]

--sample N takes N mutants a kernel (CI); without, all of them. The exit status is 1 when a
mutant computes something else unreported, or survives without a known reason.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HALF, BRAIN, SINGLE = "f16,f16,f32,f16", "bf16,bf16,f32,bf16", "f32,f32,f32,f32"


def schedule(tile, mma, copy, bank, stages, epilogue, fragments=1, in_flight=0):
    m, n, k = tile
    return (f"#gemm.schedule<tile = {m}x{n}x{k}, mma = <{mma}>, "
            f"copy = [<{copy}>, <{copy}>], bank = [<{bank}>, <{bank}>], "
            f"pipeline = <stages = {stages}, fragments = {fragments}, in_flight = {in_flight}>, "
            f"epilogue = <{epilogue}>, work = <tiles, raster = 2>>")


def problems(tile, stages, odd, odd_pitch, extra):
    """Two tiles less one a dimension, little more than one, one whole tile; every remainder of
    the number of K tiles in the ring, K shorter than the ring and K = 0. Lines are 16-byte
    aligned, or odd."""
    m, n, k = tile
    ks = [(stages + 1) * k + k // 2 - odd] + [t * k for t in range(stages + 2, 2 * stages + 2)]
    sizes = ([(2 * m - 1, 2 * n - 1, ks[0])] + [(m, n, x) for x in ks[1:]]
             + [(m + 7, n + 7, k), (m, n, 0)])
    multiple = 13 if odd_pitch else 8
    return [f"{m},{n},{k}/{multiple}{extra}" for m, n, k in sizes]


def cases():
    """(name, types, layout, tile, stages, schedule, more flags)."""
    one = "wgmma 64x64x16, warps = 4x1"
    two, narrow = "wgmma 64x64x16, warps = 8x1", "wgmma 64x16x16, warps = 8x1"
    tensor = "mma_sync 16x8x16, warps = 2x2"
    fma = "fma 1x1x1, warps = 1x2, lanes = 4x8, thread = 4x1"
    small, wide, tiny = (64, 64, 64), (128, 64, 64), (32, 32, 32)
    def case(name, types, layout, tile, stages, mma, copy, bank, epilogue, *flags, **more):
        return (name, types, layout, tile, stages,
                schedule(tile, mma, copy, bank, stages, epilogue, **more), flags)
    yield case("wgmma tma", BRAIN, "tn", wide, 3, two, "tma", "panel 128", "staged 16",
               in_flight=1)
    yield case("wgmma tma registers", BRAIN, "tn", (128, 16, 64), 2, narrow, "tma", "panel 128",
               "registers 4")
    yield case("wgmma one warpgroup", BRAIN, "nt", small, 3, one, "tma", "panel 128",
               "staged 16", in_flight=1)
    yield case("wgmma cp.async", HALF, "tt", wide, 3, two, "cp_async 16", "panel 128",
               "staged 16", in_flight=1)
    yield case("wgmma by registers", HALF, "tn", (128, 16, 64), 1, narrow, "registers 8", "panel 128",
               "registers 4")
    yield case("wgmma in place", BRAIN, "tn", (128, 16, 64), 3, narrow, "tma", "panel 128", "registers 4",
               "--beta=0.5", "--inplace", "--bias=row", "--activation=relu", in_flight=1)
    yield case("mma-sync 2 stages", HALF, "tn", tiny, 2, tensor, "cp_async 16", "xor",
               "staged 16", fragments=2)
    yield case("mma-sync 4 stages", HALF, "nt", tiny, 4, tensor, "cp_async 16", "padded 16",
               "registers 4", fragments=2)
    yield case("mma-sync tma", HALF, "nn", (32, 64, 64), 2, tensor, "tma", "panel 128",
               "staged 16")
    yield case("mma-sync by registers", BRAIN, "tn", tiny, 1, tensor, "registers 16", "plain",
               "staged 16")
    yield case("mma-sync in place", HALF, "tn", tiny, 3, tensor, "cp_async 16", "xor",
               "registers 4", "--beta=0.5", "--inplace", "--bias=col")
    yield case("mma-sync odd pitches", HALF, "nn", tiny, 3, tensor, "registers 2", "xor",
               "registers 2")
    yield case("wgmma odd pitches", BRAIN, "nn", (64, 64, 64), 3, one, "registers 2", "panel 128",
               "registers 2", in_flight=1)
    yield case("smem 3 stages", SINGLE, "tn", (16, 16, 8), 3, fma, "cp_async 4", "plain",
               "registers 4")
    yield case("smem padded", SINGLE, "nn", (16, 16, 8), 1, fma, "registers 4", "padded 4",
               "registers 4")
    yield ("smem", SINGLE, "tn", (128, 128, 16), 2, "smem", ())
    yield ("mma-sync", HALF, "tn", (128, 256, 64), 4, "mma-sync", ())
    yield ("wgmma", BRAIN, "tn", (128, 256, 64), 4, "wgmma", ())


def run(options, case, folder, flags):
    name, types, layout, tile, stages, text, more = case
    path = os.path.join(folder, name.replace(" ", "-") + ".ptx")
    with open(path, "w") as file:
        subprocess.run(
            [options.gemm_run, "--emit=ptx", "--target=sm_90a", f"--schedule={text}",
             f"--types={types}", f"--layout={layout}", "--m=128", "--n=128", "--k=128", *more],
            stdout=file, check=True)
    # Copies of more than one element take whole vectors along K.
    odd = not any(copy in text for copy in ("smem", "<registers 8>", "<registers 16>"))
    sizes = problems(tile, stages, odd, "odd" in name, "=" if "--inplace" in more else "")
    command = [options.ptx_mutate, path, "--json", f"--seed={options.seed}", *flags]
    command += [f"--problem={size}" for size in sizes]
    if options.sample:
        command.append(f"--sample={options.sample}")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f"{name}: {' '.join(command)} failed")
    result = json.loads(done.stdout)
    result["kernel"] = name
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gemm_run")
    parser.add_argument("ptx_mutate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", action="store_true", help="every mutant")
    options, flags = parser.parse_known_args()
    kinds = ["caught", "hang", "noted", "refused", "numbers", "equivalent", "survivor", "failure"]
    say = (lambda text: None) if options.json else (lambda text: print(text, flush=True))
    row = lambda name, cells: say(f"{name:24}" + "".join(f"{cell:>11}" for cell in cells))
    say(f"seed {options.seed}")
    row("", ["mutants"] + kinds)
    results, reasons, total = [], {}, dict.fromkeys(kinds, 0)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            if options.only not in case[0]:
                continue
            result = run(options, case, folder, flags)
            results.append(result)
            counts = result["counts"]
            row(case[0], [len(result["mutants"])] + [counts[kind] for kind in kinds])
            for kind in kinds:
                total[kind] += counts[kind]
            for mutant in result["mutants"]:
                verdict, detail = mutant["verdict"], mutant["detail"]
                if verdict == "equivalent":
                    reasons[detail] = reasons.get(detail, 0) + 1
                if options.list or verdict in ("survivor", "failure"):
                    say(f"  {verdict}: {mutant['mutation']} {detail}")
    row("all", [sum(total.values())] + [total[kind] for kind in kinds])
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        say(f"{count:5} equivalent: {reason}")
    if options.json:
        print(json.dumps({"seed": options.seed, "kernels": results}, indent=1))
    bad = total["survivor"] + total["failure"]
    sys.exit(bad > 0)


main()
