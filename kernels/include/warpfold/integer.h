// Integers: min, max and abs in all of CUDA's overloads (those of floats too, since they are one set), and
// the integer intrinsics of the CUDA C++ Programming Guide. Left out: nothing of them.
#pragma once
#include "vector_types.h"

// The result of mixed signs is unsigned, as of C++'s operators; a NaN gives way to a number.
#define __WF_MIN_MAX(R, A, B)                                                                                \
    __wf_both R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                          \
    __wf_both R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define __WF_MIN_MAX_SIGNS(T)                                                                                \
    __WF_MIN_MAX(T, T, T)                                                                                    \
    __WF_MIN_MAX(unsigned T, unsigned T, unsigned T)                                                         \
    __WF_MIN_MAX(unsigned T, T, unsigned T)                                                                  \
    __WF_MIN_MAX(unsigned T, unsigned T, T)
__WF_MIN_MAX_SIGNS(int)
__WF_MIN_MAX_SIGNS(long)
__WF_MIN_MAX_SIGNS(long long)
#undef __WF_MIN_MAX_SIGNS
#undef __WF_MIN_MAX
#define __WF_MIN_MAX(R, A, B)                                                                                \
    __wf_both R min(A a, B b) { return __builtin_fmin((R)a, (R)b); }                                         \
    __wf_both R max(A a, B b) { return __builtin_fmax((R)a, (R)b); }
__wf_both float min(float a, float b) { return __builtin_fminf(a, b); }
__wf_both float max(float a, float b) { return __builtin_fmaxf(a, b); }
__WF_MIN_MAX(double, double, double)
__WF_MIN_MAX(double, float, double)
__WF_MIN_MAX(double, double, float)
#undef __WF_MIN_MAX
__wf_fn unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__wf_fn unsigned umax(unsigned a, unsigned b) { return max(a, b); }
__wf_fn long long llmin(long long a, long long b) { return min(a, b); }
__wf_fn long long llmax(long long a, long long b) { return max(a, b); }
__wf_fn unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
__wf_fn unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// The most negative number has no opposite: it stays, as abs.s32 leaves it.
__wf_fn int abs(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }
__wf_fn long long llabs(long long a) { return a < 0 ? (long long)(0ull - (unsigned long long)a) : a; }
__wf_fn long labs(long a) { return llabs(a); }
__wf_fn long abs(long a) { return llabs(a); }
__wf_fn long long abs(long long a) { return llabs(a); }
__wf_fn float abs(float a) { return __builtin_fabsf(a); }
__wf_fn double abs(double a) { return __builtin_fabs(a); }

// -- bits ---------------------------------------------------------------------------------------------------
__wf_fn int __popc(unsigned a) { return __builtin_popcount(a); }
__wf_fn int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
__wf_fn int __clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
__wf_fn int __clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
__wf_fn int __ffs(int a) { return a ? __builtin_ctz((unsigned)a) + 1 : 0; }
__wf_fn int __ffsll(long long a) { return a ? __builtin_ctzll((unsigned long long)a) + 1 : 0; }
__wf_fn unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
__wf_fn unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }

__wf_fn unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    unsigned r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector & 0x7777));
    return r;
}

// The upper (left) or lower (right) 32 bits of high:low shifted; _l and _r take the distance modulo 32, _lc
// and _rc stop at 32.
#define __WF_FUNNEL(NAME, OP)                                                                                \
    __wf_fn unsigned NAME(unsigned low, unsigned high, unsigned distance)                                    \
    {                                                                                                        \
        unsigned r;                                                                                          \
        asm(OP ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(distance));                       \
        return r;                                                                                            \
    }
__WF_FUNNEL(__funnelshift_l, "shf.l.wrap")
__WF_FUNNEL(__funnelshift_lc, "shf.l.clamp")
__WF_FUNNEL(__funnelshift_r, "shf.r.wrap")
__WF_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef __WF_FUNNEL

// The position of the n-th set bit from `base` on, upwards or (n below 0) downwards; 0 asks whether base is
// set.
__wf_large unsigned __fns(unsigned mask, unsigned base, int n)
{
    if (n == 0) return mask >> (base & 31) & 1 ? base : 0xffffffffu;
    int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return (unsigned)at;
    return 0xffffffffu;
}

// -- arithmetic ---------------------------------------------------------------------------------------------
__wf_fn int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
__wf_fn unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__wf_fn long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
__wf_fn unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
__wf_fn int __mul24(int a, int b)
{
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
__wf_fn unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__wf_fn int mulhi(int a, int b) { return __mulhi(a, b); }
__wf_fn unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
__wf_fn int mul24(int a, int b) { return __mul24(a, b); }
__wf_fn unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
__wf_fn long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }

// |a - b| + c; the difference of two ints may need 32 bits without a sign.
__wf_fn unsigned __sad(int a, int b, unsigned c)
{
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
__wf_fn unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }

// Means that cannot overflow, rounded down and (r) up.
__wf_fn int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__wf_fn int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__wf_fn unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
__wf_fn unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

// -- dot products of bytes ----------------------------------------------------------------------------------
#define __WF_DOT(NAME, OP, T)                                                                                \
    __wf_fn T NAME(T a, T b, T c)                                                                            \
    {                                                                                                        \
        T r;                                                                                                 \
        asm(OP " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                       \
        return r;                                                                                            \
    }
__WF_DOT(__dp4a, "dp4a.s32.s32", int)
__WF_DOT(__dp4a, "dp4a.u32.u32", unsigned)
__WF_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int)
__WF_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned)
__WF_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int)
__WF_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned)
#undef __WF_DOT
template <typename R, typename T> __wf_fn R __wf_bits(T a)
{
    static_assert(sizeof(R) == sizeof(T), "the same bits under another type");
    R r;
    __builtin_memcpy(&r, &a, sizeof r);
    return r;
}
__wf_fn int __dp4a(char4 a, char4 b, int c) { return __dp4a(__wf_bits<int>(a), __wf_bits<int>(b), c); }
__wf_fn unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return __dp4a(__wf_bits<unsigned>(a), __wf_bits<unsigned>(b), c);
}
__wf_fn int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(__wf_bits<int>(a), __wf_bits<int>(b), c); }
__wf_fn unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c)
{
    return __dp2a_lo(__wf_bits<unsigned>(a), __wf_bits<unsigned>(b), c);
}
__wf_fn int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(__wf_bits<int>(a), __wf_bits<int>(b), c); }
__wf_fn unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c)
{
    return __dp2a_hi(__wf_bits<unsigned>(a), __wf_bits<unsigned>(b), c);
}
