# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts into a prefix besides tools and libraries, which
# install where they are defined. Two export sets: who only runs kernels needs
# no MLIR.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Gemm)

install(DIRECTORY include/Gemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/Gemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)

install(EXPORT GemmRuntimeTargets NAMESPACE Gemm:: DESTINATION ${package})
install(EXPORT GemmTargets NAMESPACE Gemm:: DESTINATION ${package})
configure_package_config_file(tools/cmake/GemmConfig.cmake.in GemmConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(GemmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/GemmConfig.cmake ${PROJECT_BINARY_DIR}/GemmConfigVersion.cmake
  DESTINATION ${package})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
