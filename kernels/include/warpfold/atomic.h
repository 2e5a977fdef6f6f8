// Atomics on generic addresses, in CUDA's types and scopes: of the device by default, _block, _system. They
// give the old value. Left out: those of 128 bits, and of vectors of floats.
#pragma once
#include "convert.h"

// clang's builtins are there for int, long, float and double; an unsigned sum has the bits of a signed one.
#define __WF_ATOMIC(NAME, T, B, BUILTIN)                                                                     \
    __wf_fn T NAME(T *at, T value) { return (T)__nvvm_atom_##BUILTIN((B *)at, (B)value); }
#define __WF_ATOMIC_SCOPES(NAME, T, B, OP, TYPE)                                                             \
    __WF_ATOMIC(NAME, T, B, OP##_gen_##TYPE)                                                                 \
    __WF_ATOMIC(NAME##_block, T, B, cta_##OP##_gen_##TYPE)                                                   \
    __WF_ATOMIC(NAME##_system, T, B, sys_##OP##_gen_##TYPE)
#define __WF_ATOMIC_BITS(NAME, OP)                                                                           \
    __WF_ATOMIC_SCOPES(NAME, int, int, OP, i)                                                                \
    __WF_ATOMIC_SCOPES(NAME, unsigned, int, OP, i)                                                           \
    __WF_ATOMIC_SCOPES(NAME, long long, long long, OP, ll)                                                   \
    __WF_ATOMIC_SCOPES(NAME, unsigned long long, long long, OP, ll)                                          \
    __WF_ATOMIC_SCOPES(NAME, long, long long, OP, ll)                                                        \
    __WF_ATOMIC_SCOPES(NAME, unsigned long, long long, OP, ll)
#define __WF_ATOMIC_ORDERED(NAME, OP)                                                                        \
    __WF_ATOMIC_SCOPES(NAME, int, int, OP, i)                                                                \
    __WF_ATOMIC_SCOPES(NAME, unsigned, unsigned, OP, ui)                                                     \
    __WF_ATOMIC_SCOPES(NAME, long long, long long, OP, ll)                                                   \
    __WF_ATOMIC_SCOPES(NAME, unsigned long long, unsigned long long, OP, ull)
__WF_ATOMIC_BITS(atomicAdd, add)
__WF_ATOMIC_SCOPES(atomicAdd, float, float, add, f)
__WF_ATOMIC_SCOPES(atomicAdd, double, double, add, d)
__WF_ATOMIC_BITS(atomicExch, xchg)
__WF_ATOMIC_BITS(atomicAnd, and)
__WF_ATOMIC_BITS(atomicOr, or)
__WF_ATOMIC_BITS(atomicXor, xor)
__WF_ATOMIC_ORDERED(atomicMin, min)
__WF_ATOMIC_ORDERED(atomicMax, max)
__WF_ATOMIC_SCOPES(atomicInc, unsigned, unsigned, inc, ui)
__WF_ATOMIC_SCOPES(atomicDec, unsigned, unsigned, dec, ui)
#undef __WF_ATOMIC_ORDERED
#undef __WF_ATOMIC_BITS
#undef __WF_ATOMIC_SCOPES
#undef __WF_ATOMIC

// What is made of the others.
#define __WF_ATOMIC_DERIVED(SCOPE, BUILTIN)                                                                  \
    __wf_fn float atomicExch##SCOPE(float *at, float value)                                                  \
    {                                                                                                        \
        return __wf_bits<float>(atomicExch##SCOPE((int *)at, __wf_bits<int>(value)));                        \
    }                                                                                                        \
    __wf_fn int atomicSub##SCOPE(int *at, int value)                                                         \
    {                                                                                                        \
        return atomicAdd##SCOPE(at, (int)(0u - (unsigned)value));                                            \
    }                                                                                                        \
    __wf_fn unsigned atomicSub##SCOPE(unsigned *at, unsigned value)                                          \
    {                                                                                                        \
        return atomicAdd##SCOPE(at, 0u - value);                                                             \
    }                                                                                                        \
    __wf_fn int atomicCAS##SCOPE(int *at, int compare, int value)                                            \
    {                                                                                                        \
        return __nvvm_atom_##BUILTIN##_gen_i(at, compare, value);                                            \
    }                                                                                                        \
    __wf_fn unsigned atomicCAS##SCOPE(unsigned *at, unsigned compare, unsigned value)                        \
    {                                                                                                        \
        return (unsigned)__nvvm_atom_##BUILTIN##_gen_i((int *)at, (int)compare, (int)value);                 \
    }                                                                                                        \
    __wf_fn unsigned long long atomicCAS##SCOPE(unsigned long long *at, unsigned long long compare,          \
                                                unsigned long long value)                                    \
    {                                                                                                        \
        return (unsigned long long)__nvvm_atom_##BUILTIN##_gen_ll((long long *)at, (long long)compare,       \
                                                                  (long long)value);                         \
    }                                                                                                        \
    __wf_fn unsigned long atomicCAS##SCOPE(unsigned long *at, unsigned long compare, unsigned long value)    \
    {                                                                                                        \
        return atomicCAS##SCOPE((unsigned long long *)at, (unsigned long long)compare,                       \
                                (unsigned long long)value);                                                  \
    }                                                                                                        \
    __wf_fn unsigned short atomicCAS##SCOPE(unsigned short *at, unsigned short compare,                      \
                                            unsigned short value)                                            \
    {                                                                                                        \
        unsigned short r;                                                                                    \
        asm volatile("atom.cas.b16 %0, [%1], %2, %3;"                                                        \
                     : "=h"(r)                                                                               \
                     : "l"(at), "h"(compare), "h"(value)                                                     \
                     : "memory");                                                                            \
        return r;                                                                                            \
    }
__WF_ATOMIC_DERIVED(, cas)
__WF_ATOMIC_DERIVED(_block, cta_cas)
__WF_ATOMIC_DERIVED(_system, sys_cas)
#undef __WF_ATOMIC_DERIVED
