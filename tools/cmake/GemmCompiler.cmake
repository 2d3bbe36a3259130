# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Language level, warnings, linker and compiler cache for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
# -O3 costs compile time and gains nothing in a compiler.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Executables and libraries land where lit and a curious user look for them.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_compile_options(-Wall -Wextra)
if(GEMM_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fcolor-diagnostics>)
endif()

if(GEMM_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(GEMM_LLD NAMES ld.lld-22 ld.lld HINTS /usr/lib/llvm-22/bin)
mark_as_advanced(GEMM_LLD)
if(GEMM_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(--ld-path=${GEMM_LLD})
endif()

find_program(GEMM_CCACHE ccache)
mark_as_advanced(GEMM_CCACHE)
if(GEMM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two sloppiness flags are what ccache asks for to cache users of a
  # precompiled header.
  set(CMAKE_C_COMPILER_LAUNCHER ${GEMM_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${GEMM_CCACHE})
endif()
