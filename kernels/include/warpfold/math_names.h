// C++'s overloads: sqrt(float) is sqrtf, isnan takes both types, a whole number counts as a double.
#pragma once
#include "math_special.h"
// <cmath> of the host declares constexpr functions of the same names; ours stand before them because they are
// a system header's.
#pragma clang system_header
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit

// double, where T is a whole number; where T and U are numbers.
template <bool, typename> struct __wf_if {
};
template <typename R> struct __wf_if<true, R> {
    typedef R type;
};
template <typename T> struct __wf_of_whole : __wf_if<__is_integral(T), double> {
};
template <typename T, typename U>
struct __wf_of_numbers : __wf_if<__is_arithmetic(T) && __is_arithmetic(U), double> {
};
#define __WF_OVERLOAD(NAME)                                                                                  \
    __wf_fn float NAME(float a) { return NAME##f(a); }                                                       \
    template <typename T> __wf_fn typename __wf_of_whole<T>::type NAME(T a) { return NAME((double)a); }
#define __WF_OVERLOAD_2(NAME)                                                                                \
    __wf_fn float NAME(float a, float b) { return NAME##f(a, b); }                                           \
    template <typename T, typename U> __wf_fn typename __wf_of_numbers<T, U>::type NAME(T a, U b)            \
    {                                                                                                        \
        return NAME((double)a, (double)b);                                                                   \
    }
#define __WF_MATH_1(X)                                                                                       \
    X(sqrt)                                                                                                  \
    X(exp)                                                                                                   \
    X(exp2)                                                                                                  \
    X(expm1)                                                                                                 \
    X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)    \
        X(asinh) X(acosh) X(atanh) X(cbrt) X(erf) X(erfc) X(tgamma) X(lgamma) X(floor) X(ceil) X(trunc)      \
            X(rint) X(nearbyint) X(round) X(fabs) X(logb)
#define __WF_MATH_2(X)                                                                                       \
    X(pow) X(atan2) X(hypot) X(fmod) X(remainder) X(copysign) X(fmin) X(fmax) X(fdim) X(nextafter)
__WF_MATH_1(__WF_OVERLOAD)
__WF_MATH_2(__WF_OVERLOAD_2)
// CUDA's own, which C does not have.
__WF_OVERLOAD(rsqrt)
__WF_OVERLOAD(rcbrt)
__WF_OVERLOAD(exp10)
__WF_OVERLOAD(sinpi)
__WF_OVERLOAD(cospi)
__WF_OVERLOAD(erfcx)
__WF_OVERLOAD(erfinv)
__WF_OVERLOAD(erfcinv)
__WF_OVERLOAD(normcdf)
__WF_OVERLOAD(normcdfinv)
#undef __WF_OVERLOAD
#undef __WF_OVERLOAD_2
__wf_fn float pow(float a, int b) { return powf(a, (float)b); }
__wf_fn double pow(double a, int b) { return pow(a, (double)b); }
__wf_fn float fma(float a, float b, float c) { return fmaf(a, b, c); }
__wf_fn float ldexp(float a, int n) { return ldexpf(a, n); }
__wf_fn float scalbn(float a, int n) { return scalbnf(a, n); }
__wf_fn float scalbln(float a, long n) { return scalblnf(a, n); }
__wf_fn float frexp(float a, int *exponent) { return frexpf(a, exponent); }
__wf_fn float modf(float a, float *whole) { return modff(a, whole); }
__wf_fn float remquo(float a, float b, int *quotient) { return remquof(a, b, quotient); }
__wf_fn int ilogb(float a) { return ilogbf(a); }
__wf_fn long lrint(float a) { return lrintf(a); }
__wf_fn long lround(float a) { return lroundf(a); }
__wf_fn long long llrint(float a) { return llrintf(a); }
__wf_fn long long llround(float a) { return llroundf(a); }
__wf_fn void sincos(float a, float *sine, float *cosine) { sincosf(a, sine, cosine); }
#define __WF_CLASS(NAME)                                                                                     \
    __wf_fn bool NAME(float a) { return __wf_##NAME(a); }                                                    \
    __wf_fn bool NAME(double a) { return __wf_##NAME(a); }
#define __WF_CLASSES(X) X(isnan) X(isinf) X(isfinite) X(isnormal) X(signbit)
__WF_CLASSES(__WF_CLASS)
#undef __WF_CLASS

// Under their names of the standard library as well.
namespace std
{
#define __WF_USING(NAME) using ::NAME;
__WF_MATH_1(__WF_USING)
__WF_MATH_2(__WF_USING)
__WF_CLASSES(__WF_USING)
using ::abs;
using ::fma;
using ::frexp;
using ::ilogb;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::remquo;
using ::scalbln;
using ::scalbn;
#undef __WF_USING
} // namespace std
#undef __WF_CLASSES
#undef __WF_MATH_1
#undef __WF_MATH_2
