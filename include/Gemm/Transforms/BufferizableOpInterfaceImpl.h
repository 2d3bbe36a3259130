//===- BufferizableOpInterfaceImpl.h - gemm.matmul in buffers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define GEMM_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gemm {

/// Lets upstream's one-shot-bufferize take `gemm.matmul` from tensors to
/// memrefs: its inputs are read, its outs written and not read, and an out may
/// be the buffer of an epilogue operand that is indexed alike.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace gemm

#endif // GEMM_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
