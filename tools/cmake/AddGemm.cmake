# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every room's CMakeLists.txt calls. Not add_mlir_library: that one installs
# into MLIR's export set.

# gemm_add_library(NAME SRC... [LINK TARGET...] [DEPENDS TARGET...] [NO_PCH])
# A static library of one room, installed as Gemm::<NAME without Gemm>. LINK names
# other rooms; MLIR and LLVM come with every room. DEPENDS names tablegen targets.
function(gemm_add_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK;DEPENDS" ${ARGN})
  gemm_check_listed(GLOB_RECURSE *.cpp ${ARG_UNPARSED_ARGUMENTS})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Generated code is not ours to keep free of warnings.
  target_include_directories(${name} SYSTEM
    PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} GemmUpstream)
  target_compile_options(${name} PRIVATE -fno-exceptions)
  if(GEMM_USE_PCH AND NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM GemmPrecompiled)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  string(REGEX REPLACE "^Gemm" "" exported ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  install(TARGETS ${name} EXPORT GemmTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# gemm_add_tool(NAME SRC... [LINK TARGET...] [EXCEPTIONS])
# An executable in bin/, installed. EXCEPTIONS for tools whose libraries throw
# (CLI11, nlohmann-json). With GEMM_STATIC_TOOLS it holds MLIR, LLVM and the C++
# library, stripped.
function(gemm_add_tool name)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE -fno-exceptions)
  endif()
  if(GEMM_STATIC_TOOLS)
    set_target_properties(${name} PROPERTIES GEMM_STATIC ON)
    target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--strip-all
      -static-libstdc++ -static-libgcc)
    if(GEMM_LLD)
      target_link_options(${name} PRIVATE -Wl,--icf=all)
    endif()
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# gemm_add_unittest(NAME SRC... [LINK TARGET...] [EXCEPTIONS])
# A GoogleTest program, one ctest entry, built in test/.
function(gemm_add_unittest name)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "LINK" ${ARGN})
  if(NOT GEMM_BUILD_TESTS)
    return()
  endif()
  find_package(GTest REQUIRED)
  gemm_check_listed(GLOB *Test.cpp ${ARG_UNPARSED_ARGUMENTS})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  if(NOT ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE -fno-exceptions)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  add_test(NAME unit/${name} COMMAND ${name})
  set_tests_properties(unit/${name} PROPERTIES TIMEOUT 600)
endfunction()

# gemm_check_listed(GLOB|GLOB_RECURSE PATTERN SRC...): a file of this folder that
# matches but is in no list would silently be left out, so it is an error.
function(gemm_check_listed mode pattern)
  file(${mode} present CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${pattern})
  list(REMOVE_ITEM present ${ARGN})
  if(present)
    message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE} does not list: ${present}")
  endif()
endfunction()

# gemm_add_doc(PAGE FILE.td GENERATOR...): PAGE.md of the gemm-doc target, from
# the descriptions in FILE.td.
function(gemm_add_doc page file)
  set(out ${PROJECT_BINARY_DIR}/docs/${page}.md)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
  set(includes "")
  foreach(dir ${MLIR_INCLUDE_DIRS} ${PROJECT_SOURCE_DIR}/include)
    list(APPEND includes -I${dir})
  endforeach()
  add_custom_command(OUTPUT ${out}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} ${includes}
            ${CMAKE_CURRENT_SOURCE_DIR}/${file} -o ${out} -d ${out}.d
    MAIN_DEPENDENCY ${file}
    DEPFILE ${out}.d
    COMMENT "Writing docs/${page}.md"
    VERBATIM)
  add_custom_target(gemm-doc-${page} DEPENDS ${out})
  add_dependencies(gemm-doc gemm-doc-${page})
endfunction()
