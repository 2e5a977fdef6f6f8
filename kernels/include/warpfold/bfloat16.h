// __nv_bfloat16 and __nv_bfloat162: the upper half of a float. Sums, differences, products and quotients are
// those of floats, rounded once more, which is the nearest result because a float has more than twice the
// bits; the multiply-add is the instruction. Left out: comparisons of pairs, functions but those of CUDA
// kernels' daily use.
#pragma once
#include "device.h"

struct __align__(2) __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat16;
__wf_both float __bfloat162float(__nv_bfloat16 a);
__wf_both __nv_bfloat16 __float2bfloat16(float a);
struct __align__(2) __nv_bfloat16
{
    unsigned short __x;
    __nv_bfloat16() = default;
    __host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw a) : __x(a.x) {}
    __host__ __device__ __nv_bfloat16(float a) : __x(__float2bfloat16(a).__x) {}
    __host__ __device__ __nv_bfloat16(double a) : __nv_bfloat16((float)a) {}
    __host__ __device__ __nv_bfloat16(int a) : __nv_bfloat16((float)a) {}
    __host__ __device__ __nv_bfloat16(unsigned a) : __nv_bfloat16((float)a) {}
    __host__ __device__ operator float() const { return __bfloat162float(*this); }
    __host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
};
struct __align__(4) __nv_bfloat162
{
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__wf_both float __bfloat162float(__nv_bfloat16 a)
{
    unsigned bits = (unsigned)a.__x << 16;
    float r;
    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
}
// To nearest even: half of the last place is added, less one unit if that place is even. NaN has one form.
__wf_both __nv_bfloat16 __float2bfloat16(float a)
{
    unsigned bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    unsigned short rounded = (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    return __nv_bfloat16_raw{a != a ? (unsigned short)0x7fff : rounded};
}
__wf_fn __nv_bfloat16 __float2bfloat16_rn(float a) { return __float2bfloat16(a); }
__wf_fn __nv_bfloat16 __float2bfloat16_rz(float a)
{
    return __nv_bfloat16_raw{a != a ? (unsigned short)0x7fff : (unsigned short)(__float_as_uint(a) >> 16)};
}
__wf_fn __nv_bfloat16 __double2bfloat16(double a)
{
    // Rounded to odd first, so that the second rounding sees on which side the double was.
    float near = __double2float_rz(a);
    unsigned inexact = (double)near != a && __wf_isfinite(a) ? 1u : 0u;
    return __float2bfloat16(__uint_as_float(__float_as_uint(near) | inexact));
}
__wf_fn __nv_bfloat16 __int2bfloat16_rn(int a) { return __double2bfloat16((double)a); }
__wf_fn __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __double2bfloat16((double)a); }
__wf_fn int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(__bfloat162float(a)); }
__wf_fn int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(__bfloat162float(a)); }
__wf_fn __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16_raw{a}; }
__wf_fn unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__wf_both __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
__wf_both __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
__wf_both __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
__wf_both __nv_bfloat162 __float2bfloat162_rn(float a) { return {__float2bfloat16(a), __float2bfloat16(a)}; }
__wf_both __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return {__float2bfloat16(a), __float2bfloat16(b)};
}
__wf_both __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__wf_both float2 __bfloat1622float2(__nv_bfloat162 a)
{
    return {__bfloat162float(a.x), __bfloat162float(a.y)};
}
__wf_both float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
__wf_both float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
__wf_both __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__wf_both __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }

#define __WF_BFLOAT_2(NAME, NAME2, EXPRESSION)                                                               \
    __wf_fn __nv_bfloat16 NAME(__nv_bfloat16 first, __nv_bfloat16 second)                                    \
    {                                                                                                        \
        float a = __bfloat162float(first), b = __bfloat162float(second);                                     \
        return __float2bfloat16(EXPRESSION);                                                                 \
    }                                                                                                        \
    __wf_fn __nv_bfloat162 NAME2(__nv_bfloat162 a, __nv_bfloat162 b)                                         \
    {                                                                                                        \
        return {NAME(a.x, b.x), NAME(a.y, b.y)};                                                             \
    }
__WF_BFLOAT_2(__hadd, __hadd2, __fadd_rn(a, b))
__WF_BFLOAT_2(__hsub, __hsub2, __fsub_rn(a, b))
__WF_BFLOAT_2(__hmul, __hmul2, __fmul_rn(a, b))
__WF_BFLOAT_2(__hdiv, __h2div, __fdiv_rn(a, b))
__WF_BFLOAT_2(__hmax, __hmax2, fmaxf(a, b))
__WF_BFLOAT_2(__hmin, __hmin2, fminf(a, b))
#undef __WF_BFLOAT_2
__wf_fn __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    __nv_bfloat16_raw r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
}
__wf_fn __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
__wf_fn __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __nv_bfloat16_raw{(unsigned short)(a.__x ^ 0x8000)}; }
__wf_fn __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16_raw{(unsigned short)(a.__x & 0x7fff)}; }
__wf_fn bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }

#define __WF_BFLOAT_OPERATOR(OP, NAME, NAME2)                                                                \
    __wf_fn __nv_bfloat16 operator OP(__nv_bfloat16 a, __nv_bfloat16 b) { return NAME(a, b); }               \
    __wf_fn __nv_bfloat16 &operator OP##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = NAME(a, b); }      \
    __wf_fn __nv_bfloat162 operator OP(__nv_bfloat162 a, __nv_bfloat162 b) { return NAME2(a, b); }           \
    __wf_fn __nv_bfloat162 &operator OP##=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = NAME2(a, b); }
__WF_BFLOAT_OPERATOR(+, __hadd, __hadd2)
__WF_BFLOAT_OPERATOR(-, __hsub, __hsub2)
__WF_BFLOAT_OPERATOR(*, __hmul, __hmul2)
__WF_BFLOAT_OPERATOR(/, __hdiv, __h2div)
#undef __WF_BFLOAT_OPERATOR
__wf_fn __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
#define __WF_BFLOAT_COMPARED(NAME, OP)                                                                       \
    __wf_fn bool __h##NAME(__nv_bfloat16 a, __nv_bfloat16 b)                                                 \
    {                                                                                                        \
        return __bfloat162float(a) OP __bfloat162float(b);                                                   \
    }                                                                                                        \
    __wf_fn bool operator OP(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##NAME(a, b); }
__WF_BFLOAT_COMPARED(eq, ==)
__WF_BFLOAT_COMPARED(neu, !=)
__WF_BFLOAT_COMPARED(lt, <)
__WF_BFLOAT_COMPARED(le, <=)
__WF_BFLOAT_COMPARED(gt, >)
__WF_BFLOAT_COMPARED(ge, >=)
#undef __WF_BFLOAT_COMPARED

#define __WF_BFLOAT_FUNCTION(NAME, FUNCTION)                                                                 \
    __wf_fn __nv_bfloat16 h##NAME(__nv_bfloat16 a)                                                           \
    {                                                                                                        \
        return __float2bfloat16(FUNCTION(__bfloat162float(a)));                                              \
    }                                                                                                        \
    __wf_fn __nv_bfloat162 h2##NAME(__nv_bfloat162 a) { return {h##NAME(a.x), h##NAME(a.y)}; }
__WF_BFLOAT_FUNCTION(exp, expf)
__WF_BFLOAT_FUNCTION(log, logf)
__WF_BFLOAT_FUNCTION(sin, sinf)
__WF_BFLOAT_FUNCTION(cos, cosf)
__WF_BFLOAT_FUNCTION(sqrt, sqrtf)
__WF_BFLOAT_FUNCTION(rsqrt, rsqrtf)
__WF_BFLOAT_FUNCTION(tanh, tanhf)
#undef __WF_BFLOAT_FUNCTION

#define __WF_BFLOAT_SHUFFLE(KIND, OTHER)                                                                     \
    __wf_fn __nv_bfloat16 __shfl##KIND##_sync(unsigned mask, __nv_bfloat16 a, OTHER other,                   \
                                              int width = warpSize)                                          \
    {                                                                                                        \
        return __nv_bfloat16_raw{(unsigned short)__shfl##KIND##_sync(mask, (unsigned)a.__x, other, width)};  \
    }                                                                                                        \
    __wf_fn __nv_bfloat162 __shfl##KIND##_sync(unsigned mask, __nv_bfloat162 a, OTHER other,                 \
                                               int width = warpSize)                                         \
    {                                                                                                        \
        return __wf_bits<__nv_bfloat162>(__shfl##KIND##_sync(mask, __wf_bits<unsigned>(a), other, width));   \
    }
__WF_BFLOAT_SHUFFLE(, int)
__WF_BFLOAT_SHUFFLE(_up, unsigned)
__WF_BFLOAT_SHUFFLE(_down, unsigned)
__WF_BFLOAT_SHUFFLE(_xor, int)
#undef __WF_BFLOAT_SHUFFLE
__wf_fn __nv_bfloat16 __ldg(const __nv_bfloat16 *at)
{
    return __nv_bfloat16_raw{__ldg((const unsigned short *)at)};
}
