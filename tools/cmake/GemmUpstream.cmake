# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR and defines
#   GemmUpstream      headers, flags and libraries of MLIR and LLVM
#   GemmPrecompiled   the precompiled MLIR headers that the MLIR rooms share
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
message(STATUS "MLIR ${MLIR_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(GemmUpstream INTERFACE)
target_include_directories(GemmUpstream SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(gemmLLVMDefinitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(GemmUpstream INTERFACE ${gemmLLVMDefinitions})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(GemmUpstream INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
target_link_libraries(GemmUpstream INTERFACE MLIR LLVM)

if(GEMM_USE_PCH)
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
  add_library(GemmPrecompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/Precompiled.cpp)
  target_link_libraries(GemmPrecompiled PRIVATE GemmUpstream)
  target_compile_options(GemmPrecompiled PRIVATE -fno-exceptions)
  target_precompile_headers(GemmPrecompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/Precompiled.h)
endif()
