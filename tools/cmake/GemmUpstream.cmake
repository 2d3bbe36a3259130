# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR and defines
#   GemmUpstream      headers, flags and libraries of MLIR and LLVM
#   GemmPrecompiled   the precompiled MLIR headers that the MLIR rooms share
set(MLIR_VERSION_REQUIRED 22.1)
find_package(MLIR ${MLIR_VERSION_REQUIRED} REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
message(STATUS "MLIR ${MLIR_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(GemmUpstream INTERFACE)
set_target_properties(GemmUpstream PROPERTIES EXPORT_NAME Upstream)
# An installed package takes its user's MLIR instead (GemmConfig.cmake.in).
target_include_directories(GemmUpstream SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(GemmUpstream INTERFACE ${definitions})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(GemmUpstream INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
# The shared libraries, unless the program that is linked has GEMM_STATIC on.
set(static $<BOOL:$<TARGET_PROPERTY:GEMM_STATIC>>)
target_link_libraries(GemmUpstream INTERFACE
  $<BUILD_INTERFACE:$<$<NOT:${static}>:MLIR>>
  $<BUILD_INTERFACE:$<$<NOT:${static}>:LLVM>>
  $<INSTALL_INTERFACE:MLIR> $<INSTALL_INTERFACE:LLVM>)
if(GEMM_STATIC_TOOLS)
  include(GemmUpstreamStatic)
  target_link_libraries(GemmUpstream INTERFACE
    $<BUILD_INTERFACE:$<${static}:GemmUpstreamStatic>>)
endif()
unset(static)
install(TARGETS GemmUpstream EXPORT GemmTargets)

if(GEMM_USE_PCH)
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
  add_library(GemmPrecompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/Precompiled.cpp)
  target_link_libraries(GemmPrecompiled PRIVATE GemmUpstream)
  target_compile_options(GemmPrecompiled PRIVATE -fno-exceptions)
  target_precompile_headers(GemmPrecompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/Precompiled.h)
endif()
