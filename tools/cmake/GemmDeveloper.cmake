# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Targets for those who change the code: gemm-format, gemm-tidy. Neither is part
# of the tests.
find_program(GEMM_CLANG_FORMAT NAMES clang-format-22 HINTS ${LLVM_TOOLS_BINARY_DIR})
find_program(GEMM_RUN_CLANG_TIDY NAMES run-clang-tidy-22 HINTS ${LLVM_TOOLS_BINARY_DIR})
mark_as_advanced(GEMM_CLANG_FORMAT GEMM_RUN_CLANG_TIDY)
if(GEMM_CLANG_FORMAT)
  add_custom_target(gemm-format
    COMMAND sh -c "git ls-files '*.h' '*.cpp' '*.c' | xargs ${GEMM_CLANG_FORMAT} -i"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endif()
if(GEMM_RUN_CLANG_TIDY)
  # A precompiled header cannot be read by another program than its compiler.
  if(GEMM_USE_PCH)
    add_custom_target(gemm-tidy
      COMMAND ${CMAKE_COMMAND} -E echo "configure with -DGEMM_USE_PCH=OFF to run clang-tidy"
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  else()
    add_custom_target(gemm-tidy
      COMMAND ${GEMM_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR}
        "${PROJECT_SOURCE_DIR}/(lib|runtime|tools)/"
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  endif()
endif()
