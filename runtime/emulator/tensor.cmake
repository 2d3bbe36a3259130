# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sources of the tensor part of the emulator; paths relative to this folder.
set(GEMM_EMULATOR_TENSOR_SOURCES
  FloatFormats.cpp
  Fragments.cpp
  MatrixDescriptor.cpp
  TensorCore.cpp
  TensorCoreExact.cpp
  TensorCoreFused.cpp
  TensorCoreModel.cpp
  TensorCoreReference.cpp
  TensorMap.cpp)
set(GEMM_EMULATOR_TENSOR_TESTS
  test/FloatFormatsTest.cpp
  test/FragmentsTest.cpp
  test/HardwareTensorCoreTest.cpp
  test/MatrixDescriptorTest.cpp
  test/TensorCoreDefinitionTest.cpp
  test/TensorCoreExactTest.cpp
  test/TensorCoreTest.cpp
  test/TensorMapTest.cpp)
