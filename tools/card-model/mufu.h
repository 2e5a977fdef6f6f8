// MUFU of an H100 bit for bit: tables of silicon/h100/values/mufu.csv, integers alone.
//
//   value = c0 2^-40 + c1 2^-24 X + c2 2^-24 S(X),   X = x / 2^17, the fraction of a segment
//
// S is X squared without the partial products below 2^-15: bit i of x gives 2^(2i), bits i < j give 2^(i+j+1), terms
// below 2^19 are left out. Sums are exact; results are cut toward zero to 24 bits.
//
//   table           argument                       segments           result
//   rcp             1.f                            128                1 / 1.f
//   rsqrt_even/odd  1.f of an even, odd exponent   64                 1 / sqrt; exactly 1 for powers of 4
//   sqrt_even/odd   the same                       64                 square root
//   ex2             fraction of x, 23 bits         64                 2^fraction
//   lg2             1.f                            64                 log2(1.f), 36 bits behind the point
//   sin             quarter turn, 23 bits          64                 sine
//   tanh_E          1.f of exponent E, -8 to 2     1, 2, 4, 8 or 16   tanh; bits below the segment's 17 are dropped
//
// A source that is subnormal counts as zero, a result below 2^-126 is zero (.ftz).
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mufu_segment {
    int64_t c0, c1, c2;
};
enum mufu_table {
    MUFU_RCP,
    MUFU_RSQRT_EVEN,
    MUFU_RSQRT_ODD,
    MUFU_SQRT_EVEN,
    MUFU_SQRT_ODD,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_SIN,
    MUFU_TANH, // exponent -8 to 2: eleven tables
    MUFU_TABLES = MUFU_TANH + 11
};
struct mufu {
    struct mufu_segment segments[MUFU_TABLES][128];
    int index_bits[MUFU_TABLES];
    int32_t square[1 << 17]; // S in units of 2^-15
};

#define MUFU_NAN      0x7fffffffu
#define MUFU_INFINITY 0x7f800000u

static inline uint32_t mufu_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float mufu_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int32_t mufu_square(uint32_t x)
{
    uint64_t sum = 0;
    for (int i = 0; i < 17; i++) {
        if (!(x >> i & 1)) continue;
        if (2 * i >= 19) sum += (uint64_t)1 << (2 * i);
        for (int j = i + 1; j < 17; j++)
            if ((x >> j & 1) && i + j + 1 >= 19) sum += (uint64_t)1 << (i + j + 1);
    }
    return (int32_t)(sum >> 19);
}

// Reads the tables; false if `path` is not mufu.csv.
static inline bool mufu_load(struct mufu *m, const char *path)
{
    static const char *const names[] = {"rcp",      "rsqrt_even", "rsqrt_odd", "sqrt_even",
                                        "sqrt_odd", "ex2",        "lg2",       "sin"};
    FILE *f = fopen(path, "r");
    char line[128], name[32];
    int count[MUFU_TABLES] = {0}, segment;
    long long c0, c1, c2;
    if (!f) return false;
    memset(m, 0, sizeof *m);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%31[^,],%d,%lld,%lld,%lld", name, &segment, &c0, &c1, &c2) != 5) continue;
        int table = 0;
        while (table < MUFU_TANH && strcmp(name, names[table]) != 0) table++;
        if (table == MUFU_TANH) table += atoi(name + strlen("tanh_")) + 8;
        if (table >= MUFU_TABLES || segment < 0 || segment >= 128) break;
        m->segments[table][segment] = (struct mufu_segment){c0, c1, c2};
        count[table]++;
    }
    fclose(f);
    for (int t = 0; t < MUFU_TABLES; t++) {
        if (count[t] == 0) return false;
        while (1 << m->index_bits[t] < count[t]) m->index_bits[t]++;
    }
    for (uint32_t x = 0; x < 1u << 17; x++) m->square[x] = mufu_square(x);
    return true;
}

// The value of a table at a fraction of 23 bits, in units of 2^-40.
static inline int64_t mufu_value(const struct mufu *m, enum mufu_table table, uint32_t fraction)
{
    int low = 23 - m->index_bits[table];
    struct mufu_segment s = m->segments[table][fraction >> low];
    uint32_t inside = fraction & ((1u << low) - 1),
             x = low >= 17 ? inside >> (low - 17) : inside << (17 - low);
    return s.c0 + s.c1 * (int64_t)x / 2 + 2 * s.c2 * m->square[x];
}

// n 2^(exponent - 40) cut toward zero to a float of this sign; `least`: the least exponent of a result that is not 0.
static inline uint32_t mufu_pack(uint64_t n, int exponent, uint32_t sign, int least)
{
    if (n == 0) return sign;
    int top = 63 - __builtin_clzll(n), e = top - 40 + exponent;
    uint32_t fraction = (uint32_t)(top >= 23 ? n >> (top - 23) : n << (23 - top)) & 0x7fffffu;
    if (e > 127) return sign | MUFU_INFINITY;
    return e < least ? sign : sign | (uint32_t)(e + 127) << 23 | fraction;
}

static inline uint32_t mufu_rcp_bits(const struct mufu *m, uint32_t x)
{
    uint32_t sign = x & 0x80000000u, a = x & 0x7fffffffu;
    if (a > MUFU_INFINITY) return MUFU_NAN;
    if (a == MUFU_INFINITY) return sign;
    if (a < 0x800000u) return sign | MUFU_INFINITY;
    return mufu_pack((uint64_t)mufu_value(m, MUFU_RCP, a & 0x7fffffu), 127 - (int)(a >> 23), sign, -126);
}

static inline uint32_t mufu_rsqrt_bits(const struct mufu *m, uint32_t x)
{
    uint32_t sign = x & 0x80000000u, a = x & 0x7fffffffu, fraction = a & 0x7fffffu;
    if (a > MUFU_INFINITY) return MUFU_NAN;
    if (a < 0x800000u) return sign | MUFU_INFINITY;
    if (sign) return MUFU_NAN;
    if (a == MUFU_INFINITY) return 0;
    int e = (int)(a >> 23) - 127, odd = e & 1;
    if (!odd && fraction == 0) return mufu_pack((uint64_t)1 << 40, -e / 2, 0, -126);
    return mufu_pack((uint64_t)mufu_value(m, odd ? MUFU_RSQRT_ODD : MUFU_RSQRT_EVEN, fraction),
                     -(e - odd) / 2, 0, -126);
}

static inline uint32_t mufu_sqrt_bits(const struct mufu *m, uint32_t x)
{
    uint32_t sign = x & 0x80000000u, a = x & 0x7fffffffu;
    if (a > MUFU_INFINITY) return MUFU_NAN;
    if (a < 0x800000u) return sign;
    if (sign) return MUFU_NAN;
    if (a == MUFU_INFINITY) return x;
    int e = (int)(a >> 23) - 127, odd = e & 1;
    return mufu_pack((uint64_t)mufu_value(m, odd ? MUFU_SQRT_ODD : MUFU_SQRT_EVEN, a & 0x7fffffu),
                     (e - odd) / 2, 0, -126);
}

// 2^x. x is cut to 23 bits behind the point; below zero the fraction's ones complement counts, unless it is 0.
static inline uint32_t mufu_ex2_bits(const struct mufu *m, uint32_t x)
{
    uint32_t a = x & 0x7fffffffu;
    bool negative = x >> 31;
    if (a > MUFU_INFINITY) return MUFU_NAN;
    int e = (int)(a >> 23) - 127;
    if (e >= 8) return negative ? 0 : MUFU_INFINITY;
    int64_t fixed = a < 0x800000u ? 0 : (a & 0x7fffff) | 0x800000;
    fixed = e >= 0 ? fixed << e : e < -24 ? 0 : fixed >> -e;
    if (negative) fixed = fixed & 0x7fffff ? ~fixed : -fixed;
    return mufu_pack((uint64_t)mufu_value(m, MUFU_EX2, fixed & 0x7fffff), (int)(fixed >> 23), 0, -126);
}

// A negative sum's magnitude is its ones complement.
static inline uint32_t mufu_lg2_bits(const struct mufu *m, uint32_t x)
{
    uint32_t a = x & 0x7fffffffu;
    if (a > MUFU_INFINITY) return MUFU_NAN;
    if (a < 0x800000u) return 0xff800000u;
    if (x >> 31) return MUFU_NAN;
    if (a == MUFU_INFINITY) return x;
    if (a == 0x3f800000u) return 0;
    int64_t n = ((int64_t)(a >> 23) - 127) * ((int64_t)1 << 40) + mufu_value(m, MUFU_LG2, a & 0x7fffffu);
    n >>= 4;
    return n < 0 ? mufu_pack((uint64_t)~n, 4, 0x80000000u, -126) : mufu_pack((uint64_t)n, 4, 0, -126);
}

// Sine (quarters 0) or cosine (1) of `turns`: 25 bits of a turn, odd quarters mirrored by the ones complement.
static inline uint32_t mufu_turns(const struct mufu *m, float turns, uint32_t quarters)
{
    uint32_t x = mufu_bits(turns), a = x & 0x7fffffffu;
    if (a >= MUFU_INFINITY) return MUFU_NAN;
    int shift = (int)(a >> 23) - 125;
    uint64_t fixed = a < 0x800000u ? 0 : (a & 0x7fffffu) | 0x800000u;
    fixed = shift >= 0 ? (shift > 40 ? 0 : fixed << shift) : (shift < -24 ? 0 : fixed >> -shift);
    uint32_t quarter = (uint32_t)(fixed >> 23) + quarters, fraction = fixed & 0x7fffff;
    uint32_t negative = (quarter >> 1 & 1) ^ (quarters ? 0 : x >> 31);
    int64_t n = mufu_value(m, MUFU_SIN, quarter & 1 ? 0x7fffff - fraction : fraction);
    return mufu_pack((uint64_t)n, 0, negative << 31, -126);
}

// sin.approx and cos.approx of radians: FMUL.RZ by 0.15915494, then MUFU.
static inline float mufu_to_turns(float radians)
{
    double exact = (double)radians * 0x1.45f306p-3;
    float x = (float)exact;
    return fabs((double)x) > fabs(exact) ? mufu_float(mufu_bits(x) - 1) : x;
}

static inline uint32_t mufu_sin_bits(const struct mufu *m, uint32_t x)
{
    return mufu_turns(m, mufu_to_turns(mufu_float(x)), 0);
}

static inline uint32_t mufu_cos_bits(const struct mufu *m, uint32_t x)
{
    return mufu_turns(m, mufu_to_turns(mufu_float(x)), 1);
}

static inline uint32_t mufu_tanh_bits(const struct mufu *m, uint32_t x)
{
    uint32_t sign = x & 0x80000000u, a = x & 0x7fffffffu;
    if (a > MUFU_INFINITY) return MUFU_NAN;
    if (a < 0x3b800000u) return x;
    if (a >= 0x41000000u) return sign | 0x3f800000u;
    enum mufu_table table = (enum mufu_table)(MUFU_TANH + (int)(a >> 23) - 119);
    return mufu_pack((uint64_t)mufu_value(m, table, a & 0x7fffffu), 0, sign, -126);
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 on high words: 20 bits of fraction in, cut to 20 bits out.
static inline uint32_t mufu_pack_high(int64_t n, int exponent, uint32_t sign)
{
    int top = 63 - __builtin_clzll((uint64_t)n), e = top - 40 + exponent;
    if (e > 1023) return sign | 0x7ff00000u;
    return e < -1022 ? sign : sign | (uint32_t)(e + 1023) << 20 | ((uint32_t)(n >> (top - 20)) & 0xfffffu);
}

static inline uint32_t mufu_rcp64h_bits(const struct mufu *m, uint32_t high)
{
    uint32_t sign = high & 0x80000000u, a = high & 0x7fffffffu;
    if (a > 0x7ff00000u) return MUFU_NAN;
    if (a == 0x7ff00000u) return sign;
    if (a < 0x100000u) return sign | 0x7ff00000u;
    return mufu_pack_high(mufu_value(m, MUFU_RCP, (a & 0xfffffu) << 3), 1023 - (int)(a >> 20), sign);
}

static inline uint32_t mufu_rsqrt64h_bits(const struct mufu *m, uint32_t high)
{
    uint32_t sign = high & 0x80000000u, a = high & 0x7fffffffu, fraction = (a & 0xfffffu) << 3;
    if (a > 0x7ff00000u) return MUFU_NAN;
    if (a < 0x100000u) return sign | 0x7ff00000u;
    if (sign) return MUFU_NAN;
    if (a == 0x7ff00000u) return 0;
    int e = (int)(a >> 20) - 1023, odd = e & 1;
    if (!odd && fraction == 0) return mufu_pack_high((int64_t)1 << 40, -e / 2, 0);
    return mufu_pack_high(mufu_value(m, odd ? MUFU_RSQRT_ODD : MUFU_RSQRT_EVEN, fraction), -(e - odd) / 2, 0);
}
