// What IEEE 754 defines to the bit: roots, multiply-add, rounding to whole numbers, remainders, exponents,
// neighbours, classes. In float and double, exact.
#pragma once
#include "rounded.h"

__wf_fn float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__wf_fn double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__wf_fn float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
__wf_fn double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
__wf_fn float fabsf(float a) { return __builtin_fabsf(a); }
__wf_fn double fabs(double a) { return __builtin_fabs(a); }
__wf_fn float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
__wf_fn double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
__wf_fn float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
__wf_fn double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
__wf_fn float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
__wf_fn double copysign(double a, double b) { return __builtin_copysign(a, b); }

// -- classes ------------------------------------------------------------------------------------------------
__wf_fn unsigned __wf_magnitude(float a) { return __wf_bits<unsigned>(a) & 0x7fffffffu; }
__wf_fn unsigned long long __wf_magnitude(double a)
{
    return __wf_bits<unsigned long long>(a) & 0x7fffffffffffffffull;
}
#define __WF_INFINITY __builtin_huge_valf()
#define __WF_NAN      __builtin_nanf("")
__wf_fn bool __wf_isnan(float a) { return a != a; }
__wf_fn bool __wf_isnan(double a) { return a != a; }
__wf_fn bool __wf_isinf(float a) { return __wf_magnitude(a) == 0x7f800000u; }
__wf_fn bool __wf_isinf(double a) { return __wf_magnitude(a) == 0x7ff0000000000000ull; }
__wf_fn bool __wf_isfinite(float a) { return __wf_magnitude(a) < 0x7f800000u; }
__wf_fn bool __wf_isfinite(double a) { return __wf_magnitude(a) < 0x7ff0000000000000ull; }
__wf_fn bool __wf_isnormal(float a) { return __wf_isfinite(a) && __wf_magnitude(a) >= 0x00800000u; }
__wf_fn bool __wf_isnormal(double a)
{
    return __wf_isfinite(a) && __wf_magnitude(a) >= 0x0010000000000000ull;
}
__wf_fn bool __wf_signbit(float a) { return __wf_bits<int>(a) < 0; }
__wf_fn bool __wf_signbit(double a) { return __wf_bits<long long>(a) < 0; }

// -- whole numbers ------------------------------------------------------------------------------------------
__wf_fn float floorf(float a) { return __builtin_floorf(a); }
__wf_fn double floor(double a) { return __builtin_floor(a); }
__wf_fn float ceilf(float a) { return __builtin_ceilf(a); }
__wf_fn double ceil(double a) { return __builtin_ceil(a); }
__wf_fn float truncf(float a) { return __builtin_truncf(a); }
__wf_fn double trunc(double a) { return __builtin_trunc(a); }
__wf_fn float rintf(float a) { return __builtin_rintf(a); } // to nearest even
__wf_fn double rint(double a) { return __builtin_rint(a); }
__wf_fn float nearbyintf(float a) { return rintf(a); }
__wf_fn double nearbyint(double a) { return rint(a); }
// Halves go away from zero: what was cut off is exact, so that comparing it decides.
__wf_fn float roundf(float a)
{
    float whole = truncf(a);
    return copysignf(fabsf(a - whole) >= 0.5f ? whole + copysignf(1.0f, a) : whole, a);
}
__wf_fn double round(double a)
{
    double whole = trunc(a);
    return copysign(fabs(a - whole) >= 0.5 ? whole + copysign(1.0, a) : whole, a);
}
__wf_fn long lrintf(float a) { return __float2ll_rn(a); }
__wf_fn long lrint(double a) { return __double2ll_rn(a); }
__wf_fn long long llrintf(float a) { return __float2ll_rn(a); }
__wf_fn long long llrint(double a) { return __double2ll_rn(a); }
__wf_fn long lroundf(float a) { return __float2ll_rz(roundf(a)); }
__wf_fn long lround(double a) { return __double2ll_rz(round(a)); }
__wf_fn long long llroundf(float a) { return __float2ll_rz(roundf(a)); }
__wf_fn long long llround(double a) { return __double2ll_rz(round(a)); }
__wf_fn float modff(float a, float *whole)
{
    *whole = truncf(a);
    return copysignf(__wf_isinf(a) ? 0.0f : a - *whole, a);
}
__wf_fn double modf(double a, double *whole)
{
    *whole = trunc(a);
    return copysign(__wf_isinf(a) ? 0.0 : a - *whole, a);
}
__wf_fn float fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
__wf_fn double fdim(double a, double b) { return a <= b ? 0.0 : a - b; }

// -- exponents ----------------------------------------------------------------------------------------------
template <typename T> struct __wf_format;
template <> struct __wf_format<float> {
    typedef unsigned word;
    static constexpr int fraction = 23, bias = 127;
};
template <> struct __wf_format<double> {
    typedef unsigned long long word;
    static constexpr int fraction = 52, bias = 1023;
};
// 2^n, of a normal number.
template <typename T> __wf_fn T __wf_power(int n)
{
    typedef __wf_format<T> f;
    return __wf_bits<T>((typename f::word)(n + f::bias) << f::fraction);
}
// A step downwards leaves room for the whole significand, so that only the last one rounds.
template <typename T> __wf_large T __wf_ldexp(T a, int n)
{
    const int most = __wf_format<T>::bias, least = 1 - most, keep = __wf_format<T>::fraction + 1;
    n = min(max(n, -5000), 5000);
    for (int i = 0; i < 2 && n > most; i++, n -= most) a *= __wf_power<T>(most);
    for (int i = 0; i < 2 && n < least; i++, n -= least + keep) a *= __wf_power<T>(least + keep);
    return a * __wf_power<T>(min(max(n, least), most));
}
// The exponent of a number that is neither zero nor infinite.
template <typename T> __wf_large int __wf_exponent(T a)
{
    typedef __wf_format<T> f;
    int tiny = 0;
    if (!__wf_isnormal(a)) {
        a *= __wf_power<T>(f::fraction + 1);
        tiny = f::fraction + 1;
    }
    return (int)(__wf_magnitude(a) >> f::fraction) - f::bias - tiny;
}
template <typename T> __wf_large T __wf_frexp(T a, int *exponent)
{
    *exponent = 0;
    if (a == 0 || !__wf_isfinite(a)) return a + a;
    *exponent = __wf_exponent(a) + 1;
    return __wf_ldexp(a, -*exponent);
}
template <typename T> __wf_large int __wf_ilogb(T a)
{
    if (a == 0 || __wf_isnan(a)) return -2147483647 - 1;
    return __wf_isinf(a) ? 2147483647 : __wf_exponent(a);
}
template <typename T> __wf_large T __wf_logb(T a)
{
    if (a == 0) return -__WF_INFINITY;
    return __wf_isfinite(a) ? (T)__wf_exponent(a) : a * a;
}
__wf_fn float ldexpf(float a, int n) { return __wf_ldexp(a, n); }
__wf_fn double ldexp(double a, int n) { return __wf_ldexp(a, n); }
__wf_fn float scalbnf(float a, int n) { return __wf_ldexp(a, n); }
__wf_fn double scalbn(double a, int n) { return __wf_ldexp(a, n); }
__wf_fn float scalblnf(float a, long n) { return __wf_ldexp(a, (int)min(max(n, -5000l), 5000l)); }
__wf_fn double scalbln(double a, long n) { return __wf_ldexp(a, (int)min(max(n, -5000l), 5000l)); }
__wf_fn float frexpf(float a, int *exponent) { return __wf_frexp(a, exponent); }
__wf_fn double frexp(double a, int *exponent) { return __wf_frexp(a, exponent); }
__wf_fn int ilogbf(float a) { return __wf_ilogb(a); }
__wf_fn int ilogb(double a) { return __wf_ilogb(a); }
__wf_fn float logbf(float a) { return __wf_logb(a); }
__wf_fn double logb(double a) { return __wf_logb(a); }

// -- neighbours ---------------------------------------------------------------------------------------------
// Numbers of one sign are ordered as their bits are.
template <typename T> __wf_large T __wf_next(T a, T b)
{
    typedef typename __wf_format<T>::word word;
    if (__wf_isnan(a) || __wf_isnan(b)) return a + b;
    if (a == b) return b;
    if (a == 0) return __wf_bits<T>((word)1 | (__wf_bits<word>(b) ^ __wf_magnitude(b)));
    word bits = __wf_bits<word>(a);
    return __wf_bits<T>(a < b == (a > 0) ? bits + 1 : bits - 1);
}
__wf_fn float nextafterf(float a, float b) { return __wf_next(a, b); }
__wf_fn double nextafter(double a, double b) { return __wf_next(a, b); }
__wf_fn float nanf(const char *) { return __WF_NAN; }
__wf_fn double nan(const char *) { return __WF_NAN; }

template <typename T> __wf_fn T __wf_size(T a)
{
    return __wf_bits<T>((typename __wf_format<T>::word)__wf_magnitude(a));
}

// -- remainders ---------------------------------------------------------------------------------------------
// Long division: |a| = quotient |b| + the result, as many bits of it at a time as a word has left. Of the
// quotient the low three bits are kept.
template <typename T> __wf_large T __wf_divide(T a, T b, unsigned *quotient)
{
    typedef __wf_format<T> f;
    const unsigned long long implied = 1ull << f::fraction;
    const int room = 63 - f::fraction;
    *quotient = 0;
    if (!(a >= b)) return a;
    unsigned long long x = __wf_magnitude(a), y = __wf_magnitude(b);
    int x_at = max((int)(x >> f::fraction), 1), y_at = max((int)(y >> f::fraction), 1);
    x = x >> f::fraction ? (x & (implied - 1)) | implied : x;
    y = y >> f::fraction ? (y & (implied - 1)) | implied : y;
    // Normalised, so that a quotient of one step is below twice its room.
    int lift = __clzll((long long)y) - room;
    y <<= lift;
    y_at -= lift;
    *quotient = (unsigned)(x / y) & 7;
    x %= y;
    while (x_at > y_at && x) {
        int step = min(x_at - y_at, room);
        x <<= step;
        *quotient = ((step > 2 ? 0 : *quotient << step) | (unsigned)(x / y)) & 7;
        x %= y;
        x_at -= step;
    }
    if (!x) {
        *quotient = x_at > y_at + 2 ? 0 : *quotient << (x_at - y_at) & 7;
        return 0;
    }
    // Below b, at b's exponent: exact.
    return __wf_ldexp((T)x, y_at - f::bias - f::fraction);
}
template <typename T> __wf_large T __wf_fmod(T a, T b)
{
    if (__wf_isnan(a) || __wf_isnan(b) || __wf_isinf(a) || b == 0) return __WF_NAN;
    unsigned quotient;
    T r = __wf_isinf(b) ? __wf_size(a) : __wf_divide(__wf_size(a), __wf_size(b), &quotient);
    return __wf_signbit(a) ? -r : r;
}
// To the nearest multiple, of two the even one.
template <typename T> __wf_large T __wf_remquo(T a, T b, int *quotient)
{
    *quotient = 0;
    if (__wf_isnan(a) || __wf_isnan(b) || __wf_isinf(a) || b == 0) return __WF_NAN;
    if (__wf_isinf(b)) return a;
    T x = __wf_size(a), y = __wf_size(b);
    unsigned q;
    T r = __wf_divide(x, y, &q);
    T rest = y - r;
    if (r > rest || (r == rest && (q & 1))) {
        r = r - y;
        q++;
    }
    q &= 7;
    *quotient = __wf_signbit(a) != __wf_signbit(b) ? -(int)q : (int)q;
    return __wf_signbit(a) ? -r : r;
}
__wf_fn float fmodf(float a, float b) { return __wf_fmod(a, b); }
__wf_fn double fmod(double a, double b) { return __wf_fmod(a, b); }
__wf_fn float remquof(float a, float b, int *quotient) { return __wf_remquo(a, b, quotient); }
__wf_fn double remquo(double a, double b, int *quotient) { return __wf_remquo(a, b, quotient); }
__wf_fn float remainderf(float a, float b)
{
    int quotient;
    return __wf_remquo(a, b, &quotient);
}
__wf_fn double remainder(double a, double b)
{
    int quotient;
    return __wf_remquo(a, b, &quotient);
}
