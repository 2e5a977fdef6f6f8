// Arithmetic with a rounding of one's own, the multiply-add that is never split, and the fast approximations.
// Every one is an instruction or two.
#pragma once
#include "convert.h"

#define __WF_1(NAME, T, C, OP)                                                                               \
    __wf_fn T NAME(T a)                                                                                      \
    {                                                                                                        \
        T r;                                                                                                 \
        asm(OP " %0, %1;" : "=" C(r) : C(a));                                                                \
        return r;                                                                                            \
    }
#define __WF_2(NAME, T, C, OP)                                                                               \
    __wf_fn T NAME(T a, T b)                                                                                 \
    {                                                                                                        \
        T r;                                                                                                 \
        asm(OP " %0, %1, %2;" : "=" C(r) : C(a), C(b));                                                      \
        return r;                                                                                            \
    }
#define __WF_3(NAME, T, C, OP)                                                                               \
    __wf_fn T NAME(T a, T b, T c)                                                                            \
    {                                                                                                        \
        T r;                                                                                                 \
        asm(OP " %0, %1, %2, %3;" : "=" C(r) : C(a), C(b), C(c));                                            \
        return r;                                                                                            \
    }
#define __WF_SUBTRACT(ADD, SUB, T)                                                                           \
    __wf_fn T SUB(T a, T b) { return ADD(a, -b); }
#define __WF_ROUNDINGS(PREFIX, T, C, TYPE, SHORT, PTX)                                                       \
    __WF_2(PREFIX##add_##SHORT, T, C, "add." PTX "." TYPE)                                                   \
    __WF_SUBTRACT(PREFIX##add_##SHORT, PREFIX##sub_##SHORT, T)                                               \
    __WF_2(PREFIX##mul_##SHORT, T, C, "mul." PTX "." TYPE)                                                   \
    __WF_2(PREFIX##div_##SHORT, T, C, "div." PTX "." TYPE)                                                   \
    __WF_1(PREFIX##rcp_##SHORT, T, C, "rcp." PTX "." TYPE)                                                   \
    __WF_1(PREFIX##sqrt_##SHORT, T, C, "sqrt." PTX "." TYPE)
__WF_ROUNDINGS(__f, float, "f", "f32", rn, "rn")
__WF_ROUNDINGS(__f, float, "f", "f32", rz, "rz")
__WF_ROUNDINGS(__f, float, "f", "f32", ru, "rp")
__WF_ROUNDINGS(__f, float, "f", "f32", rd, "rm")
__WF_ROUNDINGS(__d, double, "d", "f64", rn, "rn")
__WF_ROUNDINGS(__d, double, "d", "f64", rz, "rz")
__WF_ROUNDINGS(__d, double, "d", "f64", ru, "rp")
__WF_ROUNDINGS(__d, double, "d", "f64", rd, "rm")
#undef __WF_ROUNDINGS
#undef __WF_SUBTRACT
__WF_3(__fmaf_rn, float, "f", "fma.rn.f32")
__WF_3(__fmaf_rz, float, "f", "fma.rz.f32")
__WF_3(__fmaf_ru, float, "f", "fma.rp.f32")
__WF_3(__fmaf_rd, float, "f", "fma.rm.f32")
__WF_3(__fma_rn, double, "d", "fma.rn.f64")
__WF_3(__fma_rz, double, "d", "fma.rz.f64")
__WF_3(__fma_ru, double, "d", "fma.rp.f64")
__WF_3(__fma_rd, double, "d", "fma.rm.f64")

// One instruction each, in the ranges and to the errors that PTX gives them.
__wf_fn float __saturatef(float a) { return __nvvm_saturate_f(a); }
__wf_fn float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504f); }
__wf_fn float __exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.32192809f); }
__wf_fn float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
__wf_fn float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0.693147181f; }
__wf_fn float __log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.301029996f; }
__wf_fn float __powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
__WF_1(__sinf, float, "f", "sin.approx.f32")
__WF_1(__cosf, float, "f", "cos.approx.f32")
__WF_2(__fdividef, float, "f", "div.approx.f32")
// The double is close enough that no float rounds otherwise than the root itself does.
__wf_fn float __frsqrt_rn(float a) { return (float)__drcp_rn(__dsqrt_rn(a)); }
__wf_fn float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
__wf_fn void __sincosf(float a, float *sine, float *cosine)
{
    *sine = __sinf(a);
    *cosine = __cosf(a);
}
__wf_fn float fdividef(float a, float b) { return a / b; }
#undef __WF_1
#undef __WF_2
#undef __WF_3
