// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics
//
// gemm.kernel and gemm.for_work: one case per message. What the custom syntax cannot say
// is in generic form.

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op has no results: a kernel writes to its views}}
  gemm.kernel @k() -> i32 {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op cannot be called 'a.b' in PTX: use letters, digits, '_' and '$', and no digit first}}
  gemm.kernel @a.b() {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op cannot be called '0' in PTX: }}
  gemm.kernel @"0"() {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op cannot be called '_' in PTX: }}
  gemm.kernel @_() {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op needs a body}}
  gemm.kernel @k()
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op argument 1 needs a gemm.role}}
  gemm.kernel @k(%m: i32 {gemm.role = #gemm.role<extent "m">}, %n: i32) {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op argument 0 has role operand and must be a view or a tensor map, not 'memref<?x?xf16>'}}
  gemm.kernel @k(%A: memref<?x?xf16> {gemm.role = #gemm.role<operand 0>}) {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op argument 0 has role extent and must be i32, not 'i64'}}
  gemm.kernel @k(%m: i64 {gemm.role = #gemm.role<extent "m">}) {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op argument 0 has role scalar and must be a floating-point value, not 'i32'}}
  gemm.kernel @k(%alpha: i32 {gemm.role = #gemm.role<scalar 0>}) {
    gemm.return
  }
}

// -----

// expected-error @+1 {{'gemm.kernel' op expects parent op 'gpu.module'}}
gemm.kernel @k() {
  gemm.return
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{expected (batch, m0, n0, k_begin, k_end) over [batch, m, n, k]}}
    gemm.for_work (%b, %m0, %n0, %k0) over [%n, %n, %n, %n] tile [128, 256] <tiles> {
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{expected (batch, m0, n0, k_begin, k_end) over [batch, m, n, k]}}
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n] tile [128, 256] <tiles> {
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.for_work' op needs a tile of two positive sizes}}
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [128, 256, 64] <tiles> {
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.for_work' op needs a tile of two positive sizes}}
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [128, 0] <tiles> {
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.for_work' op body takes (batch, m0, n0, k_begin, k_end), all of them i32}}
    "gemm.for_work"(%n, %n, %n, %n) <{tile = array<i64: 128, 256>, work = #gemm.work<tiles>}> ({
    ^bb0(%b: i32, %m0: i32, %n0: i32, %kb: i32):
      "gemm.end_work"() : () -> ()
    }) : (i32, i32, i32, i32) -> ()
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.for_work' op body takes (batch, m0, n0, k_begin, k_end), all of them i32}}
    "gemm.for_work"(%n, %n, %n, %n) <{tile = array<i64: 128, 256>, work = #gemm.work<tiles>}> ({
    ^bb0(%b: i64, %m0: i32, %n0: i32, %kb: i32, %ke: i32):
      "gemm.end_work"() : () -> ()
    }) : (i32, i32, i32, i32) -> ()
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op grid must be {kind = "tiles", rows = "m", cols = "n", tile = [rows, columns], raster = tile rows}, or with m and n exchanged, not {kind = "tiles"}}}
  gemm.kernel @k() attributes {grid = {kind = "tiles"}} {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op grid must be }}
  gemm.kernel @k() attributes {grid = {cols = "m", kind = "tiles", raster = 1, rows = "m", tile = [32, 32]}} {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op grid counts other tiles than its gemm.for_work walks: tile and raster must be the same}}
  gemm.kernel @k(%m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {grid = {cols = "n", kind = "tiles", raster = 1, rows = "m", tile = [32, 32]}} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%m, %m, %m, %m] tile [32, 64] <tiles> {
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op has several gemm.for_work; one says which tiles a CTA computes}}
  gemm.kernel @k(%m: i32 {gemm.role = #gemm.role<extent "m">}) {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%m, %m, %m, %m] tile [32, 64] <tiles> {
    }
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%m, %m, %m, %m] tile [32, 64] <tiles> {
    }
    gemm.return
  }
}
