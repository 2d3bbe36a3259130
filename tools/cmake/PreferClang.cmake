# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Clang of LLVM's own version compiles MLIR headers about twice as fast as g++
# and shrinks the precompiled header six-fold, so take it unless the user chose.
# Included before project(), which fixes the compiler.
if(NOT CMAKE_CXX_COMPILER AND NOT CMAKE_C_COMPILER
   AND NOT DEFINED ENV{CXX} AND NOT DEFINED ENV{CC})
  find_program(GEMM_CLANG clang-22 HINTS /usr/lib/llvm-22/bin)
  find_program(GEMM_CLANGXX clang++-22 HINTS /usr/lib/llvm-22/bin)
  mark_as_advanced(GEMM_CLANG GEMM_CLANGXX)
  if(GEMM_CLANG AND GEMM_CLANGXX)
    set(CMAKE_C_COMPILER ${GEMM_CLANG})
    set(CMAKE_CXX_COMPILER ${GEMM_CLANGXX})
  endif()
endif()
