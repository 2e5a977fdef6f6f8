// Operands and references of expressions.def in C: the functions called by a row's `reference`.
#pragma once
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int32_t i32;
typedef uint32_t u32;
typedef long long i64;
typedef unsigned long long u64;
typedef uint16_t u16;
typedef float f32;
typedef double f64;
typedef long double ld;
// Of a float: no NaN (number). Of a double: no NaN (whole); from -80 to 80 (small); from -1 to 1 (unit).
typedef float number;
typedef double whole, small, unit;
typedef char none;

enum kind {
    KIND_i32,
    KIND_u32,
    KIND_i64,
    KIND_u64,
    KIND_u16,
    KIND_f32,
    KIND_f64,
    KIND_number,
    KIND_whole,
    KIND_small,
    KIND_unit,
    KIND_none
};
size_t values_size(enum kind kind);
// Pairs of edges first, then numbers of all sizes. `operand` is 0, 1 or 2.
void values_fill(enum kind kind, unsigned operand, void *values, size_t count);

static inline u32 bits32(f32 a)
{
    u32 r;
    memcpy(&r, &a, sizeof r);
    return r;
}
static inline u64 bits64(f64 a)
{
    u64 r;
    memcpy(&r, &a, sizeof r);
    return r;
}
static inline f32 float_of(u32 a)
{
    f32 r;
    memcpy(&r, &a, sizeof r);
    return r;
}
static inline f64 double_of(u64 a)
{
    f64 r;
    memcpy(&r, &a, sizeof r);
    return r;
}

// -- integers -----------------------------------------------------------------------------------------------
u64 reversed(u64 a, unsigned bits);
u32 byte_perm(u32 a, u32 b, u32 selector);
u32 nth_set(u32 mask, u32 base, int n);
u32 dot(i32 a, i32 b, unsigned count, bool is_signed);
u32 dot2(i32 a, i32 b, unsigned first, bool is_signed); // halfwords of a with bytes of b from `first` on
// A NaN loses to a number, and -0 is below 0.
f64 greater(f64 a, f64 b);
f64 lesser(f64 a, f64 b);
ld clamped(ld a, ld least, ld most); // NaN is 0

// The lanes of two words, one result a lane. p and q are the lanes in an expression.
u32 lanewise_1(u32 a, unsigned bits, char how);
u32 sum_of_differences(u32 a, u32 b, unsigned bits);
static inline i32 lane_of(u32 a, unsigned at, unsigned bits, bool is_signed)
{
    u32 lane = a >> at & (0xffffffffu >> (32 - bits));
    return is_signed && lane >> (bits - 1) ? (i32)(lane | ~0u << bits) : (i32)lane;
}
static inline i32 fit(i32 a, i32 least, i32 most) { return a < least ? least : a > most ? most : a; }
#define LANEWISE(BITS, SIGNED, RESULT)                                                                       \
    __extension__({                                                                                          \
        u32 lanes_ = 0;                                                                                      \
        for (unsigned at_ = 0; at_ < 32; at_ += BITS) {                                                      \
            i32 p = lane_of(a, at_, BITS, SIGNED), q = lane_of(b, at_, BITS, SIGNED);                        \
            lanes_ |= ((u32)(RESULT) & (0xffffffffu >> (32 - BITS))) << at_;                                 \
        }                                                                                                    \
        lanes_;                                                                                              \
    })

// -- roundings ----------------------------------------------------------------------------------------------
enum { ROUND_z = FE_TOWARDZERO, ROUND_u = FE_UPWARD, ROUND_d = FE_DOWNWARD };
f32 rounded_f32(ld a, char how); // 0 nearest, 'z', 'u', 'd'
f64 rounded_f64(ld a, char how);
// Value of an expression of x, y, w under a rounding mode of the processor.
#define TOWARDS(HOW, TYPE, EXPRESSION, A, B, C)                                                              \
    __extension__({                                                                                          \
        volatile TYPE x = (A), y = (B), w = (C), r_;                                                         \
        (void)y, (void)w;                                                                                    \
        fesetround(ROUND_##HOW);                                                                             \
        r_ = EXPRESSION;                                                                                     \
        fesetround(FE_TONEAREST);                                                                            \
        r_;                                                                                                  \
    })

f64 from_half(u16 bits);
u16 half_of(f64 a);
u16 half_towards(f64 a, char how);
f64 from_bfloat(u16 bits);
u16 bfloat_of(f64 a);
f64 odd_sum(f64 a, f64 b); // the last bit is set if the sum is inexact: a later rounding is then right

f32 flushed(f32 a); // a subnormal number becomes a zero of its sign

// -- functions ----------------------------------------------------------------------------------------------
f32 c_modff(f32 a, bool whole_part);
f32 c_frexpf(f32 a);
i32 c_frexp_exponent(f64 a);
i32 c_ilogb(f64 a);
f32 c_remquof(f32 a, f32 b);
i32 c_remquo_quotient(f32 a, f32 b);
ld sinpil(ld a);
ld cospil(ld a);
ld erfcxl(ld a);
ld erfinvl(ld a);
ld erfcinvl(ld a);
ld normcdfl(ld a);
ld normcdfinvl(ld a);

// -- warps and blocks of 128: as holds the operands of all threads, i is the thread's number ----------------
u32 ballot_of(const i32 *as, size_t i);          // above zero
u32 match_of(const i32 *as, size_t i, i32 mask); // equal in the bits of mask
u32 match_of_long(const i64 *as, size_t i, i64 mask);
i32 reduced(const i32 *as, size_t i, char how); // + < | ^; U: the greatest, unsigned
i32 block_count(const i32 *as, size_t i);       // above zero
i32 least_of_eight(const i32 *as, size_t i);
f32 warp_sum(const u16 *as, size_t i); // of the low bytes
