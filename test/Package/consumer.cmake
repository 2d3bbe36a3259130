# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the build into a prefix. Two projects that only know find_package(Gemm)
# use it: one compiles a module to PTX in its process, one, to which MLIR is hidden,
# loads that PTX. Variables: build, inputs, work, cxx, cc, MLIR_DIR.
file(REMOVE_RECURSE ${work}/prefix ${work}/compile ${work}/run)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

function(build_project name)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${inputs}/${name} -B ${work}/${name}
      -D CMAKE_C_COMPILER=${cc} -D CMAKE_CXX_COMPILER=${cxx}
      -D CMAKE_PREFIX_PATH=${work}/prefix ${ARGN}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/${name} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(expect text)
  foreach(expected ${ARGN})
    if(NOT text MATCHES "${expected}")
      message(FATAL_ERROR "no '${expected}' in:\n${text}")
    endif()
  endforeach()
endfunction()

build_project(compile -D MLIR_DIR=${MLIR_DIR})
execute_process(COMMAND ${work}/compile/compile
  OUTPUT_FILE ${work}/matmul.ptx COMMAND_ERROR_IS_FATAL ANY)
file(READ ${work}/matmul.ptx ptx)
expect("${ptx}" "gemm-artifact-begin" "\\.version" "\\.entry")

build_project(run -D CMAKE_DISABLE_FIND_PACKAGE_MLIR=ON --no-warn-unused-cli)
execute_process(COMMAND ${work}/run/run ${work}/matmul.ptx
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
expect("${output}" "^matmul_kernels for sm_90a: matmul_0, because")
