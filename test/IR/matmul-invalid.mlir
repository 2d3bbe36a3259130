// RUN: gemm-opt %s --split-input-file --verify-diagnostics

// One case per message of gemm.matmul.

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{'k' is a dimension of the product and cannot name a batch dimension}}
  gemm.matmul batch(k) ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{batch dimension 'x' is named twice}}
  gemm.matmul batch(x, x) ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{expected A and at least one B}}
  gemm.matmul ins(%a[m, k] : memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{use of undeclared identifier}}
  gemm.matmul ins(%a[b, m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{the scale of A is written once, before those of B}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) scales(b %a[n, k], a %b[m, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
      // expected-error@below {{attribute 'family' cannot be 3}}
      attributes {family = 3}
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
      // expected-error@below {{attribute 'accumulator' has its own place in the syntax of the op}}
      attributes {accumulator = f16}
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xi8>) {
  // expected-error@below {{needs an epilogue region: no single conversion makes the results from the products}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xi8>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      // expected-error@below {{'D' is none of the multiplied operands}}
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) convert(D) {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) convert(B) {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  // expected-error@below {{B is converted twice}}
  } convert(B) {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{has 2 index lists for 3 operands}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{index list of A has 2 dimensions; batch..., m, n, k are at least 3}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{index list of B is not over the 3 dimensions of A's}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{needs at least one B}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{needs a result in outs}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1, 0>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: f32) {
  // expected-error@below {{E0 is a scalar and needs an empty index list}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) epilogue(%x[m] : f32)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: index) {
  // expected-error@below {{E0 is neither a ranked tensor, a ranked memref nor a number, but 'index'}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) epilogue(%x[] : index)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{B of rank 2 has an index list of 1}}
  gemm.matmul ins(%a[m, k], %b[n] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: tensor<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{mixes tensors and memrefs: A is 'memref<?x?xf16>', B is 'tensor<?x?xf16>'}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, tensor<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{A must use k}}
  gemm.matmul batch(b) ins(%a[b, m], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{A must not use n}}
  gemm.matmul ins(%a[m, n], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{A uses k twice}}
  gemm.matmul ins(%a[k, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{A index 1 is not a plain dimension}}
  gemm.matmul ins(%a[m, k floordiv 2], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{B must not use m}}
  gemm.matmul ins(%a[m, k], %b[m, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{D must use b}}
  gemm.matmul batch(b) ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{D must not use k}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, k] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?x?xf16>) {
  // expected-error@below {{A is contiguous along neither m nor k}}
  gemm.matmul batch(b) ins(%a[m, k, b], %b[n, k] : memref<?x?x?xf16>, memref<?x?xf16>)
      outs(%d[b, m, n] : memref<?x?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16, strided<[4, 2]>>, %d: memref<?x?xf16>) {
  // expected-error@below {{B is contiguous along neither n nor k}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16, strided<[4, 2]>>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?x?xf16>) {
  // expected-error@below {{D is contiguous along neither m nor n}}
  gemm.matmul batch(b) ins(%a[m, k], %b[n, k] : tensor<?x?xf16>, tensor<?x?xf16>)
      outs(%d[m, n, b] : tensor<?x?x?xf16>) accumulate(f32) -> tensor<?x?x?xf16>
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16, affine_map<(i, j) -> (i floordiv 2, j)>>) {
  // expected-error@below {{D has a layout without strides}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16, affine_map<(i, j) -> (i floordiv 2, j)>>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<?xf16>) {
  // expected-error@below {{E0 must not use k}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) epilogue(%x[k] : memref<?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<?xf16>) {
  // expected-error@below {{scale of A must not use n}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) scales(a %x[n] : memref<?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<?xf16>) {
  // expected-error@below {{scale of B is indexed by something else than dimensions and dimensions floordiv a positive number}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) scales(b %x[n + k] : memref<?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<?xi8>) {
  // expected-error@below {{scale of B needs floating-point elements}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) scales(b %x[n] : memref<?xi8>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<?xf16>) {
  // expected-error@below {{has 2 scales of B; needs none or one for each of 1}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) scales(b %x[n], b %x[n] : memref<?xf16>, memref<?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x64xf16>, %b: memref<?x32xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{extent of k is 64 in A and 32 in B}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x64xf16>, memref<?x32xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x65xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<4xf16>) {
  // expected-error@below {{scale of A has 4 blocks of 32 for the 65 of k in A; needs 3}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x65xf16>, memref<?x?xf16>) scales(a %x[k floordiv 32] : memref<4xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: memref<?xf16>) {
  // expected-error@below {{conversion regions take 0 operands, but 1 are there}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) conversions(%x[n] : memref<?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{has 1 conversion regions; needs none, or one for A and for each B}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }, {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{has conversion operand counts for 1 operands and 2 conversion regions}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, conversion_operand_counts = array<i32: 0>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }, {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }, {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{has a negative conversion operand count}}
  "gemm.matmul"(%a, %b, %d) <{accumulator = f32, conversion_operand_counts = array<i32: 1, -1>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1>}> ({
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }, {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }, {
    ^bb0(%x: f16):
      gemm.yield %x : f16
  }) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> ()
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{conversion of B needs arguments ('f16'), the element, then the extra operands, but has ('i8')}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) convert(B) {
    ^bb0(%x: i8):
      gemm.yield %x : i8
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{conversion of B must yield one value}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) convert(B) {
    ^bb0(%x: f16):
      gemm.yield %x, %x : f16, f16
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{epilogue needs arguments ('f32', 'f16'), the products, then the epilogue operands, but has ('f32')}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>) epilogue(%d[m, n] : memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{epilogue holds 'gpu.barrier', which is no scalar op without side effects}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%x: f32):
      gpu.barrier
      %0 = arith.truncf %x : f32 to f16
      gemm.yield %0 : f16
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{epilogue yields ('f32') for results of elements ('f16')}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%x: f32):
      gemm.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{epilogue yields () for results of elements ('f16')}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%x: f32):
      gemm.yield
  }
  return
}

// -----

func.func @f(%a: memref<?x?xi16>, %b: memref<?x?xi16>, %d: memref<?x?xi32>) {
  // expected-error@below {{cannot multiply i16: elements are floating-point numbers, i8 or i4}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xi16>, memref<?x?xi16>)
      outs(%d[m, n] : memref<?x?xi32>) accumulate(i32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xi8>, %d: memref<?x?xf16>) {
  // expected-error@below {{cannot multiply f16 by i8: convert one of them}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xi8>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %d: memref<?x?xi16>) {
  // expected-error@below {{products of integers are accumulated in i32, not i16}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xi8>, memref<?x?xi8>)
      outs(%d[m, n] : memref<?x?xi16>) accumulate(i16)
  return
}

// -----

func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{accumulator f16 does not hold every value of bf16}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f16)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xi32>) {
  // expected-error@below {{accumulator i32 does not hold every value of f16}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xi32>) accumulate(i32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{promotion interval must be positive}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32 promote 0)
  return
}

// -----

func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>) {
  // expected-error@below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf16>, tensor<?x?xf16>)
      outs(%d[m, n] : tensor<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{has a family of schedules but no target}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
      attributes {family = [#gemm.entry<when <> run
      <tile = 32x32x16, mma = <fma 1x1x1, warps = 4x1, lanes = 8x4, thread = 1x8>,
       copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>]}
  return
}

// -----

func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // expected-error@below {{a guard of the family names the operand 'E0'; there are A, B, D}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
      attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <[align(E0) 16]> run
      <tile = 32x32x16, mma = <fma 1x1x1, warps = 4x1, lanes = 8x4, thread = 1x8>,
       copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>]}
  return
}

// -----

func.func @captured(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %x: f16) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
      outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%acc: f32):
      // expected-error@below {{use of undeclared SSA value name}}
      gemm.yield %x : f16
  }
  return
}
