# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
file(REMOVE_RECURSE ${work}/prefix ${work}/build)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${consumer} -B ${work}/build
    -D CMAKE_CXX_COMPILER=${cxx} -D CMAKE_PREFIX_PATH=${work}/prefix -D MLIR_DIR=${MLIR_DIR}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${work}/build/consumer OUTPUT_VARIABLE ptx COMMAND_ERROR_IS_FATAL ANY)
foreach(expected "gemm-artifact-begin" "\\.version" "\\.entry")
  if(NOT ptx MATCHES "${expected}")
    message(FATAL_ERROR "no '${expected}' in what the consumer compiled:\n${ptx}")
  endif()
endforeach()
