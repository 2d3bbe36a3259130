// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over 32 lanes that compilers vectorise, and choice of a handler by
// type.
#ifndef GEMM_EMULATOR_OPS_LANES_H
#define GEMM_EMULATOR_OPS_LANES_H

#include "../Decoder.h"
#include "../Machine.h"

#include <type_traits>

namespace gemm::emulator {

/// d[lane] = f(lane) where the mask says so. f runs for all lanes and must not
/// trap. Results go through a buffer so that d may be one of f's inputs.
template <class D, class F>
inline void writeLanes(Warp &w, uint32_t unit, uint32_t mask, F &&f) {
  alignas(64) D t[kLanes];
  for (unsigned l = 0; l < kLanes; ++l)
    t[l] = f(l);
  D *d = w.lanes<D>(unit);
  if (mask == ~0u) {
    std::memcpy(d, t, sizeof t);
  } else {
    for (unsigned l = 0; l < kLanes; ++l)
      d[l] = (mask >> l & 1) ? t[l] : d[l];
  }
}

template <class D, class A, class Op>
void unaryExec(Warp &w, const Inst &i, uint32_t m) {
  const A *a = w.lanes<A>(i.a);
  writeLanes<D>(w, i.d, m, [&](unsigned l) { return D(Op::run(a[l])); });
}
template <class D, class A, class B, class Op>
void binaryExec(Warp &w, const Inst &i, uint32_t m) {
  const A *a = w.lanes<A>(i.a);
  const B *b = w.lanes<B>(i.b);
  writeLanes<D>(w, i.d, m, [&](unsigned l) { return D(Op::run(a[l], b[l])); });
}
template <class D, class A, class B, class C, class Op>
void ternaryExec(Warp &w, const Inst &i, uint32_t m) {
  const A *a = w.lanes<A>(i.a);
  const B *b = w.lanes<B>(i.b);
  const C *c = w.lanes<C>(i.c);
  writeLanes<D>(w, i.d, m,
                [&](unsigned l) { return D(Op::run(a[l], b[l], c[l])); });
}

template <class T> using Same3 = T;
template <class T, class Op> constexpr Handler unaryOf() {
  return &unaryExec<T, T, Op>;
}
template <class T, class Op> constexpr Handler binaryOf() {
  return &binaryExec<T, T, T, Op>;
}
template <class T, class Op> constexpr Handler ternaryOf() {
  return &ternaryExec<T, T, T, T, Op>;
}

/// Calls f with a value of the C++ integer type; null for others.
template <class F> Handler withInteger(Type t, F &&f) {
  switch (t) {
  case Type::U16:
  case Type::B16:
    return f(uint16_t());
  case Type::S16:
    return f(int16_t());
  case Type::U32:
  case Type::B32:
    return f(uint32_t());
  case Type::S32:
    return f(int32_t());
  case Type::U64:
  case Type::B64:
    return f(uint64_t());
  case Type::S64:
    return f(int64_t());
  default:
    return nullptr;
  }
}

/// Fills a, b, c from operands 1.. of the given type, d from operand 0, taint
/// simple, and emits.
inline void emitSimple(DecodeContext &c, Type dType,
                       std::initializer_list<Type> sources, Handler run,
                       OpClass cls) {
  if (!run)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(1 + sources.size(), 1 + sources.size());
  uint32_t *slots[3] = {&c.inst.a, &c.inst.b, &c.inst.c};
  size_t n = 0;
  for (Type t : sources) {
    *slots[n] = c.source(n + 1, t);
    ++n;
  }
  c.inst.d = c.destination(size_t(0), dType);
  c.inst.run = run;
  c.inst.flags |= kSimpleTaint;
  c.inst.opClass = cls;
  c.emit();
}

/// The object that the family kept with DecodeContext::addExtra in aux.
template <class T> const T &extraOf(Warp &w, const Inst &i) {
  return *static_cast<const T *>(w.frame->function->extras[i.aux].get());
}

inline float asFloat(uint32_t b) {
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}
inline uint32_t asBits(float f) {
  uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
inline double asDouble(uint64_t b) {
  double f;
  std::memcpy(&f, &b, 8);
  return f;
}
inline uint64_t asBits(double f) {
  uint64_t b;
  std::memcpy(&b, &f, 8);
  return b;
}

/// Loops over the set bits of a mask.
template <class F> inline void forLanes(uint32_t mask, F &&f) {
  while (mask) {
    unsigned l = unsigned(__builtin_ctz(mask));
    mask &= mask - 1;
    f(l);
  }
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_LANES_H
