// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Empty: CMake makes a precompiled header for a target that has a source file.
