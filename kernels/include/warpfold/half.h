// __half and __half2 as cuda_fp16.h has them: an instruction an operation, conversions in every rounding,
// comparisons, and functions that are computed in float and rounded once more. NaN results have PTX's form.
#pragma once
#include "device.h"

struct __half;
__wf_both float __half2float(__half a);
__wf_both __half __float2half(float a);

struct __align__(2) __half_raw { unsigned short x; };
struct __align__(2) __half
{
    unsigned short __x;

    __half() = default;
    __host__ __device__ constexpr __half(__half_raw a) : __x(a.x) {}
    __host__ __device__ __half(float a) : __x(__float2half(a).__x) {}
    __host__ __device__ __half(double a);
    __host__ __device__ __half(int a) : __half((float)a) {}
    __host__ __device__ __half(unsigned a) : __half((float)a) {}
    __host__ __device__ __half(short a) : __half((float)a) {}
    __host__ __device__ __half(unsigned short a) : __half((float)a) {}
    __host__ __device__ __half(long long a) : __half((float)a) {}
    __host__ __device__ __half(unsigned long long a) : __half((float)a) {}
    __host__ __device__ operator float() const { return __half2float(*this); }
    __host__ __device__ operator __half_raw() const { return {__x}; }
    __host__ __device__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
};
struct __align__(4) __half2
{
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;

// -- conversions --------------------------------------------------------------------------------------------
// The host's side of the two is clang's __fp16; on the device it is the instruction.
__wf_both float __half2float(__half a)
{
#ifdef __CUDA_ARCH__
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.__x));
    return r;
#else
    __fp16 bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
#endif
}
__wf_both __half __float2half(float a)
{
    __half_raw r;
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.x) : "f"(a));
#else
    __fp16 bits = a;
    __builtin_memcpy(&r, &bits, sizeof bits);
#endif
    return r;
}
#define __WF_TO_HALF(NAME, A, C, OP)                                                                         \
    __wf_fn __half NAME(A a)                                                                                 \
    {                                                                                                        \
        __half_raw r;                                                                                        \
        asm("cvt." OP " %0, %1;" : "=h"(r.x) : C(a));                                                        \
        return r;                                                                                            \
    }
#define __WF_FROM_HALF(NAME, R, C, OP)                                                                       \
    __wf_fn R NAME(__half a)                                                                                 \
    {                                                                                                        \
        R r;                                                                                                 \
        asm("cvt." OP " %0, %1;" : "=" C(r) : "h"(a.__x));                                                   \
        return r;                                                                                            \
    }
#define __WF_HALF_AND(NAME, T, C, TYPE)                                                                      \
    __WF_TO_HALF(__##NAME##2half_rn, T, C, "rn.f16." TYPE)                                                   \
    __WF_TO_HALF(__##NAME##2half_rz, T, C, "rz.f16." TYPE)                                                   \
    __WF_TO_HALF(__##NAME##2half_ru, T, C, "rp.f16." TYPE)                                                   \
    __WF_TO_HALF(__##NAME##2half_rd, T, C, "rm.f16." TYPE)                                                   \
    __WF_FROM_HALF(__half2##NAME##_rn, T, C, "rni." TYPE ".f16")                                             \
    __WF_FROM_HALF(__half2##NAME##_rz, T, C, "rzi." TYPE ".f16")                                             \
    __WF_FROM_HALF(__half2##NAME##_ru, T, C, "rpi." TYPE ".f16")                                             \
    __WF_FROM_HALF(__half2##NAME##_rd, T, C, "rmi." TYPE ".f16")
__WF_HALF_AND(int, int, "r", "s32")
__WF_HALF_AND(uint, unsigned, "r", "u32")
__WF_HALF_AND(short, short, "h", "s16")
__WF_HALF_AND(ushort, unsigned short, "h", "u16")
__WF_HALF_AND(ll, long long, "l", "s64")
__WF_HALF_AND(ull, unsigned long long, "l", "u64")
#undef __WF_HALF_AND
__WF_TO_HALF(__float2half_rn, float, "f", "rn.f16.f32")
__WF_TO_HALF(__float2half_rz, float, "f", "rz.f16.f32")
// Up and down there is no instruction: rounded to nearest, and a step further where that went the other way.
__wf_fn __half __wf_half_towards(float a, bool up)
{
    __half_raw r = __float2half_rn(a);
    float back = __half2float(r);
    if (up ? back < a : back > a)
        r.x = r.x == (up ? 0x8000 : 0) ? (up ? 1 : 0x8001) : (r.x >> 15 != 0) == up ? r.x - 1 : r.x + 1;
    return r;
}
__wf_fn __half __float2half_ru(float a) { return __wf_half_towards(a, true); }
__wf_fn __half __float2half_rd(float a) { return __wf_half_towards(a, false); }
__WF_TO_HALF(__wf_double2half, double, "d", "rn.f16.f64")
__wf_fn __half __double2half(double a) { return __wf_double2half(a); }
__host__ __device__ inline __half::__half(double a) : __x(0)
{
#ifdef __CUDA_ARCH__
    __x = __wf_double2half(a).__x;
#else
    __x = __float2half((float)a).__x;
#endif
}
#undef __WF_TO_HALF
#undef __WF_FROM_HALF
__wf_fn __half __ushort_as_half(unsigned short a) { return __half_raw{a}; }
__wf_fn __half __short_as_half(short a) { return __half_raw{(unsigned short)a}; }
__wf_fn unsigned short __half_as_ushort(__half a) { return a.__x; }
__wf_fn short __half_as_short(__half a) { return (short)a.__x; }

__wf_both __half2 __halves2half2(__half a, __half b) { return {a, b}; }
__wf_both __half2 make_half2(__half a, __half b) { return {a, b}; }
__wf_both __half2 __half2half2(__half a) { return {a, a}; }
__wf_both __half2 __float2half2_rn(float a) { return {__float2half(a), __float2half(a)}; }
__wf_both __half2 __floats2half2_rn(float a, float b) { return {__float2half(a), __float2half(b)}; }
__wf_both __half2 __float22half2_rn(float2 a) { return {__float2half(a.x), __float2half(a.y)}; }
__wf_both float2 __half22float2(__half2 a) { return {__half2float(a.x), __half2float(a.y)}; }
__wf_both float __low2float(__half2 a) { return __half2float(a.x); }
__wf_both float __high2float(__half2 a) { return __half2float(a.y); }
__wf_both __half __low2half(__half2 a) { return a.x; }
__wf_both __half __high2half(__half2 a) { return a.y; }
__wf_both __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
__wf_both __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
__wf_both __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
__wf_both __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
__wf_both __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }

// -- arithmetic ---------------------------------------------------------------------------------------------
__wf_fn __half2 __wf_half2_of(unsigned bits) { return __wf_bits<__half2>(bits); }
__wf_fn unsigned __wf_bits_of(__half2 a) { return __wf_bits<unsigned>(a); }
#define __WF_HALF_1(NAME, OP)                                                                                \
    __wf_fn __half NAME(__half a)                                                                            \
    {                                                                                                        \
        __half_raw r;                                                                                        \
        asm(OP ".f16 %0, %1;" : "=h"(r.x) : "h"(a.__x));                                                     \
        return r;                                                                                            \
    }                                                                                                        \
    __wf_fn __half2 NAME##2(__half2 a)                                                                       \
    {                                                                                                        \
        unsigned r;                                                                                          \
        asm(OP ".f16x2 %0, %1;" : "=r"(r) : "r"(__wf_bits_of(a)));                                           \
        return __wf_half2_of(r);                                                                             \
    }
#define __WF_HALF_2(NAME, NAME2, OP)                                                                         \
    __wf_fn __half NAME(__half a, __half b)                                                                  \
    {                                                                                                        \
        __half_raw r;                                                                                        \
        asm(OP ".f16 %0, %1, %2;" : "=h"(r.x) : "h"(a.__x), "h"(b.__x));                                     \
        return r;                                                                                            \
    }                                                                                                        \
    __wf_fn __half2 NAME2(__half2 a, __half2 b)                                                              \
    {                                                                                                        \
        unsigned r;                                                                                          \
        asm(OP ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(__wf_bits_of(a)), "r"(__wf_bits_of(b)));                 \
        return __wf_half2_of(r);                                                                             \
    }
#define __WF_HALF_3(NAME, NAME2, OP)                                                                         \
    __wf_fn __half NAME(__half a, __half b, __half c)                                                        \
    {                                                                                                        \
        __half_raw r;                                                                                        \
        asm(OP ".f16 %0, %1, %2, %3;" : "=h"(r.x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                     \
        return r;                                                                                            \
    }                                                                                                        \
    __wf_fn __half2 NAME2(__half2 a, __half2 b, __half2 c)                                                   \
    {                                                                                                        \
        unsigned r;                                                                                          \
        asm(OP ".f16x2 %0, %1, %2, %3;"                                                                      \
            : "=r"(r)                                                                                        \
            : "r"(__wf_bits_of(a)), "r"(__wf_bits_of(b)), "r"(__wf_bits_of(c)));                             \
        return __wf_half2_of(r);                                                                             \
    }
__WF_HALF_1(__hneg, "neg")
__WF_HALF_1(__habs, "abs")
__WF_HALF_2(__hadd, __hadd2, "add")
__WF_HALF_2(__hsub, __hsub2, "sub")
__WF_HALF_2(__hmul, __hmul2, "mul")
__WF_HALF_2(__hadd_rn, __hadd2_rn, "add.rn")
__WF_HALF_2(__hsub_rn, __hsub2_rn, "sub.rn")
__WF_HALF_2(__hmul_rn, __hmul2_rn, "mul.rn")
__WF_HALF_2(__hadd_sat, __hadd2_sat, "add.sat")
__WF_HALF_2(__hsub_sat, __hsub2_sat, "sub.sat")
__WF_HALF_2(__hmul_sat, __hmul2_sat, "mul.sat")
__WF_HALF_2(__hmax, __hmax2, "max")
__WF_HALF_2(__hmin, __hmin2, "min")
__WF_HALF_2(__hmax_nan, __hmax2_nan, "max.NaN")
__WF_HALF_2(__hmin_nan, __hmin2_nan, "min.NaN")
__WF_HALF_3(__hfma, __hfma2, "fma.rn")
__WF_HALF_3(__hfma_sat, __hfma2_sat, "fma.rn.sat")
__WF_HALF_3(__hfma_relu, __hfma2_relu, "fma.rn.relu")
#undef __WF_HALF_1
#undef __WF_HALF_2
#undef __WF_HALF_3
// A quotient of two halves, rounded to float and then to half, is the nearest half: a float has more than
// twice a half's bits.
__wf_fn __half __hdiv(__half a, __half b) { return __float2half(__half2float(a) / __half2float(b)); }
__wf_fn __half2 __h2div(__half2 a, __half2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }

#define __WF_HALF_OPERATOR(OP, NAME)                                                                         \
    __wf_fn __half operator OP(__half a, __half b) { return __h##NAME(a, b); }                               \
    __wf_fn __half &operator OP##=(__half &a, __half b) { return a = __h##NAME(a, b); }
__WF_HALF_OPERATOR(+, add)
__WF_HALF_OPERATOR(-, sub)
__WF_HALF_OPERATOR(*, mul)
__WF_HALF_OPERATOR(/, div)
#undef __WF_HALF_OPERATOR
#define __WF_HALF_OPERATOR(OP, FUNCTION)                                                                     \
    __wf_fn __half2 operator OP(__half2 a, __half2 b) { return FUNCTION(a, b); }                             \
    __wf_fn __half2 &operator OP##=(__half2 &a, __half2 b) { return a = FUNCTION(a, b); }
__WF_HALF_OPERATOR(+, __hadd2)
__WF_HALF_OPERATOR(-, __hsub2)
__WF_HALF_OPERATOR(*, __hmul2)
__WF_HALF_OPERATOR(/, __h2div)
#undef __WF_HALF_OPERATOR
__wf_fn __half operator+(__half a) { return a; }
__wf_fn __half operator-(__half a) { return __hneg(a); }
__wf_fn __half2 operator-(__half2 a) { return __hneg2(a); }
__wf_fn __half &operator++(__half &a) { return a = __hadd(a, __half_raw{0x3c00}); }
__wf_fn __half &operator--(__half &a) { return a = __hsub(a, __half_raw{0x3c00}); }

// -- comparisons --------------------------------------------------------------------------------------------
// Ordered ones are false for a NaN, the …u ones true. Of two halves: 1 or 0 in each (__heq2), all true
// (__hbeq2), all ones (__heq2_mask).
#define __WF_HALF_COMPARED(NAME, OP)                                                                         \
    __wf_fn bool __h##NAME(__half a, __half b)                                                               \
    {                                                                                                        \
        return __wf_compare_##NAME(__half2float(a), __half2float(b));                                        \
    }                                                                                                        \
    __wf_fn __half2 __h##NAME##2(__half2 a, __half2 b)                                                       \
    {                                                                                                        \
        return {__half_raw{(unsigned short)(__h##NAME(a.x, b.x) ? 0x3c00 : 0)},                              \
                __half_raw{(unsigned short)(__h##NAME(a.y, b.y) ? 0x3c00 : 0)}};                             \
    }                                                                                                        \
    __wf_fn bool __hb##NAME##2(__half2 a, __half2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }  \
    __wf_fn unsigned __h##NAME##2_mask(__half2 a, __half2 b)                                                 \
    {                                                                                                        \
        return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);              \
    }
#define __WF_COMPARE(NAME, EXPRESSION)                                                                       \
    __wf_fn bool __wf_compare_##NAME(float a, float b) { return EXPRESSION; }                                \
    __WF_HALF_COMPARED(NAME, EXPRESSION)
__WF_COMPARE(eq, a == b)
__WF_COMPARE(ne, a<b || a> b)
__WF_COMPARE(lt, a < b)
__WF_COMPARE(le, a <= b)
__WF_COMPARE(gt, a > b)
__WF_COMPARE(ge, a >= b)
__WF_COMPARE(equ, !(a < b || a > b))
__WF_COMPARE(neu, a != b)
__WF_COMPARE(ltu, !(a >= b))
__WF_COMPARE(leu, !(a > b))
__WF_COMPARE(gtu, !(a <= b))
__WF_COMPARE(geu, !(a < b))
#undef __WF_COMPARE
#undef __WF_HALF_COMPARED
__wf_fn bool operator==(__half a, __half b) { return __heq(a, b); }
__wf_fn bool operator!=(__half a, __half b) { return __hneu(a, b); }
__wf_fn bool operator<(__half a, __half b) { return __hlt(a, b); }
__wf_fn bool operator<=(__half a, __half b) { return __hle(a, b); }
__wf_fn bool operator>(__half a, __half b) { return __hgt(a, b); }
__wf_fn bool operator>=(__half a, __half b) { return __hge(a, b); }
__wf_fn bool operator==(__half2 a, __half2 b) { return __hbeq2(a, b); }
__wf_fn bool operator!=(__half2 a, __half2 b) { return __hbneu2(a, b); }
__wf_fn bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
__wf_fn int __hisinf(__half a) { return a.__x == 0x7c00 ? 1 : a.__x == 0xfc00 ? -1 : 0; }

// -- functions ----------------------------------------------------------------------------------------------
#define __WF_HALF_FUNCTION(NAME, FUNCTION)                                                                   \
    __wf_fn __half h##NAME(__half a) { return __float2half(FUNCTION(__half2float(a))); }                     \
    __wf_fn __half2 h2##NAME(__half2 a) { return {h##NAME(a.x), h##NAME(a.y)}; }
__WF_HALF_FUNCTION(exp, expf)
__WF_HALF_FUNCTION(exp2, exp2f)
__WF_HALF_FUNCTION(exp10, exp10f)
__WF_HALF_FUNCTION(log, logf)
__WF_HALF_FUNCTION(log2, log2f)
__WF_HALF_FUNCTION(log10, log10f)
__WF_HALF_FUNCTION(sin, sinf)
__WF_HALF_FUNCTION(cos, cosf)
__WF_HALF_FUNCTION(sqrt, sqrtf)
__WF_HALF_FUNCTION(rsqrt, rsqrtf)
__WF_HALF_FUNCTION(rcp, __frcp_rn)
__WF_HALF_FUNCTION(ceil, ceilf)
__WF_HALF_FUNCTION(floor, floorf)
__WF_HALF_FUNCTION(trunc, truncf)
__WF_HALF_FUNCTION(rint, rintf)
__WF_HALF_FUNCTION(tanh, tanhf)
#undef __WF_HALF_FUNCTION

// -- lanes and memory ---------------------------------------------------------------------------------------
#define __WF_HALF_SHUFFLE(KIND, OTHER)                                                                       \
    __wf_fn __half __shfl##KIND##_sync(unsigned mask, __half a, OTHER other, int width = warpSize)           \
    {                                                                                                        \
        return __half_raw{(unsigned short)__shfl##KIND##_sync(mask, (unsigned)a.__x, other, width)};         \
    }                                                                                                        \
    __wf_fn __half2 __shfl##KIND##_sync(unsigned mask, __half2 a, OTHER other, int width = warpSize)         \
    {                                                                                                        \
        return __wf_half2_of(__shfl##KIND##_sync(mask, __wf_bits_of(a), other, width));                      \
    }
__WF_HALF_SHUFFLE(, int)
__WF_HALF_SHUFFLE(_up, unsigned)
__WF_HALF_SHUFFLE(_down, unsigned)
__WF_HALF_SHUFFLE(_xor, int)
#undef __WF_HALF_SHUFFLE
__wf_fn __half __ldg(const __half *at) { return __half_raw{__ldg((const unsigned short *)at)}; }
__wf_fn __half2 __ldg(const __half2 *at) { return __wf_half2_of(__ldg((const unsigned *)at)); }
__wf_fn __half atomicAdd(__half *at, __half value)
{
    __half_raw r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r.x) : "l"(at), "h"(value.__x) : "memory");
    return r;
}
__wf_fn __half2 atomicAdd(__half2 *at, __half2 value)
{
    unsigned r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(at), "r"(__wf_bits_of(value))
                 : "memory");
    return __wf_half2_of(r);
}
