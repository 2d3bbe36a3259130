// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decode functions of the instruction families; FindDecoder.cpp maps base words
// to them.
#ifndef GEMM_EMULATOR_OPS_FAMILIES_H
#define GEMM_EMULATOR_OPS_FAMILIES_H

#include "../Decoder.h"

namespace gemm::emulator {

// Integer.cpp
void decodeAddInteger(DecodeContext &);
void decodeMulInteger(DecodeContext &);
void decodeMadInteger(DecodeContext &);
void decodeMul24(DecodeContext &);
void decodeDivInteger(DecodeContext &);
void decodeSad(DecodeContext &);
void decodeAbsNegInteger(DecodeContext &);
void decodeMinMaxInteger(DecodeContext &);
// Bits.cpp
void decodeLogic(DecodeContext &);
void decodeShift(DecodeContext &);
void decodeShf(DecodeContext &);
void decodeLop3(DecodeContext &);
void decodePrmt(DecodeContext &);
void decodeBitCount(DecodeContext &);
void decodeBrev(DecodeContext &);
void decodeBfe(DecodeContext &);
void decodeBfi(DecodeContext &);
void decodeBmsk(DecodeContext &);
void decodeSzext(DecodeContext &);
void decodeFns(DecodeContext &);
void decodeDotProduct(DecodeContext &);
// Float.cpp, FloatRounding.cpp, FloatApprox.cpp, Half.cpp
void decodeArithmeticFloat(DecodeContext &);
void decodeDivideFloat(DecodeContext &);
void decodeMinMaxFloat(DecodeContext &);
void decodeAbsNegFloat(DecodeContext &);
void decodeTestp(DecodeContext &);
void decodeCopysign(DecodeContext &);
void decodeDirected(DecodeContext &, std::string_view op,
                    std::string_view rounding, Type type, bool ftz, bool sat);
void decodeApproximate(DecodeContext &);
void decodeHalf(DecodeContext &);
// Compare.cpp, Move.cpp, Convert.cpp
void decodeSetp(DecodeContext &);
void decodeSelp(DecodeContext &);
void decodeSlct(DecodeContext &);
void decodeMov(DecodeContext &);
void decodeCvta(DecodeContext &);
void decodeIsspacep(DecodeContext &);
void decodeMapa(DecodeContext &);
void decodeGetctarank(DecodeContext &);
void decodeCvt(DecodeContext &);
// LoadStore.cpp, Atomic.cpp
void decodeLoad(DecodeContext &);
void decodeStore(DecodeContext &);
void decodeHint(DecodeContext &);
void decodeCreatePolicy(DecodeContext &);
void decodeAtomic(DecodeContext &);
void decodeFence(DecodeContext &);
// Control.cpp, WarpOps.cpp
void decodeBra(DecodeContext &);
void decodeBrx(DecodeContext &);
void decodeCall(DecodeContext &);
void decodeRet(DecodeContext &);
void decodeTrap(DecodeContext &);
void decodeNoEffect(DecodeContext &);
void decodeShfl(DecodeContext &);
void decodeVote(DecodeContext &);
void decodeMatch(DecodeContext &);
void decodeActivemask(DecodeContext &);
void decodeElect(DecodeContext &);
void decodeRedux(DecodeContext &);
void decodeBarWarp(DecodeContext &);
// Barriers.cpp, Mbarriers.cpp, CpAsync.cpp, Bulk.cpp
void decodeBar(DecodeContext &);
void decodeMbarrier(DecodeContext &);
void decodeCpAsync(DecodeContext &);
void decodeBulk(DecodeContext &, bool reduce);
void decodeStoreAsync(DecodeContext &);
void decodeReduceAsync(DecodeContext &);
// Mma.cpp, LdMatrix.cpp, Wgmma.cpp
void decodeMma(DecodeContext &);
void decodeWmmaLoad(DecodeContext &);
void decodeWmmaStore(DecodeContext &);
void decodeLdmatrix(DecodeContext &);
void decodeMovmatrix(DecodeContext &);
void decodeWgmma(DecodeContext &);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_FAMILIES_H
