// The special-function unit without the host's math library: IEEE additions, multiplications, divisions and
// square roots in a fixed order, with the same bits on every build and host. The functions have no branches,
// so loops over lanes vectorise.
//
//   function   error expected from the method          PTX ISA allows for .approx.f32
//   RCP SQRT   correctly rounded                       1 ulp, 2^-23 relative
//   RSQ        2^-23 relative (two roundings)          2^-22.9 relative
//   EX2        about 1 ulp                             2^-22.5 relative
//   LG2        about 1.5 ulp                           2^-22.6 absolute, 2^-22 relative
//   SIN COS    2^-22 absolute in [-2 pi, 2 pi]         2^-20.5 absolute
//   TANH       2^-21 relative                          2^-11 relative
//
// Subnormal operands and results are kept; .ftz is the instruction's business. Coefficients are Chebyshev
// fits.
#pragma once
#include "base/bits.h"

#include <math.h>

static inline float mufu_rcp(float x) { return 1.0f / x; }
static inline float mufu_sqrt(float x) { return __builtin_sqrtf(x); }
static inline float mufu_rsq(float x) { return 1.0f / __builtin_sqrtf(x); }

// 2^x = 2^n * 2^f with n whole, |f| <= 1/2. Adding 1.5 * 2^23 to x rounds x to a whole number in the low
// bits. For x < -126 (subnormal result), the result is the square of 2^(x/2).
static inline float mufu_ex2(float x)
{
    const float round = 0x1.8p23f;
    bool tiny = x < -126.0f;
    float c = tiny ? x * 0.5f : x;
    c = c < -126.0f ? -126.0f : c;
    c = c > 129.0f ? 129.0f : c;
    float shifted = c + round, n = shifted - round, f = c - n;
    int32_t whole = (int32_t)(f32_bits(shifted) - f32_bits(round));
    whole = x == x ? whole : 0;
    float q = 0x1.44138ap-13f;
    q = q * f + 0x1.5f089p-10f;
    q = q * f + 0x1.3b2a54p-7f;
    q = q * f + 0x1.c6af6cp-5f;
    q = q * f + 0x1.ebfbep-3f;
    q = q * f + 0x1.62e43p-1f;
    float p = q * f + 1.0f;
    int32_t half = whole >> 1; // in two steps, up to infinity
    float s1 = f32_from_bits((uint32_t)(half + 127) << 23),
          s2 = f32_from_bits((uint32_t)(whole - half + 127) << 23);
    float r = p * s1 * s2;
    return tiny ? r * r : r;
}

// log2(x) = e + log2(1 + f), 1 + f in [sqrt(1/2), sqrt(2)). Subnormals are scaled by 2^24, and their
// logarithm is rounded before the subtraction of 24.
static inline float mufu_lg2(float x)
{
    bool tiny = x < 0x1p-126f;
    float scaled = tiny ? x * 0x1p24f : x;
    uint32_t bits = f32_bits(scaled);
    int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23;
    float f = f32_from_bits(bits - ((uint32_t)e << 23)) - 1.0f;
    float p = -0x1.b84fb6p-4f;
    p = p * f + 0x1.7a63ap-3f;
    p = p * f - 0x1.87f6a2p-3f;
    p = p * f + 0x1.a38c68p-3f;
    p = p * f - 0x1.eab7aap-3f;
    p = p * f + 0x1.277a52p-2f;
    p = p * f - 0x1.715a7p-2f;
    p = p * f + 0x1.ec70aap-2f;
    p = p * f - 0x1.71547p-1f;
    p = p * f + 0x1.715476p+0f;
    float r = (float)e + f * p;
    r = tiny ? r - 24.0f : r;
    r = x == 0.0f ? -INFINITY : r;
    r = x < 0.0f ? NAN : r;
    return x < INFINITY ? r : x; // +inf and NaN
}

// Sine of x plus `quarters` quarter turns (1: cosine of x). x = k pi/2 + r with k whole, |r| <= pi/4. The
// product of k and the head of pi/2 is exact for |k| < 2^20, far beyond PTX's range of stated accuracy;
// larger arguments give a value between -1 and 1.
static inline float mufu_sine(float x, uint32_t quarters)
{
    const double round = 0x1.8p52;
    double wide = x, shifted = wide * 0x1.45f306dc9c883p-1 + round, k = shifted - round;
    double reduced = wide - k * 0x1.921fb544p+0 - k * 0x1.0b4611a626331p-34;
    reduced = reduced > 0.8 ? 0.8 : reduced;
    reduced = reduced < -0.8 ? -0.8 : reduced;
    uint32_t quadrant = (uint32_t)f64_bits(shifted) + quarters;
    float r = (float)reduced, t = r * r;
    float s = (-0x1.9ab9cep-13f * t + 0x1.110c0cp-7f) * t - 0x1.555552p-3f;
    float sine = r + r * t * s;
    float c = (0x1.9bcbep-16f * t - 0x1.6c12bcp-10f) * t + 0x1.555554p-5f;
    float cosine = 1.0f - t * 0.5f + t * t * c;
    float y = quadrant & 1 ? cosine : sine;
    return f32_from_bits(f32_bits(y) ^ (quadrant & 2) << 30);
}
static inline float mufu_sin(float x) { return mufu_sine(x, 0); }
static inline float mufu_cos(float x) { return mufu_sine(x, 1); }

static inline float mufu_tanh(float x)
{
    float a = f32_from_bits(f32_bits(x) & 0x7fffffffu), t = a * a;
    float p = 0x1.190ccap-6f;
    p = p * t - 0x1.b2ed9ap-5f;
    p = p * t + 0x1.10f4dap-3f;
    p = p * t - 0x1.555532p-2f;
    float small = a + a * t * p;
    float large = 1.0f - 2.0f / (mufu_ex2(a * 0x1.715476p+1f) + 1.0f);
    float y = a < 0.55f ? small : large;
    return f32_from_bits(f32_bits(y) | (f32_bits(x) & 0x80000000u));
}

// Functions on the high word of a double with a low word of zero; subnormals are flushed (PTX's
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64).
static inline uint32_t mufu_high_word(double y)
{
    uint32_t high = (uint32_t)(f64_bits(y) >> 32);
    return y == y ? (high & 0x7ff00000u ? high : high & 0x80000000u) : 0x7fffffffu;
}
static inline double mufu_from_high_word(uint32_t high)
{
    return f64_from_bits((uint64_t)(high & 0x7ff00000u ? high : high & 0x80000000u) << 32);
}
static inline uint32_t mufu_rcp64h(uint32_t high) { return mufu_high_word(1.0 / mufu_from_high_word(high)); }
static inline uint32_t mufu_rsq64h(uint32_t high)
{
    return mufu_high_word(1.0 / __builtin_sqrt(mufu_from_high_word(high)));
}
