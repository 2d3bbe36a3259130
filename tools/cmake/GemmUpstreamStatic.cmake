# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GemmUpstreamStatic: MLIR and LLVM as archives, for tools that run where neither
# is installed. The linker drops what is not used.

# MLIR's exported archives ask for the shared libLLVM. Next to LLVM's archives that
# makes two copies of LLVM in one process, which ends at start-up with "Option ...
# registered more than once".
foreach(target ${MLIR_EXPORTED_TARGETS})
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(libraries)
    list(REMOVE_ITEM libraries LLVM)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
endforeach()

# The NVPTX back end is three libraries; the component name "nvptx" is not known here.
llvm_map_components_to_libnames(llvmLibraries
  NVPTXCodeGen NVPTXDesc NVPTXInfo analysis bitreader bitwriter codegen core
  frontendoffloading ipo irreader linker mc option passes support target targetparser
  transformutils)

add_library(GemmUpstreamStatic INTERFACE)
target_link_libraries(GemmUpstreamStatic INTERFACE
  MLIROptLib MLIRTranslateLib
  MLIRArithTransforms MLIRBufferizationTransforms MLIRFuncTransforms
  MLIRGPUTransforms MLIRLinalgTransforms MLIRMemRefTransforms MLIRSCFTransforms
  MLIRTensorTransforms MLIRTransforms MLIRVectorTransforms
  MLIRArithToLLVM MLIRControlFlowToLLVM MLIRFuncToLLVM MLIRGPUToNVVMTransforms
  MLIRMathToLLVM MLIRMemRefToLLVM MLIRNVGPUToNVVM MLIRNVVMToLLVM
  MLIRReconcileUnrealizedCasts MLIRSCFToControlFlow MLIRVectorToLLVM MLIRVectorToLLVMPass
  MLIRNVVMTarget
  MLIRBuiltinToLLVMIRTranslation MLIRGPUToLLVMIRTranslation
  MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation
  ${llvmLibraries})
