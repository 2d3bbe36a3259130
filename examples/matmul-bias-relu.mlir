// D = relu(A * B + bias), f16 with an f32 accumulator, for any M, N and K: the
// form in which a linear layer leaves a front end.
//
//   gemm-run examples/matmul-bias-relu.mlir --m=512 --n=512 --k=512
func.func @matmul_bias_relu(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>,
                            %bias: tensor<?xf32>, %d: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
                           outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%d : tensor<?x?xf16>) {
    ^bb0(%p: f32, %v: f32, %unused: f16):
      %sum = arith.addf %p, %v : f32
      %relu = arith.maximumf %sum, %zero : f32
      %out = arith.truncf %relu : f32 to f16
      linalg.yield %out : f16
  } -> tensor<?x?xf16>
  return %result : tensor<?x?xf16>
}
