// Elementary functions in single precision. Method: range reduction to where a polynomial of a few terms, or
// the hardware's power of two, is good, with the constants in two or three parts so that the reduction is
// exact (Cody and Waite 1980; Payne and Hanek 1983 for large angles). The polynomials were fitted on
// Chebyshev nodes to the intervals named. Errors are measured by tests/kernels/test_device_header.c.
#pragma once
#include "math_basic.h"

// c0 + z (c1 + z (c2 + …
template <typename T> __wf_fn T __wf_polynomial(T, T c) { return c; }
template <typename T, typename... More> __wf_fn T __wf_polynomial(T z, T c, More... more)
{
    return __builtin_fma(z, __wf_polynomial(z, more...), c);
}
__wf_fn float __wf_polynomial(float, float c) { return c; }
template <typename... More> __wf_fn float __wf_polynomial(float z, float c, More... more)
{
    return __builtin_fmaf(z, __wf_polynomial(z, more...), c);
}

__wf_fn float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }

// -- powers -------------------------------------------------------------------------------------------------
// 2^(high + low) for |low| far below one. The whole part goes into the exponent; what the exponent has no
// room for stays in the fraction, whose power of two then overflows or vanishes as it must.
__wf_fn float __wf_exp2(float whole_of, float high, float low, int shift)
{
    float n = rintf(fminf(fmaxf(whole_of, -125.0f), 125.0f));
    float fraction = (high - n) + low;
    return __nvvm_ex2_approx_f(fraction) * __wf_power<float>((int)n + shift);
}
// e^a 2^shift; log2(e) in two parts.
__wf_fn float __wf_exp(float a, float log2_high, float log2_low, int shift)
{
    float n = rintf(fminf(fmaxf(a * log2_high, -125.0f), 125.0f));
    float fraction = fmaf(a, log2_high, -n);
    return __nvvm_ex2_approx_f(fmaf(a, log2_low, fraction)) * __wf_power<float>((int)n + shift);
}
__wf_fn float expf(float a) { return __wf_exp(a, 1.44269502f, 1.92596303e-08f, 0); }
__wf_fn float exp10f(float a) { return __wf_exp(a, 3.32192802f, 7.05953696e-08f, 0); }
__wf_fn float exp2f(float a) { return __nvvm_ex2_approx_f(a); }

// On half of ln 2 to either side; 2^n (e^r - 1) + (2^n - 1), at half the size so that 2^128 is a number.
__wf_fn float expm1f(float a)
{
    float clamped = a < -30.0f ? -30.0f : a;
    float n = rintf(fminf(clamped * 1.44269502f, 128.0f));
    float high = fmaf(n, -0.693147182f, clamped), low = n * 1.90465421e-09f, r = high + low;
    float p =
        __wf_polynomial(r, 0.5f, 0.16666667f, 0.041666456f, 0.0083333105f, 0.0013934541f, 0.0001989198f);
    float rest = fmaf(r * r, p, low), half = __wf_power<float>((int)n - 1);
    float base = fmaf(half, high, half - 0.5f), lost = fmaf(half, high, (half - 0.5f) - base);
    float sum = 2.0f * (base + fmaf(half, rest, lost));
    return copysignf(n == 0.0f ? a + rest : a > 89.0f ? __WF_INFINITY : sum, a);
}

// -- logarithms ---------------------------------------------------------------------------------------------
// a = 2^n (1 + f) with 1 + f from sqrt(1/2) to sqrt(2).
__wf_fn float __wf_split(float a, float *f)
{
    float n = 0.0f;
    if (a < 1.17549435e-38f) {
        a *= 8388608.0f;
        n = -23.0f;
    }
    int bits = __float_as_int(a), exponent = (bits - 0x3f3504f3) >> 23;
    *f = __int_as_float(bits - (int)((unsigned)exponent << 23)) - 1.0f;
    return n + (float)exponent;
}
// log(1 + f) - f
__wf_fn float __wf_log1p_rest(float f)
{
    float p = __wf_polynomial(f, 0.33333334f, -0.2499999f, 0.20000009f, -0.1666801f, 0.14286555f,
                              -0.12450568f, 0.11037004f, -0.10646932f, 0.10536705f, -0.06207174f);
    return f * f * fmaf(p, f, -0.5f);
}
// The logarithm of zero, infinities, negative numbers and NaN; of all others what was computed.
__wf_fn float __wf_log_ends(float a, float otherwise)
{
    if (a == 0.0f) return -__WF_INFINITY;
    if (a < 0.0f) return __WF_NAN;
    return __wf_isfinite(a) ? otherwise : a + a;
}
__wf_fn float logf(float a)
{
    float f, n = __wf_split(a, &f);
    return __wf_log_ends(a, fmaf(n, 0.693147182f, f + fmaf(n, -1.90465421e-09f, __wf_log1p_rest(f))));
}
// log2(e) f as a sum: the rest is smaller, and so are its errors.
__wf_fn float log2f(float a)
{
    float f, n = __wf_split(a, &f);
    float high = __fmul_rn(f, 1.44269502f), low = fmaf(f, 1.92596303e-08f, fmaf(f, 1.44269502f, -high));
    return __wf_log_ends(a, n + (high + fmaf(__wf_log1p_rest(f), 1.44269504f, low)));
}
__wf_fn float log10f(float a)
{
    float f, n = __wf_split(a, &f);
    float rest = fmaf(__wf_log1p_rest(f), 0.434294482f, fmaf(f, -1.010305e-08f, n * -1.43209889e-08f));
    return __wf_log_ends(a, fmaf(n, 0.30103001f, fmaf(f, 0.434294492f, rest)));
}
// What is lost in 1 + a is put back, at the scale of the fraction.
__wf_fn float log1pf(float a)
{
    float u = 1.0f + a, f, n = __wf_split(u, &f);
    float lost = a > 1.0f ? 1.0f - (u - a) : a - (u - 1.0f);
    float low = lost * __wf_power<float>((int)fmaxf(-n, -126.0f)) / (1.0f + f);
    if (a > -0.29f && a < 0.41f) {
        n = 0.0f;
        f = a;
        low = 0.0f;
    }
    float rest = fmaf(n, -1.90465421e-09f, __wf_log1p_rest(f) + low);
    float r = fmaf(n, 0.693147182f, f + rest);
    return a == 0.0f ? a : __wf_log_ends(u, r);
}

// |a|^b. log2 |a| as the sum of two floats: 2/ln 2 artanh((m - 1) / (m + 1)), the quotient and its rest.
__wf_large float __wf_pow(float a, float b)
{
    float f, n = __wf_split(a, &f);
    float sum = f + 2.0f, sum_low = f - (sum - 2.0f);
    float s = f / sum, s_low = fmaf(-s, sum_low, fmaf(-s, sum, f)) / sum, z = s * s;
    float cubic = s * z * __wf_polynomial(z, 0.6666667f, 0.40000123f, 0.28550804f, 0.23330964f);
    float log_low = fmaf(2.0f, s_low, cubic), high = fmaf(2.0f, s, log_low);
    log_low = fmaf(2.0f, s, -high) + log_low;
    float t = __fmul_rn(high, 1.44269502f);
    float t_low = fmaf(log_low, 1.44269502f, fmaf(high, 1.92596303e-08f, fmaf(high, 1.44269502f, -t)));
    float log2_high = __fadd_rn(n, t), log2_low = n == 0.0f ? t_low : (t - (log2_high - n)) + t_low;
    float product = b * log2_high;
    float product_low = fmaf(b, log2_low, fmaf(b, log2_high, -product));
    if (!(fabsf(product) < 300.0f)) {
        product = copysignf(300.0f, product);
        product_low = 0.0f;
    }
    return __wf_exp2(product, product, product_low, 0);
}
// C's special cases of zeros, ones, infinities and NaN; `magnitude` is |a|^b.
template <typename T> __wf_fn T __wf_pow_ends(T a, T b, T magnitude, bool whole, bool odd)
{
    const T infinity = __WF_INFINITY;
    T size = a < 0 ? -a : a;
    if (a == 1 || b == 0) return 1;
    if (__wf_isnan(a) || __wf_isnan(b)) return a + b;
    if (__wf_isinf(b)) return size == 1 ? (T)1 : (size > 1) == (b > 0) ? infinity : (T)0;
    if (a == 0 || __wf_isinf(a))
        magnitude = (a == 0) == (b > 0) ? (T)0 : infinity;
    else if (a < 0 && !whole)
        return __WF_NAN;
    return __wf_signbit(a) && odd ? -magnitude : magnitude;
}
__wf_large float powf(float a, float b)
{
    float half = b * 0.5f;
    bool whole = truncf(b) == b, odd = whole && truncf(half) != half;
    return __wf_pow_ends(a, b, __wf_pow(fabsf(a), b), whole, odd);
}

// -- angles -------------------------------------------------------------------------------------------------
// The bits of 2/pi behind the point, behind 64 zeros.
static __constant__ const unsigned long long __wf_two_over_pi[] = {0,
                                                                   0xa2f9836e4e441529ull,
                                                                   0xfc2757d1f534ddc0ull,
                                                                   0xdb6295993c439041ull,
                                                                   0xfe5163abdebbc561ull,
                                                                   0xb7246e3a424dd2e0ull,
                                                                   0x06492eea09d1921cull,
                                                                   0xfe1deb1cb129a73eull,
                                                                   0xe88235f52ebb4484ull,
                                                                   0xe99c7026b45f7e41ull,
                                                                   0x3991d639835339f4ull,
                                                                   0x9c845f8bbdf9283bull,
                                                                   0x1ff897ffde05980full,
                                                                   0xef2f118b5a0a6d1full,
                                                                   0x6d367ecf27cb09b7ull,
                                                                   0x4f463f669e5fea2dull,
                                                                   0x7527bac7ebe5f17bull,
                                                                   0x3d0739f78a5292eaull,
                                                                   0x6bfb5fb11f8d5d08ull,
                                                                   0x56033046fc7b6babull,
                                                                   0xf0cfbc209af4361dull};

// 64 of those bits from `at` on.
__wf_fn unsigned long long __wf_two_over_pi_bits(int at)
{
    const unsigned long long *word = &__wf_two_over_pi[at >> 6];
    int shift = at & 63;
    return shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
}
// significand 2^exponent 2/pi: whole quarters of a turn modulo 4, and the rest, from -1/2 to 1/2, as a
// fraction of 2^64 in two words. Bits of 2/pi whose product is a multiple of four are not looked at.
__wf_large int __wf_quarters(unsigned long long significand, int exponent, long long *rest,
                             unsigned long long *rest_low)
{
    int at = exponent - 2 + 64;
    unsigned long long a = __wf_two_over_pi_bits(at), b = __wf_two_over_pi_bits(at + 64),
                       c = __wf_two_over_pi_bits(at + 128);
    unsigned long long low = significand * b, low_more = __umul64hi(significand, c);
    unsigned long long high = significand * a + __umul64hi(significand, b);
    low += low_more;
    high += low < low_more;
    *rest = (long long)(high << 2 | low >> 62);
    *rest_low = low << 2;
    return (int)(high >> 62) + (*rest < 0);
}
// a = quadrant pi/2 + the result.
__wf_large float __wf_reduce(float a, int *quadrant)
{
    if (fabsf(a) < 105615.0f) {
        // The parts of pi/2 are all positive and n is never -0, so that -0 stays -0.
        float n = (float)(*quadrant = __float2int_rn(a * 0.636619772f));
        return fmaf(n, -5.39030253e-15f, fmaf(n, -7.54978942e-08f, fmaf(n, -1.57079625f, a)));
    }
    *quadrant = 0;
    if (!__wf_isfinite(a)) return __WF_NAN;
    long long rest;
    unsigned long long rest_low;
    unsigned bits = __wf_magnitude(a);
    int n = __wf_quarters((bits & 0x7fffffu) | 0x800000u, (int)(bits >> 23) - 150, &rest, &rest_low);
    // The rest of zero point many zeros needs the second word.
    float high = (float)rest, low = (float)(rest - (long long)high) + (float)rest_low * 5.42101086e-20f;
    high *= 5.42101086e-20f;
    low *= 5.42101086e-20f;
    float r = fmaf(high, 1.57079637f, fmaf(high, -4.37113883e-08f, low * 1.57079637f));
    *quadrant = a < 0.0f ? -n : n;
    return a < 0.0f ? -r : r;
}
__wf_fn float __wf_sine(float r)
{
    float z = r * r;
    float cubed = fmaf(z, r, 0.0f); // +0 for -0
    return fmaf(cubed, __wf_polynomial(z, -0.16666664f, 0.008332737f, -0.00019585373f), r);
}
__wf_fn float __wf_cosine(float r, float low = 0.0f)
{
    float z = r * r;
    float p = fmaf(z, __wf_polynomial(z, 0.041666664f, -0.0013888291f, 2.454542e-05f), -0.5f);
    return low == 0.0f ? fmaf(z, p, 1.0f) : 1.0f + fmaf(z, p, fmaf(-r, low, -0.5f * fmaf(r, r, -z)));
}
__wf_fn float __wf_sine_of(float r, int quadrant)
{
    float value = quadrant & 1 ? __wf_cosine(r) : __wf_sine(r);
    return quadrant & 2 ? -value : value;
}
__wf_fn float sinf(float a)
{
    int quadrant;
    float r = __wf_reduce(a, &quadrant);
    return __wf_sine_of(r, quadrant);
}
__wf_fn float cosf(float a)
{
    int quadrant;
    float r = __wf_reduce(a, &quadrant);
    return __wf_sine_of(r, quadrant + 1);
}
__wf_fn void sincosf(float a, float *sine, float *cosine)
{
    int quadrant;
    float r = __wf_reduce(a, &quadrant);
    *sine = __wf_sine_of(r, quadrant);
    *cosine = __wf_sine_of(r, quadrant + 1);
}
__wf_fn float tanf(float a)
{
    int quadrant;
    float r = __wf_reduce(a, &quadrant), z = r * r;
    float t = fmaf(
        r * z,
        __wf_polynomial(z, 0.33333322f, 0.13334444f, 0.05376409f, 0.023215765f, 0.004985286f, 0.008331767f),
        r);
    return quadrant & 1 ? -1.0f / t : t;
}
// Turns are taken off before pi comes in, exactly; what the product with pi loses is added to its sine.
__wf_fn float __wf_sinpi(float a, int quadrant)
{
    float turn = fmaf(rintf(a * 0.5f), -2.0f, a), n = rintf(turn * 2.0f), part = fmaf(n, -0.5f, turn);
    float r = __fmul_rn(part, 3.14159274f), low = fmaf(part, -8.74227766e-08f, fmaf(part, 3.14159274f, -r));
    float z = r * r, cubed = z * r;
    float sine = r + fmaf(cubed, __wf_polynomial(z, -0.16666664f, 0.008332737f, -0.00019585373f), low);
    quadrant += (int)n;
    float value = quadrant & 1 ? __wf_cosine(r, low) : sine;
    return quadrant & 2 ? -value : value;
}
__wf_fn float sinpif(float a)
{
    return __wf_isinf(a) ? __WF_NAN : a == truncf(a) ? copysignf(0.0f, a) : __wf_sinpi(a, 0);
}
__wf_fn float cospif(float a) { return __wf_isinf(a) ? __WF_NAN : __wf_sinpi(a, 1) + 0.0f; }
__wf_fn void sincospif(float a, float *sine, float *cosine)
{
    *sine = sinpif(a);
    *cosine = cospif(a);
}

// -- arcs ---------------------------------------------------------------------------------------------------
// On 0 to 1.
__wf_fn float __wf_arc(float t)
{
    float z = t * t;
    float p = __wf_polynomial(z, -0.3333333f, 0.1999974f, -0.14278568f, 0.110337645f, -0.0865688f,
                              0.06250169f, -0.03587154f, 0.013507771f, -0.0023869972f);
    return fmaf(p * z, t, t);
}
__wf_fn float atanf(float a)
{
    float size = fabsf(a), arc = __wf_arc(size > 1.0f ? 1.0f / size : size);
    return copysignf(size > 1.0f ? 1.57079637f - (arc + 4.37113883e-08f) : arc, a);
}
__wf_fn float atan2f(float y, float x)
{
    float across = fabsf(x), up = fabsf(y), large = across > up ? across : up,
          small = across > up ? up : across;
    float quotient = large == 0.0f ? 0.0f : small == large ? 1.0f : small / large;
    float arc = __wf_arc(quotient);
    if (up > across) arc = 1.57079637f - (arc + 4.37113883e-08f);
    if (__wf_signbit(x)) arc = 3.14159274f - (arc + 8.74227766e-08f);
    return __wf_isnan(x) || __wf_isnan(y) ? x + y : copysignf(arc, y);
}
// asin(s) - s for s² = z up to 1/4.
__wf_fn float __wf_asin_rest(float s, float z)
{
    return s * z * __wf_polynomial(z, 0.16666673f, 0.07498855f, 0.04500138f, 0.026554542f, 0.038085025f);
}
__wf_fn float asinf(float a)
{
    float size = fabsf(a), half = fmaf(size, -0.5f, 0.5f), root = sqrtf(half);
    float low = root > 0.0f ? __fdividef(fmaf(-root, root, half), root) : 0.0f; // twice what the root lacks
    float rest = fmaf(2.0f, __wf_asin_rest(root, half), low) + 4.37113883e-08f;
    float near_one = fmaf(-2.0f, root, 1.57079637f) - rest;
    return copysignf(size > 1.0f   ? __WF_NAN
                     : size > 0.5f ? near_one
                                   : size + __wf_asin_rest(size, size * size),
                     a);
}
__wf_fn float acosf(float a)
{
    float size = fabsf(a), half = fmaf(size, -0.5f, 0.5f),
          arc = 2.0f * (sqrtf(half) + __wf_asin_rest(sqrtf(half), half));
    float middle = 1.57079637f - (a + __wf_asin_rest(a, a * a) + 4.37113883e-08f);
    return size <= 0.5f ? middle : a < 0.0f ? 3.14159274f - (arc + 8.74227766e-08f) : arc;
}

// -- hyperbolic functions -----------------------------------------------------------------------------------
__wf_fn float __wf_half_exp(float a) { return __wf_exp(a, 1.44269502f, 1.92596303e-08f, -1); }
__wf_fn float sinhf(float a)
{
    float size = fabsf(a), z = a * a, e = __wf_half_exp(size);
    float p = __wf_polynomial(z, 0.16666667f, 0.008333339f, 0.00019838102f, 2.8062802e-06f);
    return size < 1.0f ? fmaf(a * z, p, a) : copysignf(e - 0.25f / e, a);
}
__wf_fn float coshf(float a)
{
    float e = __wf_half_exp(fabsf(a));
    return e + 0.25f / e;
}
__wf_fn float tanhf(float a)
{
    float size = fabsf(a), z = a * a;
    float p = __wf_polynomial(z, -0.33333334f, 0.13333324f, -0.053964697f, 0.021818403f, -0.008526141f,
                              0.002526109f);
    float large = 1.0f - 2.0f / (__wf_exp(size, 2.88539004f, 3.85192606e-08f, 0) + 1.0f);
    return copysignf(size < 0.55f ? fmaf(size * z, p, size) : large, a);
}

// -- others -------------------------------------------------------------------------------------------------
// erf: odd on -1 to 1; further out log2(1 - erf) is smooth.
__wf_fn float erff(float a)
{
    float size = fabsf(a), t = size > 4.05f ? 4.05f : size, z = a * a;
    float p = __wf_polynomial(z, 0.128379166f, -0.37612626f, 0.11283594f, -0.026854211f, 0.0051890872f,
                              -0.00080168643f, 7.875875e-05f);
    float q = __wf_polynomial(t, 0.00045297318f, -1.6305455f, -0.91159683f, -0.1587488f, 0.038080014f,
                              -0.006852708f, 0.00085787236f, -6.605559e-05f, 2.3410312e-06f);
    return size < 1.0f ? fmaf(a, p, a) : copysignf(1.0f - __nvvm_ex2_approx_f(q), a);
}
__wf_fn float hypotf(float a, float b)
{
    float x = fabsf(a), y = fabsf(b), large = fmaxf(x, y), small = fminf(x, y);
    if (__wf_isinf(x) || __wf_isinf(y)) return __WF_INFINITY;
    if (__wf_isnan(x) || __wf_isnan(y)) return a + b;
    float t = large == 0.0f ? 0.0f : small / large;
    return large * sqrtf(fmaf(t, t, 1.0f));
}
