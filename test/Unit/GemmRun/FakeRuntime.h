// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime whose device "fake" computes D = alpha * A * B^T in f32 on the
// host, rightly or with one of the defects that gemm-run has to find.
#ifndef GEMM_TEST_GEMMRUN_FAKERUNTIME_H
#define GEMM_TEST_GEMMRUN_FAKERUNTIME_H

enum class Defect {
  None,
  WrongElement,   // The last element is off by one part in a thousand.
  MissingElement, // The last element is not written.
  WritesPadding,  // One element after the first row of D.
  WritesBefore,   // One element before D.
  WritesInput,    // The first element of A.
  Irreproducible, // A bit of the first element changes from run to run.
  ReadsBeyondK,   // Includes the element after each row of A.
  Note,           // The emulator has a note: twice the same at line 7.
  Race,           // The emulator fails the launch for a race at line 9.
  DeviceFault     // The launch fails.
};

extern Defect defect;
// Launches since the start of the process.
extern int launches;

#endif // GEMM_TEST_GEMMRUN_FAKERUNTIME_H
