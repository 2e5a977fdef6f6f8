// Conversions between numbers with a rounding of one's own (_rn nearest even, _rz towards zero, _ru up, _rd
// down), and bits under another type. Out of range, a conversion to an integer gives the nearest one, as PTX
// says.
#pragma once
#include "integer.h"

#define __WF_CONVERT(NAME, R, RC, A, AC, OP)                                                                 \
    __wf_fn R NAME(A a)                                                                                      \
    {                                                                                                        \
        R r;                                                                                                 \
        asm("cvt." OP " %0, %1;" : "=" RC(r) : AC(a));                                                       \
        return r;                                                                                            \
    }
#define __WF_TO_INTEGER(NAME, R, RC, A, AC, TYPES)                                                           \
    __WF_CONVERT(NAME##_rn, R, RC, A, AC, "rni." TYPES)                                                      \
    __WF_CONVERT(NAME##_rz, R, RC, A, AC, "rzi." TYPES)                                                      \
    __WF_CONVERT(NAME##_ru, R, RC, A, AC, "rpi." TYPES)                                                      \
    __WF_CONVERT(NAME##_rd, R, RC, A, AC, "rmi." TYPES)
__WF_TO_INTEGER(__float2int, int, "r", float, "f", "s32.f32")
__WF_TO_INTEGER(__float2uint, unsigned, "r", float, "f", "u32.f32")
__WF_TO_INTEGER(__float2ll, long long, "l", float, "f", "s64.f32")
__WF_TO_INTEGER(__float2ull, unsigned long long, "l", float, "f", "u64.f32")
__WF_TO_INTEGER(__double2int, int, "r", double, "d", "s32.f64")
__WF_TO_INTEGER(__double2uint, unsigned, "r", double, "d", "u32.f64")
__WF_TO_INTEGER(__double2ll, long long, "l", double, "d", "s64.f64")
__WF_TO_INTEGER(__double2ull, unsigned long long, "l", double, "d", "u64.f64")
#undef __WF_TO_INTEGER

#define __WF_TO_REAL(NAME, R, RC, A, AC, TYPES)                                                              \
    __WF_CONVERT(NAME##_rn, R, RC, A, AC, "rn." TYPES)                                                       \
    __WF_CONVERT(NAME##_rz, R, RC, A, AC, "rz." TYPES)                                                       \
    __WF_CONVERT(NAME##_ru, R, RC, A, AC, "rp." TYPES)                                                       \
    __WF_CONVERT(NAME##_rd, R, RC, A, AC, "rm." TYPES)
__WF_TO_REAL(__int2float, float, "f", int, "r", "f32.s32")
__WF_TO_REAL(__uint2float, float, "f", unsigned, "r", "f32.u32")
__WF_TO_REAL(__ll2float, float, "f", long long, "l", "f32.s64")
__WF_TO_REAL(__ull2float, float, "f", unsigned long long, "l", "f32.u64")
__WF_TO_REAL(__ll2double, double, "d", long long, "l", "f64.s64")
__WF_TO_REAL(__ull2double, double, "d", unsigned long long, "l", "f64.u64")
__WF_TO_REAL(__double2float, float, "f", double, "d", "f32.f64")
#undef __WF_TO_REAL
#undef __WF_CONVERT
__wf_fn double __int2double_rn(int a) { return a; }
__wf_fn double __uint2double_rn(unsigned a) { return a; }

__wf_fn int __float_as_int(float a) { return __wf_bits<int>(a); }
__wf_fn unsigned __float_as_uint(float a) { return __wf_bits<unsigned>(a); }
__wf_fn float __int_as_float(int a) { return __wf_bits<float>(a); }
__wf_fn float __uint_as_float(unsigned a) { return __wf_bits<float>(a); }
__wf_fn long long __double_as_longlong(double a) { return __wf_bits<long long>(a); }
__wf_fn double __longlong_as_double(long long a) { return __wf_bits<double>(a); }
__wf_fn int __double2hiint(double a) { return (int)(__wf_bits<unsigned long long>(a) >> 32); }
__wf_fn int __double2loint(double a) { return (int)__wf_bits<unsigned long long>(a); }
__wf_fn double __hiloint2double(int high, int low)
{
    return __wf_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
