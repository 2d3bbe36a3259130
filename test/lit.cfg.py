# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configures lit for every folder below test/.

ctest runs one lit per folder. By hand, for one file:
    /usr/lib/llvm-22/bin/lit -v test/IR/matmul.mlir
with `--param build=DIR` when the build is not in build/.
"""
import os
import shutil

import lit.formats

source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = lit_config.params.get("build", os.path.join(source, "build"))
llvm_tools = lit_config.params.get("llvm_tools", "/usr/lib/llvm-22/bin")
build = os.path.abspath(build)

config.name = "gemm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ptx"]
config.excludes = ["Inputs", "Unit", "Package", "HouseRules"]
# DEFINE lines may use each other.
config.recursiveExpansionLimit = 5
config.test_source_root = os.path.join(source, "test")
config.test_exec_root = os.path.join(build, "test", "lit")

if not os.path.exists(os.path.join(build, "bin", "gemm-opt")):
    lit_config.fatal(f"no bin/gemm-opt in {build}: build first, or pass --param build=DIR")


def find_ptxas():
    """PATH, then the toolkit that CUDA_HOME names, then its usual place, then
    what tools/check.sh --with-ptxas put into the build folder."""
    found = shutil.which("ptxas")
    if found:
        return found
    for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda", os.path.join(build, "ptxas")):
        candidate = home and os.path.join(home, "bin", "ptxas")
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


path = [os.path.join(build, "bin"), llvm_tools]
ptxas = find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    path.append(os.path.dirname(ptxas))
config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "")])

# The stock mlir-opt with our plugin: a pass test runs a second time through it.
# A plugin's passes are not command-line flags there, only --pass-pipeline is.
plugin = os.path.join(build, "lib", "GemmPlugin.so")
if os.path.exists(plugin):
    config.available_features.add("plugin")
config.substitutions += [
    ("%plugin-opt", f"mlir-opt --load-dialect-plugin={plugin} --load-pass-plugin={plugin}"),
    ("%plugin", plugin),
    ("%examples", os.path.join(source, "examples")),
]

# Tests that need a GPU say REQUIRES: cuda; the driver is what the runtime opens.
if os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg"):
    config.available_features.add("cuda")
