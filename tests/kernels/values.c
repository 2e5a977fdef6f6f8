// Operands and references of expressions.def, written from the C standard, IEEE 754 and CUDA's documentation.
#include "kernels/values.h"

#include "conformance/conformance.h"

#include <float.h>

// -- operands -----------------------------------------------------------------------------------------------
static const u32 INTEGER_EDGES[] = {0,        1,          2,          3,          5,          7,
                                    31,       32,         33,         127,        128,        255,
                                    256,      0x7fff,     0x8000,     0xffff,     0x10000,    0xffffff,
                                    0x800000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
static const u64 LONG_EDGES[] = {0,
                                 1,
                                 2,
                                 3,
                                 63,
                                 64,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x100000001,
                                 0x1fffffffffffff,
                                 0x20000000000001,
                                 0x7ffffffffffffdff,
                                 0x7ffffffffffffe01,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0x8000000000000001,
                                 0xaaaaaaaaaaaaaaaa,
                                 0xffffffff00000000,
                                 0xfffffffffffff7ff,
                                 0xfffffffffffffffe,
                                 0xffffffffffffffff,
                                 0x123456789abcdef};
static const f64 REAL_EDGES[] = {0.0,   -0.0,  1.0,   -1.0,     0.5,     -0.5,     1.5,       2.5,   -2.5,
                                 2.0,   -3.0,  0.1,   -0.7,     10.0,    88.0,     -104.0,    1e-30, 1e30,
                                 -1e30, 1e-40, 1e-45, 16777217, 3.25e9,  1e19,     0.99,      1.001, 100,
                                 -1e-8, 4.0,   -20.5, FLT_MAX,  FLT_MIN, INFINITY, -INFINITY, NAN,   3e5};
static const u16 HALF_EDGES[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0x4100, 0xc100,
                                 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                 0x7e00, 0x3c01, 0x3bff, 0x6400, 0x5140, 0x2e66, 0x4248, 0xd640};

static u64 random_next(u64 *state) // splitmix64
{
    u64 z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
// In [-1, 1], in [-80, 80], over all exponents of a float, or with few bits.
static f64 random_real(u64 *state, enum kind kind)
{
    f64 unit_value = (f64)(i64)random_next(state) * 0x1p-63, value;
    u64 how = kind == KIND_unit ? 0 : kind == KIND_small ? 1 : random_next(state) % 5;
    switch (how) {
    case 0: value = unit_value; break;
    case 1: value = unit_value * 80; break;
    case 2:
        value = ldexp(unit_value, (int)(random_next(state) % (kind == KIND_f32 ? 270 : 2100)) -
                                      (kind == KIND_f32 ? 140 : 1050));
        break;
    case 3: value = floor(unit_value * 2000) / 8; break;
    default: value = 1 + unit_value * 0.5; break;
    }
    return value;
}
static size_t edge_of(size_t index, unsigned operand, size_t edges)
{
    return operand == 0   ? index % edges
           : operand == 1 ? index / edges % edges
                          : (index * 7 + index / edges) % edges;
}
static f64 real_value(u64 *state, enum kind kind, unsigned operand, size_t index)
{
    const size_t edges = sizeof REAL_EDGES / sizeof *REAL_EDGES;
    f64 r = index < edges * edges ? REAL_EDGES[edge_of(index, operand, edges)] : random_real(state, kind);
    if (kind == KIND_small || kind == KIND_unit) r = index < edges * edges ? random_real(state, kind) : r;
    return r != r && (kind == KIND_number || kind == KIND_whole) ? 7.0 : r;
}

size_t values_size(enum kind kind)
{
    switch (kind) {
    case KIND_i32:
    case KIND_u32:
    case KIND_f32:
    case KIND_number: return 4;
    case KIND_i64:
    case KIND_u64:
    case KIND_f64:
    case KIND_whole:
    case KIND_small:
    case KIND_unit: return 8;
    case KIND_u16: return 2;
    case KIND_none: return 1;
    }
    return 0;
}

static u64 value_bits(u64 *state, enum kind kind, unsigned operand, size_t index)
{
    u64 random = random_next(state);
    switch (kind) {
    case KIND_i32:
    case KIND_u32:
        return index < 576 ? INTEGER_EDGES[edge_of(index, operand, 24)]
               : index & 1 ? random
                           : (u64)((i64)random >> 52);
    case KIND_i64:
    case KIND_u64:
        return index < 576 ? LONG_EDGES[edge_of(index, operand, 24)]
               : index & 1 ? random
                           : (u64)((i64)random >> (random & 63));
    case KIND_u16: return index < 576 ? HALF_EDGES[edge_of(index, operand, 24)] : random & 0xffff;
    case KIND_f32:
    case KIND_number: return bits32((f32)real_value(state, kind, operand, index));
    case KIND_f64:
    case KIND_whole:
    case KIND_small:
    case KIND_unit: return bits64(real_value(state, kind, operand, index));
    case KIND_none: return 0;
    }
    return 0;
}

void values_fill(enum kind kind, unsigned operand, void *values, size_t count)
{
    u64 state = operand + 1;
    size_t size = values_size(kind);
    for (size_t i = 0; i < count; i++) {
        u64 bits = value_bits(&state, kind, operand, i);
        memcpy((char *)values + i * size, &bits, size);
    }
}

// -- integers -----------------------------------------------------------------------------------------------
u64 reversed(u64 a, unsigned bits)
{
    u64 r = 0;
    for (unsigned i = 0; i < bits; i++) r |= (a >> i & 1) << (bits - 1 - i);
    return r;
}
u32 byte_perm(u32 a, u32 b, u32 selector)
{
    u64 both = (u64)b << 32 | a;
    u32 r = 0;
    for (unsigned i = 0; i < 4; i++) r |= (u32)(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}
u32 nth_set(u32 mask, u32 base, int n)
{
    int at = (int)base, left = n < 0 ? -n : n;
    while (at >= 0 && at < 32) {
        if (mask >> at & 1 && --left == 0) return (u32)at;
        at += n < 0 ? -1 : 1;
    }
    return ~0u;
}
u32 dot(i32 a, i32 b, unsigned count, bool is_signed)
{
    u32 r = 0;
    for (unsigned i = 0; i < count; i++)
        r += (u32)(lane_of((u32)a, 8 * i, 8, is_signed) * lane_of((u32)b, 8 * i, 8, is_signed));
    return r;
}
u32 dot2(i32 a, i32 b, unsigned first, bool is_signed)
{
    u32 r = 0;
    for (unsigned i = 0; i < 2; i++)
        r += (u32)(lane_of((u32)a, 16 * i, 16, is_signed) * lane_of((u32)b, 8 * (first + i), 8, is_signed));
    return r;
}
f64 greater(f64 a, f64 b) { return a == b ? (signbit(a) ? b : a) : fmax(a, b); }
f64 lesser(f64 a, f64 b) { return a == b ? (signbit(a) ? a : b) : fmin(a, b); }
ld clamped(ld a, ld least, ld most) { return a != a ? 0 : a < least ? least : a > most ? most : a; }

u32 lanewise_1(u32 a, unsigned bits, char how)
{
    u32 r = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        i32 p = lane_of(a, at, bits, true), size = p < 0 ? -p : p;
        if (how == 's' && size >> (bits - 1)) size--;
        r |= ((u32)(how == '-' ? -p : size) & (0xffffffffu >> (32 - bits))) << at;
    }
    return r;
}
u32 sum_of_differences(u32 a, u32 b, unsigned bits)
{
    u32 r = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        i32 difference = lane_of(a, at, bits, false) - lane_of(b, at, bits, false);
        r += (u32)(difference < 0 ? -difference : difference);
    }
    return r;
}

// -- roundings ----------------------------------------------------------------------------------------------
static int rounding(char how)
{
    return how == 'z' ? FE_TOWARDZERO : how == 'u' ? FE_UPWARD : how == 'd' ? FE_DOWNWARD : FE_TONEAREST;
}
f32 rounded_f32(ld a, char how)
{
    volatile ld from = a;
    volatile f32 r;
    fesetround(rounding(how));
    r = (f32)from;
    fesetround(FE_TONEAREST);
    return r;
}
f64 rounded_f64(ld a, char how)
{
    volatile ld from = a;
    volatile f64 r;
    fesetround(rounding(how));
    r = (f64)from;
    fesetround(FE_TONEAREST);
    return r;
}

f64 from_half(u16 bits) { return format_value(&half, bits); }
u16 half_of(f64 a) { return (u16)format_round(&half, a, 0, NEAREST); }
u16 half_towards(f64 a, char how)
{
    return (u16)format_round(&half, a, 0, how == 'z' ? TO_ZERO : how == 'u' ? UP : DOWN);
}
f64 from_bfloat(u16 bits) { return format_value(&brain, bits); }
u16 bfloat_of(f64 a) { return (u16)format_round(&brain, a, 0, NEAREST); }
f64 odd_sum(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a, missed = (a - (sum - part)) + (b - part);
    if (!(fabs(sum) < INFINITY) || missed == 0 || bits64(sum) & 1) return sum;
    return nextafter(sum, missed > 0 ? (f64)INFINITY : -(f64)INFINITY);
}

f32 flushed(f32 a) { return fabsf(a) < FLT_MIN ? copysignf(0, a) : a; }

// -- functions ----------------------------------------------------------------------------------------------
f32 c_modff(f32 a, bool whole_part)
{
    f32 integer, fraction = modff(a, &integer);
    return whole_part ? fraction : integer;
}
f32 c_frexpf(f32 a)
{
    int exponent;
    return frexpf(a, &exponent);
}
i32 c_frexp_exponent(f64 a)
{
    int exponent = 0;
    if (fabs(a) < INFINITY) frexp(a, &exponent);
    return exponent;
}
i32 c_ilogb(f64 a) { return a == 0 || a != a ? INT32_MIN : fabs(a) == INFINITY ? INT32_MAX : ilogb(a); }
f32 c_remquof(f32 a, f32 b) { return remainderf(a, b); }
i32 c_remquo_quotient(f32 a, f32 b)
{
    int quotient = 0;
    f32 r = remquof(a, b, &quotient);
    return r == r ? quotient & 7 : 0;
}
ld sinpil(ld a)
{
    if (!(fabsl(a) < INFINITY)) return NAN;
    ld r = remainderl(a, 2), size = fabsl(r);
    ld turned = size > 0.5L ? 1 - size : size;
    ld s = turned > 0.25L ? cosl((0.5L - turned) * 3.14159265358979323846264338327950288L)
                          : sinl(turned * 3.14159265358979323846264338327950288L);
    return a == truncl(a) ? copysignl(0, a) : r < 0 ? -s : s;
}
ld cospil(ld a) { return fabsl(a) < INFINITY ? sinpil(0.5L - fabsl(remainderl(a, 2))) + 0.0L : (ld)NAN; }
// For large a, where erfc underflows, the asymptotic series.
ld erfcxl(ld a)
{
    if (a < 50) return expl(a * a) * erfcl(a);
    ld z = 1 / (2 * a * a);
    return (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z)))) / (a * 1.77245385090551602729816748334114518L);
}
// The y with erfc(y) = rest, for rest up to 1, by bisection and Newton steps.
static ld inverse(ld x, ld rest)
{
    ld low = 0, high = 30;
    for (int i = 0; i < 40; i++) {
        ld middle = (low + high) / 2;
        if (x < 0.5L ? erfl(middle) < x : erfcl(middle) > rest)
            low = middle;
        else
            high = middle;
    }
    ld y = (low + high) / 2;
    for (int i = 0; i < 3; i++) {
        ld slope = 1.12837916709551257389615890312154517L * expl(-y * y);
        y -= (x < 0.5L ? erfl(y) - x : rest - erfcl(y)) / slope;
    }
    return y;
}
ld erfinvl(ld a)
{
    if (a == 0 || a != a) return a;
    if (fabsl(a) >= 1) return fabsl(a) > 1 ? (ld)NAN : copysignl(INFINITY, a);
    // A constant slope near 0, down to the smallest double.
    if (fabsl(a) < 1e-9L) return a * 0.886226925452758013649083741670572591L;
    return copysignl(inverse(fabsl(a), 1 - fabsl(a)), a);
}
ld erfcinvl(ld a)
{
    if (a == 0 || a == 2) return a == 0 ? INFINITY : -INFINITY;
    if (!(a > 0 && a < 2)) return NAN;
    return a > 1 ? -inverse(a - 1, 2 - a) : a == 1 ? 0 : inverse(1 - a, a);
}
ld normcdfl(ld a) { return 0.5L * erfcl(-a * 0.707106781186547524400844362104849039L); }
ld normcdfinvl(ld a) { return -1.41421356237309504880168872420969808L * erfcinvl(2 * a); }

// -- warps and blocks ---------------------------------------------------------------------------------------
u32 ballot_of(const i32 *as, size_t i)
{
    u32 r = 0;
    for (size_t lane = 0; lane < 32; lane++) r |= (u32)(as[(i & ~(size_t)31) + lane] > 0) << lane;
    return r;
}
u32 match_of(const i32 *as, size_t i, i32 mask)
{
    u32 r = 0;
    for (size_t lane = 0; lane < 32; lane++)
        r |= (u32)((as[(i & ~(size_t)31) + lane] & mask) == (as[i] & mask)) << lane;
    return r;
}
u32 match_of_long(const i64 *as, size_t i, i64 mask)
{
    u32 r = 0;
    for (size_t lane = 0; lane < 32; lane++)
        r |= (u32)((as[(i & ~(size_t)31) + lane] & mask) == (as[i] & mask)) << lane;
    return r;
}
i32 reduced(const i32 *as, size_t i, char how)
{
    const i32 *lanes = as + (i & ~(size_t)31);
    u32 r = (u32)lanes[0];
    for (size_t lane = 1; lane < 32; lane++) {
        u32 a = (u32)lanes[lane];
        if (how == '+') r += a;
        if (how == '<') r = (i32)a < (i32)r ? a : r;
        if (how == 'U') r = a > r ? a : r;
        if (how == '|') r |= a;
        if (how == '^') r ^= a;
    }
    return (i32)r;
}
i32 block_count(const i32 *as, size_t i)
{
    i32 r = 0;
    for (size_t thread = 0; thread < 128; thread++) r += as[(i & ~(size_t)127) + thread] > 0;
    return r;
}
i32 least_of_eight(const i32 *as, size_t i)
{
    i32 r = INT32_MAX;
    for (size_t lane = 0; lane < 8; lane++)
        r = as[(i & ~(size_t)7) + lane] < r ? as[(i & ~(size_t)7) + lane] : r;
    return r;
}
f32 warp_sum(const u16 *as, size_t i)
{
    u32 r = 0;
    for (size_t lane = 0; lane < 32; lane++) r += as[(i & ~(size_t)31) + lane] & 255;
    return (f32)r;
}
