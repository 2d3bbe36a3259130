#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks every house rule on a small tree, so that each could fail."""
import tempfile
import unittest
from pathlib import Path

from house_rules import RULES

LICENSE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"

SCHEDULE = """
def Gemm_TileAttr : Gemm_Attr<"Tile", "tile"> {
  let summary = "CTA tile; read by gemm-cut";
}
def Gemm_ScheduleAttr : Gemm_Attr<"Schedule", "schedule"> {
  let parameters = (ins "TileAttr":$tile);
}
"""
CUT_PASS = 'def Cut : Pass<"gemm-cut"> {\n'
CUT = "auto tile = kernel.getSchedule().getTile();\n"


def violations(rule, tree):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in tree.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(RULES[rule](root))


class HouseRules(unittest.TestCase):
    def broken(self, rule, tree, *expected):
        """The rule complains about the tree, in these words."""
        found = "\n".join(violations(rule, tree))
        for words in expected:
            self.assertIn(words, found)

    def kept(self, rule, tree):
        self.assertEqual(violations(rule, tree), [])

    def test_architecture_names(self):
        rule = "architecture-names"
        for name in ("sm_90a", "Sm80", "compute_75", "isHopper", "kAmpere", "Blackwell",
                     "volta", "Turing", "H200", "a100", "GeForce"):
            self.broken(rule, {"lib/Transforms/A.cpp": f"\nif ({name})\n"},
                        f"lib/Transforms/A.cpp:2: '")
        self.broken(rule, {"lib/IR/A.cpp": "// only on sm_90a\n"}, "'sm_90a'")
        self.broken(rule, {"include/Gemm/IR/A.td": 'def X : Y<"sm_80">;\n'}, "'sm_80'")
        self.broken(rule, {"tools/gemm-run/A.cpp": 'target = "sm_80";\n'}, "'sm_80'")
        self.kept(rule, {"tools/gemm-run/A.cpp": "// 80 for sm_80\n"})
        self.kept(rule, {"lib/Target/Table.cpp": 'row("sm_90a");\n'})
        self.kept(rule, {"include/Gemm/IR/A.td": "let description = [{\n sm_80\n }];\n"})
        self.kept(rule, {"lib/IR/A.cpp": "amperes; voltage; smem_100; wgmma; asm_80x;\n"})

    def test_runtime_stands_alone(self):
        rule = "runtime-stands-alone"
        self.broken(rule, {"runtime/lib/A.cpp": '#include "mlir/IR/Value.h"\n'}, "A.cpp:1: 'mlir'")
        self.broken(rule, {"runtime/lib/A.cpp": "llvm::StringRef s;\n"}, "'llvm'")
        self.broken(rule, {"runtime/lib/A.h": '#include "Gemm/Target/Target.h"\n'}, "Gemm/")
        self.broken(rule, {"runtime/CMakeLists.txt": "target_link_libraries(x LLVM)\n"}, "'LLVM'")
        self.broken(rule, {"runtime/CMakeLists.txt": "target_link_libraries(x GemmIR)\n"}, "'GemmIR'")
        self.kept(rule, {"runtime/lib/A.cpp": LICENSE + '#include "gemm-runtime/runtime.h"\n'})

    def test_file_length(self):
        rule = "file-length"
        self.broken(rule, {"lib/IR/A.cpp": "\n" * 601}, "lib/IR/A.cpp:1: 601 lines")
        self.broken(rule, {"test/IR/ops.mlir": "\n" * 601}, "601 lines")
        self.broken(rule, {"lib/IR/A.cpp": "\n" * 601 + "// Over 600 lines because late.\n"}, "602")
        self.kept(rule, {"lib/IR/A.cpp": "\n" * 600})
        self.kept(rule, {"lib/IR/A.cpp": "// Over 600 lines because the table is one.\n" + "\n" * 700})

    def test_pass_files(self):
        rule = "pass-files"
        table = {"include/Gemm/Transforms/Passes.td": CUT_PASS}
        source = {"lib/Transforms/Cut.cpp": ""}
        test = {"test/Transforms/cut.mlir": ""}
        self.broken(rule, table | source, "'gemm-cut' has no cut.mlir")
        self.broken(rule, table | test, "'gemm-cut' has no Cut.cpp")
        other = {"include/Gemm/Transforms/Passes.td": 'def Slice : Pass<"gemm-cut", "Op"> {\n'}
        self.broken(rule, other | source | test, "is defined as Slice")
        self.kept(rule, table | source | test)
        table = {"include/Gemm/Conversion/Passes.td":
                 'def ConvertGemmToNVVMPass\n    : Pass<"convert-gemm-to-nvvm">'}
        test = {"test/Conversion/convert-gemm-to-nvvm.mlir": ""}
        self.kept(rule, table | test | {"lib/Conversion/GemmToNVVM/GemmToNVVM.cpp": ""})
        self.broken(rule, table | test, "'convert-gemm-to-nvvm' has no ConvertGemmToNVVM.cpp")

    def test_schedule_parts(self):
        rule = "schedule-parts"
        table = {"include/Gemm/IR/GemmAttrs.td": SCHEDULE, "include/Gemm/Transforms/Passes.td": CUT_PASS}
        self.kept(rule, table | {"lib/Transforms/Cut.cpp": CUT})
        self.kept(rule, table | {"lib/Transforms/Cut/Bounds.cpp": CUT})
        self.broken(rule, table, "TileAttr is promised to gemm-cut, read by nobody")
        self.broken(rule, table | {"lib/Transforms/Cut.cpp": CUT, "lib/Transforms/Paste.cpp": CUT},
                    "read by gemm-cut, lib/Transforms/Paste.cpp")
        for code in ("auto s = op.getSchedule();\nuse(s.getTile());\n",
                     "void f(ScheduleAttr part) { part.getTile(); }\n"):
            self.broken(rule, table | {"lib/Transforms/Cut.cpp": CUT, "lib/Conversion/B.cpp": code},
                        "read by gemm-cut, lib/Conversion/B.cpp")
        self.kept(rule, table | {"lib/Transforms/Cut.cpp": CUT, "lib/Conversion/B.cpp": "op.getTile();"})
        silent = {"include/Gemm/IR/GemmAttrs.td": SCHEDULE.replace("; read by gemm-cut", "")}
        self.broken(rule, table | silent, "does not say")
        self.broken(rule, {"include/Gemm/IR/GemmAttrs.td": ""}, "no Gemm_ScheduleAttr")

    def test_directions(self):
        rule = "directions"
        for room, header in (("IR", "Gemm/Target/Target.h"), ("Target", "Gemm/Transforms/Passes.h"),
                             ("Transforms", "Gemm/Conversion/Passes.h"),
                             ("Transforms", "mlir/Dialect/Linalg/IR/Linalg.h"),
                             ("Layout", "mlir/IR/Value.h"), ("Pipelines", "gemm-runtime/runtime.h")):
            self.broken(rule, {f"lib/{room}/A.cpp": f'#include "{header}"\n'}, "A.cpp:1: ", header)
        self.broken(rule, {"lib/Transforms/A.cpp": "isa<linalg::MatmulOp>(op);\n"}, "A.cpp:1: ")
        self.broken(rule, {"include/Gemm/IR/A.td": 'include "Gemm/Target/T.td"\n'}, "IR must not know Target")
        self.kept(rule, {"lib/Pipelines/A.cpp": '#include "Gemm/IR/Gemm.h"\n#include "Gemm/InitAll.h"\n'})

    def test_license_lines(self):
        rule = "license-lines"
        self.broken(rule, {"lib/IR/A.cpp": "int x;\n"}, "lib/IR/A.cpp:1")
        self.kept(rule, {"lib/IR/A.cpp": LICENSE})

    def test_every_rule_has_a_test(self):
        tests = {name.removeprefix("test_").replace("_", "-") for name in dir(self)}
        self.assertLessEqual(set(RULES), tests)


if __name__ == "__main__":
    unittest.main()
