#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of another compiler for ptx-agree.

    triton-kernels.py FOLDER

compiles the Triton kernels below to PTX for sm_90 (no GPU is needed; `pip
install triton numpy`) and writes them to FOLDER with inputs, results of a
float64 reference and the description kernels.json, for

    ptx-agree --parts=kernels --kernels=FOLDER/kernels.json
"""
import json
import pathlib
import re
import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

NAMES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "e4m3": "fp8e4nv", "i32": "i32"}


@triton.jit
def matmul(a, b, c, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
           TF32: tl.constexpr):
    rows = tl.program_id(1) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(0) * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, TILE_K)
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for k in range(0, K, TILE_K):
        inside = k + depth < K
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :],
                    mask=(rows < M)[:, None] & inside[None, :], other=0.0)
        y = tl.load(b + columns[None, :] * K + (k + depth)[:, None],
                    mask=(columns < N)[None, :] & inside[:, None], other=0.0)
        total = tl.dot(x, y, total, input_precision="tf32" if TF32 else "ieee")
    tl.store(c + rows[:, None] * N + columns[None, :], total,
             mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def softmax(x, y, N, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    values = tl.load(x + row * N + at, mask=at < N, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * N + at, powers / tl.sum(powers, axis=0), mask=at < N)


@triton.jit
def moments(x, y, N, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    values = tl.load(x + row * N + at, mask=at < N, other=0.0)
    tl.store(y + row * 4, tl.sum(values, axis=0))
    tl.store(y + row * 4 + 1, tl.sum(values * values, axis=0))
    tl.store(y + row * 4 + 2, tl.max(values, axis=0))
    tl.store(y + row * 4 + 3, tl.argmax(values, axis=0).to(tl.float32))


@triton.jit
def scan(x, y, N, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    values = tl.load(x + row * N + at, mask=at < N, other=0)
    tl.store(y + row * N + at, tl.cumsum(values, axis=0), mask=at < N)


@triton.jit
def histogram(x, counts, N, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    values = tl.load(x + at, mask=at < N, other=0)
    tl.atomic_add(counts + (values & 15), values * 0 + 1, mask=at < N)


class Writer:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kernels = []
        self.random = np.random.default_rng(1)

    def values(self, kind, count):
        """Raw data and the numbers it stands for."""
        if kind == "i32":
            raw = self.random.integers(-1000, 1000, count).astype(np.int32)
            return raw, raw.astype(np.float64)
        if kind == "e4m3":
            sign = self.random.integers(0, 2, count)
            exponent = self.random.integers(4, 10, count)
            fraction = self.random.integers(0, 8, count)
            raw = (sign << 7 | exponent << 3 | fraction).astype(np.uint8)
            return raw, (1 - 2 * sign) * (1 + fraction / 8) * 2.0 ** (exponent - 7)
        normal = self.random.standard_normal(count).astype(np.float32)
        if kind == "bf16":
            bits = normal.view(np.uint32) & np.uint32(0xFFFF0000)
            return (bits >> 16).astype(np.uint16), bits.view(np.float32).astype(np.float64)
        if kind == "f16":
            normal = normal.astype(np.float16)
        return normal, normal.astype(np.float64)

    def add(self, name, function, grid, arguments, constants, warps):
        """arguments: (parameter, description) in order; a buffer's "data" and
        "reference" become files."""
        signature, launch = {}, []
        for parameter, argument in arguments:
            argument = dict(argument)
            if "buffer" in argument:
                signature[parameter] = "*" + NAMES[argument["type"]]
                stem = f"{len(self.kernels)}-{parameter}"
                for key, entry in (("data", "file"), ("reference", "expected")):
                    if key in argument:
                        array = argument.pop(key)
                        path = f"{stem}.{entry}"
                        if key == "reference":
                            array = np.asarray(array, np.float64)
                        np.ascontiguousarray(array).tofile(self.folder / path)
                        argument[entry] = path
            else:
                signature[parameter] = "i32"
            launch.append(argument)
        for constant in constants:
            signature[constant] = "constexpr"
        source = ASTSource(fn=function, signature=signature, constexprs=constants)
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32),
                                  options={"num_warps": warps, "num_stages": 2,
                                           "enable_fp_fusion": True})
        # The version that Triton's own ptxas takes may be newer than the
        # driver's assembler; the kernels use nothing newer than 8.3, which has
        # .pragma "used_bytes_mask".
        text = re.sub(r"(?m)^\.version .*$", ".version 8.3", compiled.asm["ptx"])
        path = f"{len(self.kernels)}.ptx"
        (self.folder / path).write_text(text)
        entry = compiled.metadata.name
        # Triton appends scratch pointers, null where nothing is allocated.
        declared = text[text.index(f".entry {entry}("):]
        declared = declared[:declared.index(")\n")].count(".param")
        launch += [{"i64": 0}] * (declared - len(launch))
        self.kernels.append({"name": f"triton {name}", "ptx": path, "entry": entry, "grid": grid,
                             "block": [32 * warps], "shared": compiled.metadata.shared,
                             "arguments": launch})

    def finish(self):
        (self.folder / "kernels.json").write_text(json.dumps({"kernels": self.kernels}, indent=1))


def add_matmul(writer, kind, m, n, k, tile, warps, tf32=False):
    a, x = writer.values(kind, m * k)
    b, y = writer.values(kind, n * k)
    exact = x.reshape(m, k) @ y.reshape(n, k).T
    # tf32 keeps 11 significant bits of each operand, an fp8 accumulation 14.
    tolerance = 2e-3 * np.sqrt(k) * 4 if tf32 or kind == "e4m3" else 1e-4 * np.sqrt(k)
    writer.add(f"matmul {kind}{' tf32' if tf32 else ''} {m}x{n}x{k} tile {tile} warps {warps}", matmul,
               [-(-n // tile[1]), -(-m // tile[0])],
               [("a", {"buffer": "a", "type": kind, "count": m * k, "data": a}),
                ("b", {"buffer": "b", "type": kind, "count": n * k, "data": b}),
                ("c", {"buffer": "c", "type": "f32", "count": m * n, "reference": exact.ravel(),
                       "tolerance": tolerance}),
                ("M", {"i32": m}), ("N", {"i32": n}), ("K", {"i32": k})],
               {"TILE_M": tile[0], "TILE_N": tile[1], "TILE_K": tile[2], "TF32": tf32}, warps)


def add_rows(writer, name, function, rows, n, kind, outputs, reference, tolerance, ulps=0):
    data, x = writer.values(kind, rows * n)
    result = {"buffer": "y", "type": kind, "count": rows * outputs, "tolerance": tolerance,
              "reference": reference(x.reshape(rows, n)).ravel()}
    if ulps:
        result["ulps"] = ulps
    writer.add(f"{name} {rows}x{n}", function, [rows],
               [("x", {"buffer": "x", "type": kind, "count": rows * n, "data": data}), ("y", result),
                ("N", {"i32": n})],
               {"WIDTH": triton.next_power_of_2(n)}, 4)


def reference_softmax(x):
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def reference_moments(x):
    return np.stack([x.sum(1), (x * x).sum(1), x.max(1), x.argmax(1)], 1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    writer = Writer(sys.argv[1])
    for kind in ("f16", "bf16", "e4m3"):
        add_matmul(writer, kind, 128, 128, 128, (64, 64, 64), 4)   # wgmma
        add_matmul(writer, kind, 100, 72, 136, (32, 32, 32), 4)    # mma.sync, masked edges
        add_matmul(writer, kind, 130, 200, 72, (128, 64, 32), 8)
    add_matmul(writer, "f32", 128, 128, 64, (64, 64, 32), 4, tf32=True)
    add_matmul(writer, "f32", 70, 65, 50, (32, 32, 16), 4, tf32=True)
    add_matmul(writer, "f32", 33, 40, 50, (16, 16, 16), 4)
    # exp and the division are approximate instructions.
    add_rows(writer, "softmax", softmax, 5, 300, "f32", 300, reference_softmax, 1e-6, ulps=16)
    add_rows(writer, "moments", moments, 7, 500, "f32", 4, reference_moments, 1e-4)
    add_rows(writer, "scan", scan, 3, 200, "i32", 200, lambda x: np.cumsum(x, 1), 0)
    data, x = writer.values("i32", 1000)
    counts = np.bincount(data & 15, minlength=16)
    writer.add("histogram 1000", histogram, [4],
               [("x", {"buffer": "x", "type": "i32", "count": 1000, "data": data}),
                ("counts", {"buffer": "counts", "type": "i32", "count": 16, "reference": counts, "tolerance": 0}),
                ("N", {"i32": 1000})], {"WIDTH": 256}, 4)
    writer.finish()


main()
