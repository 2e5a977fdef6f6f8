// Vectors of lanes, with the same names for every instruction set. The including file is compiled once per
// instruction set (rules.mk), with
//
//   FAST_BITS    128: any processor (SSE2 on x86, else the compiler's generic vectors)
//                256: AVX2, FMA and F16C     512: AVX-512 F, BW, DQ, VL
//   FAST_LANES   32 or 64, lanes of a warp
//   FAST_ROLLED  defined: operations loop over the vectors of a register; undefined: the loops are unrolled
//
// A vector holds VECTOR_LANES words; a register of a warp is VECTORS vectors. `vm` is a mask over one vector:
// bits on processors with mask registers, all-ones words elsewhere. Every operation is exact or rounded once,
// so every build gives the same bits; operations made of several instructions say how.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { VECTOR_LANES = FAST_BITS / 32, VECTORS = FAST_LANES / VECTOR_LANES, REGISTER_BYTES = 4 * FAST_LANES };

#define VECTOR_OF(type) type __attribute__((vector_size(FAST_BITS / 8), may_alias))
typedef VECTOR_OF(uint32_t) vu;
typedef VECTOR_OF(int32_t) vi;
typedef VECTOR_OF(float) vf;
typedef VECTOR_OF(uint64_t) vu64; // half as many lanes
typedef VECTOR_OF(int64_t) vi64;
typedef VECTOR_OF(double) vd;

#if FAST_LANES == 64
typedef uint64_t lanes_t;
#else
typedef uint32_t lanes_t;
#endif

#define ALL_LANES ((lanes_t) ~(lanes_t)0)
#define PRAGMA(x) _Pragma(#x)
#if defined(__clang__) && defined(FAST_ROLLED)
#define EACH_VECTOR(k) PRAGMA(clang loop unroll(disable)) for (unsigned k = 0; k < VECTORS; k++)
#elif defined(FAST_ROLLED)
#define EACH_VECTOR(k) PRAGMA(GCC unroll 1) for (unsigned k = 0; k < VECTORS; k++)
#elif defined(__clang__)
#define EACH_VECTOR(k) PRAGMA(clang loop unroll(full)) for (unsigned k = 0; k < VECTORS; k++)
#else
#define EACH_VECTOR(k) PRAGMA(GCC unroll 16) for (unsigned k = 0; k < VECTORS; k++)
#endif

static inline vu simd_load(const uint8_t *p, unsigned k)
{
    return *(const vu *)(const void *)(p + k * sizeof(vu));
}
static inline void simd_store(uint8_t *p, unsigned k, vu v) { *(vu *)(void *)(p + k * sizeof(vu)) = v; }
static inline vu simd_load_anywhere(const uint8_t *p)
{
    vu v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void simd_store_anywhere(uint8_t *p, vu v) { memcpy(p, &v, sizeof v); }
static inline vu splat(uint32_t x) { return x - (vu){0}; }
static inline vf splat_float(float x) { return x - (vf){0}; }

static inline bool is_zero(vu x)
{
#if FAST_BITS == 512
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) == 0;
#elif FAST_BITS == 256
    return _mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    vu64 y = (vu64)x;
    return (y[0] | y[1]) == 0;
#endif
}

#if FAST_BITS == 512
typedef __mmask16 vm;
static inline unsigned mask_bits(vm m) { return m; }
static inline vu choose(vm m, vu yes, vu no)
{
    return (vu)_mm512_mask_blend_epi32(m, (__m512i)no, (__m512i)yes);
}
static inline void simd_store_masked(uint8_t *p, unsigned k, vm m, vu v)
{
    _mm512_mask_store_epi32(p + k * sizeof(vu), m, (__m512i)v);
}
#define COMPARE_INT(name, avx512, operation, type)                                                           \
    static inline vm name(vu a, vu b) { return avx512((__m512i)a, (__m512i)b); }
#define COMPARE_FLOAT(name, avx, operation)                                                                  \
    static inline vm name(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, avx); }
static inline vm mask_and(vm a, vm b) { return a & b; }
static inline vm mask_or(vm a, vm b) { return a | b; }
static inline vm mask_not(vm a) { return (vm)~a; }
static inline vu mask_words(vm m) { return (vu)_mm512_movm_epi32(m); }
#else
typedef vi vm;
static inline unsigned mask_bits(vm m)
{
#if FAST_BITS == 256
    return (unsigned)_mm256_movemask_ps((__m256)m);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)m);
#else
    return (m[0] & 1u) | (m[1] & 2u) | (m[2] & 4u) | (m[3] & 8u);
#endif
}
static inline vu choose(vm m, vu yes, vu no)
{
#if FAST_BITS == 256
    return (vu)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)m);
#else
    return ((vu)m & yes) | (~(vu)m & no);
#endif
}
static inline void simd_store_masked(uint8_t *p, unsigned k, vm m, vu v)
{
    simd_store(p, k, choose(m, v, simd_load(p, k)));
}
#define COMPARE_INT(name, avx512, operation, type)                                                           \
    static inline vm name(vu a, vu b) { return (vm)((type)a operation(type) b); }
#if FAST_BITS == 256
#define COMPARE_FLOAT(name, avx, operation)                                                                  \
    static inline vm name(vf a, vf b) { return (vm)_mm256_cmp_ps((__m256)a, (__m256)b, avx); }
#else
#define COMPARE_FLOAT(name, avx, operation)                                                                  \
    static inline vm name(vf a, vf b) { return (vm)(operation); }
#endif
static inline vm mask_and(vm a, vm b) { return a & b; }
static inline vm mask_or(vm a, vm b) { return a | b; }
static inline vm mask_not(vm a) { return ~a; }
static inline vu mask_words(vm m) { return (vu)m; }
#endif

COMPARE_INT(equal, _mm512_cmpeq_epi32_mask, ==, vi)
COMPARE_INT(less_s, _mm512_cmplt_epi32_mask, <, vi)
COMPARE_INT(less_u, _mm512_cmplt_epu32_mask, <, vu)

static inline vu larger_u(vu a, vu b)
{
#if FAST_BITS == 512
    return (vu)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif FAST_BITS == 256
    return (vu)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
    return choose(less_u(a, b), b, a);
#endif
}

static inline vm at_least_u(vu a,
                            vu b) // a comparison of AVX2 is signed; with the maximum no inversion is left
{
#if FAST_BITS == 512
    return _mm512_cmpge_epu32_mask((__m512i)a, (__m512i)b);
#else
    return equal(larger_u(a, b), a);
#endif
}

// Quiet comparisons of floats, as in enum isa_cmp; the second half, from float_unordered on, is true for NaN.
COMPARE_FLOAT(float_lt, _CMP_LT_OQ, a < b)
COMPARE_FLOAT(float_eq, _CMP_EQ_OQ, a == b)
COMPARE_FLOAT(float_le, _CMP_LE_OQ, a <= b)
COMPARE_FLOAT(float_gt, _CMP_GT_OQ, a > b)
COMPARE_FLOAT(float_ne, _CMP_NEQ_OQ, (a < b) | (a > b))
COMPARE_FLOAT(float_ge, _CMP_GE_OQ, a >= b)
COMPARE_FLOAT(float_num, _CMP_ORD_Q, (a == a) & (b == b))
COMPARE_FLOAT(float_unordered, _CMP_UNORD_Q, (a != a) | (b != b))
COMPARE_FLOAT(float_ltu, _CMP_NGE_UQ, ~(a >= b))
COMPARE_FLOAT(float_equ, _CMP_EQ_UQ, ~((a < b) | (a > b)))
COMPARE_FLOAT(float_leu, _CMP_NGT_UQ, ~(a > b))
COMPARE_FLOAT(float_gtu, _CMP_NLE_UQ, ~(a <= b))
COMPARE_FLOAT(float_neu, _CMP_NEQ_UQ, a != b)
COMPARE_FLOAT(float_geu, _CMP_NLT_UQ, ~(a < b))

// The part of a warp's mask for vector k.
#if FAST_BITS == 512
static inline vm mask_part(uint64_t lanes, unsigned k) { return (vm)(lanes >> (k * VECTOR_LANES)); }
#else
static inline vm mask_part(uint64_t lanes, unsigned k)
{
    const unsigned first = k * VECTOR_LANES % 32;
#define LANE_BIT(n) (int32_t)(1u << (first + (n)))
#if FAST_BITS == 256
    const vi lane = {LANE_BIT(0), LANE_BIT(1), LANE_BIT(2), LANE_BIT(3),
                     LANE_BIT(4), LANE_BIT(5), LANE_BIT(6), LANE_BIT(7)};
#else
    const vi lane = {LANE_BIT(0), LANE_BIT(1), LANE_BIT(2), LANE_BIT(3)};
#endif
#undef LANE_BIT
    return (vm)(((vi)splat((uint32_t)(lanes >> (k * VECTOR_LANES / 32 * 32))) & lane) == lane);
}
#endif
static inline lanes_t mask_place(vm m, unsigned k) { return (lanes_t)mask_bits(m) << (k * VECTOR_LANES); }

// The lanes of a mask of every vector.
static inline lanes_t mask_lanes(const vm *m)
{
#if FAST_BITS == 256 && FAST_LANES == 32
    // Packed to a byte a lane, in each half of a vector: lanes 0 8 16 24, then 4 12 20 28, four lanes each.
    __m256i low = _mm256_packs_epi32((__m256i)m[0], (__m256i)m[1]);
    __m256i high = _mm256_packs_epi32((__m256i)m[2], (__m256i)m[3]);
    __m256i all = _mm256_packs_epi16(low, high), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (lanes_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(all, order));
#else
    lanes_t r = 0;
    EACH_VECTOR(k) r |= mask_place(m[k], k);
    return r;
#endif
}

// fma(a, b, c) rounded once.
#if FAST_BITS == 512
static inline vf fused(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
#elif FAST_BITS == 256
static inline vf fused(vf a, vf b, vf c) { return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
#else
// The product is exact in double. The sum is rounded to odd (Boldo and Melquiond 2008): an inexact sum
// becomes the neighbour with last bit one, chosen by the exact error of the addition (Knuth's TwoSum).
// Rounding the odd sum to 24 bits then equals rounding the exact value. A sum that is not finite needs no
// correction.
static inline float fused1(float x, float y, float z)
{
    double p = (double)x * (double)y, c = z, s = p + c;
    double t = s - p, error = (p - (s - t)) + (c - t);
    uint64_t bits;
    memcpy(&bits, &s, 8);
    if (error != 0 && !(bits & 1) && (bits >> 52 & 0x7ff) != 0x7ff)
        bits += (error > 0) == (s > 0) ? 1 : ~0ull;
    memcpy(&s, &bits, 8);
    return (float)s;
}
static inline vf fused(vf a, vf b, vf c)
{
    vf r;
    for (unsigned n = 0; n < VECTOR_LANES; n++) r[n] = fused1(a[n], b[n], c[n]);
    return r;
}
#endif

// PTX's canonical NaN.
static inline vu canonical(vf x) { return choose(float_unordered(x, x), splat(0x7fffffffu), (vu)x); }
