// Floating point in integers. A finite number is a sign, an integer mantissa, and the exponent of the
// mantissa's lowest bit.
//
// The exact sum of a product and an addend may be thousands of bits long; two facts limit it to 128 bits.
// Both terms are placed with their leading bit at bit 125, and a product has at most 106 bits, an addend at
// most 53. The smaller term therefore loses bits only when shifted by over 20. The difference then cancels
// one leading bit at most, so the lost bits matter only as "not zero" and are or-ed into bit 0.
#include "exec/softfloat.h"

const struct float_format float_f16 = {10, 5, 16}, float_bf16 = {7, 8, 16}, float_f32 = {23, 8, 32},
                          float_f64 = {52, 11, 64};

struct unpacked {
    bool negative;
    int exponent;
    uint64_t mantissa; // 0: the value is zero
};

static int bias_of(const struct float_format *f) { return (1 << (f->exponent_bits - 1)) - 1; }

static struct unpacked unpack(const struct float_format *f, uint64_t x) // finite
{
    unsigned biased = (unsigned)(x >> f->mantissa_bits & bit_mask(f->exponent_bits));
    struct unpacked u = {.negative = (x & float_sign_bit(f)) != 0,
                         .mantissa = x & bit_mask(f->mantissa_bits)};
    if (biased) u.mantissa |= 1ull << f->mantissa_bits;
    u.exponent = (int)(biased ? biased : 1) - bias_of(f) - (int)f->mantissa_bits;
    return u;
}

static int highest_bit(soft_u128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? 64 + (int)bit_highest(high) : (int)bit_highest((uint64_t)x);
}

static soft_u128 shift_right_sticky(soft_u128 x, int count)
{
    if (count <= 0) return x;
    if (count > 127) return x != 0;
    return x >> count | ((x & (((soft_u128)1 << count) - 1)) != 0);
}

// True when the magnitude q is rounded up. below: bits below q are 0, below half, half, above half (0..3).
static bool rounds_up(enum isa_round r, bool negative, uint64_t q, unsigned below)
{
    switch (r) {
    case ROUND_RN: return below == 3 || (below == 2 && (q & 1));
    case ROUND_RNA: return below >= 2;
    case ROUND_RZ: return false;
    case ROUND_RM: return negative && below;
    case ROUND_RP: return !negative && below;
    }
    return false;
}

// x / 2^count as an integer, rounded.
static uint64_t shift_rounded(soft_u128 x, int count, bool negative, enum isa_round r)
{
    if (count <= 0) return (uint64_t)(x << -count);
    uint64_t q = count > 127 ? 0 : (uint64_t)(x >> count);
    unsigned below = 0;
    if (count > 128) {
        below = x != 0;
    } else {
        soft_u128 rest = count == 128 ? x : x & (((soft_u128)1 << count) - 1),
                  half = (soft_u128)1 << (count - 1);
        if (rest) below = rest < half ? 1 : rest == half ? 2 : 3;
    }
    return q + rounds_up(r, negative, q, below);
}

static uint64_t overflow(const struct float_format *f, bool negative, enum isa_round r)
{
    bool to_infinity =
        r == ROUND_RN || r == ROUND_RNA || (r == ROUND_RM && negative) || (r == ROUND_RP && !negative);
    return (negative ? float_sign_bit(f) : 0) | (float_infinity(f) - !to_infinity);
}

uint64_t float_pack(const struct float_format *f, bool negative, int exponent, soft_u128 mantissa,
                    enum isa_round r)
{
    uint64_t sign = negative ? float_sign_bit(f) : 0;
    if (!mantissa) return sign;
    int bits = (int)f->mantissa_bits, bias = bias_of(f), least = 1 - bias - bits;
    int lowest = exponent + highest_bit(mantissa) - bits; // exponent of the result's lowest bit
    if (lowest < least) lowest = least;
    uint64_t q = shift_rounded(mantissa, lowest - exponent, negative, r);
    if (q >> (bits + 1)) {
        q >>= 1;
        lowest++;
    }
    if (lowest + bits > bias) return overflow(f, negative, r);
    uint64_t biased = q >> bits ? (uint64_t)(lowest + bits + bias) : 0;
    return sign | biased << bits | (q & bit_mask((unsigned)bits));
}

static bool is_infinite(const struct float_format *f, uint64_t x)
{
    return (x & bit_mask(f->width - 1)) == float_infinity(f);
}

uint64_t float_fma(const struct float_format *f, uint64_t a, uint64_t b, uint64_t c, enum isa_round r)
{
    if (float_is_nan(f, a) || float_is_nan(f, b) || float_is_nan(f, c)) return float_nan(f);
    uint64_t sign = float_sign_bit(f), product_sign = (a ^ b) & sign, magnitude = bit_mask(f->width - 1);
    if (is_infinite(f, a) || is_infinite(f, b)) {
        if (!(a & magnitude) || !(b & magnitude)) return float_nan(f);
        if (is_infinite(f, c) && (c & sign) != product_sign) return float_nan(f);
        return product_sign | float_infinity(f);
    }
    if (is_infinite(f, c)) return c;

    struct unpacked ua = unpack(f, a), ub = unpack(f, b), uc = unpack(f, c);
    soft_u128 product = (soft_u128)ua.mantissa * ub.mantissa, addend = uc.mantissa;
    int exponent = ua.exponent + ub.exponent;
    bool negative = product_sign != 0;
    if (!product && !addend) {
        if (negative == uc.negative) return product_sign;
        return r == ROUND_RM ? sign : 0;
    }
    if (!addend) return float_pack(f, negative, exponent, product, r);
    if (!product) return float_pack(f, uc.negative, uc.exponent, addend, r);

    int up = 125 - highest_bit(product), up_c = 125 - highest_bit(addend);
    product <<= up;
    exponent -= up;
    addend <<= up_c;
    int difference = exponent - (uc.exponent - up_c);
    if (difference >= 0) {
        addend = shift_right_sticky(addend, difference);
    } else {
        product = shift_right_sticky(product, -difference);
        exponent -= difference;
    }
    if (negative == uc.negative) return float_pack(f, negative, exponent, product + addend, r);
    if (product == addend) return r == ROUND_RM ? sign : 0;
    if (product > addend) return float_pack(f, negative, exponent, product - addend, r);
    return float_pack(f, uc.negative, exponent, addend - product, r);
}

uint64_t float_add(const struct float_format *f, uint64_t a, uint64_t b, enum isa_round r)
{
    return float_fma(f, a, (uint64_t)bias_of(f) << f->mantissa_bits, b, r);
}

uint64_t float_mul(const struct float_format *f, uint64_t a, uint64_t b, enum isa_round r)
{
    return float_fma(f, a, b, (a ^ b) & float_sign_bit(f), r);
}

uint64_t float_convert(const struct float_format *to, const struct float_format *from, uint64_t x,
                       enum isa_round r)
{
    bool negative = (x & float_sign_bit(from)) != 0;
    if (float_is_nan(from, x)) return float_nan(to);
    if (is_infinite(from, x)) return (negative ? float_sign_bit(to) : 0) | float_infinity(to);
    struct unpacked u = unpack(from, x);
    return float_pack(to, negative, u.exponent, u.mantissa, r);
}

uint64_t float_from_int(const struct float_format *f, bool negative, uint64_t magnitude, enum isa_round r)
{
    return magnitude ? float_pack(f, negative, 0, magnitude, r) : 0;
}

bool float_to_int(const struct float_format *f, uint64_t x, enum isa_round r, bool *negative,
                  uint64_t *magnitude)
{
    struct unpacked u = unpack(f, x);
    *negative = u.negative;
    *magnitude = 0;
    if (!u.mantissa) return true;
    if (u.exponent + (int)bit_highest(u.mantissa) > 63) return false;
    *magnitude = shift_rounded(u.mantissa, -u.exponent, u.negative, r);
    return true;
}

uint64_t float_integral(const struct float_format *f, uint64_t x, enum isa_round r)
{
    if (float_is_nan(f, x)) return float_nan(f);
    if (is_infinite(f, x) || unpack(f, x).exponent >= 0) return x;
    bool negative;
    uint64_t magnitude;
    float_to_int(f, x, r, &negative, &magnitude);
    return (x & float_sign_bit(f)) | float_from_int(f, false, magnitude, ROUND_RZ);
}

// Maps float x of format f to an integer; the integers are ordered as the floats: -inf … -0, +0 … +inf.
static int64_t order(const struct float_format *f, uint64_t x)
{
    int64_t magnitude = (int64_t)(x & bit_mask(f->width - 1));
    return x & float_sign_bit(f) ? -1 - magnitude : magnitude;
}

uint64_t float_min_max(const struct float_format *f, uint64_t a, uint64_t b, bool max, bool nan)
{
    bool a_nan = float_is_nan(f, a), b_nan = float_is_nan(f, b);
    if (a_nan || b_nan) return nan || (a_nan && b_nan) ? float_nan(f) : a_nan ? b : a;
    return (order(f, a) < order(f, b)) != max ? a : b;
}

bool float_compare(const struct float_format *f, uint64_t a, uint64_t b, enum isa_cmp cmp)
{
    bool unordered = float_is_nan(f, a) || float_is_nan(f, b);
    bool zeros = ((a | b) & bit_mask(f->width - 1)) == 0;
    bool equal = a == b || zeros, less = !zeros && order(f, a) < order(f, b);
    switch (cmp) {
    case CMP_F: return false;
    case CMP_LT: return !unordered && less;
    case CMP_EQ: return !unordered && equal;
    case CMP_LE: return !unordered && (less || equal);
    case CMP_GT: return !unordered && !less && !equal;
    case CMP_NE: return !unordered && !equal;
    case CMP_GE: return !unordered && !less;
    case CMP_NUM: return !unordered;
    case CMP_NAN: return unordered;
    case CMP_LTU: return unordered || less;
    case CMP_EQU: return unordered || equal;
    case CMP_LEU: return unordered || less || equal;
    case CMP_GTU: return unordered || (!less && !equal);
    case CMP_NEU: return unordered || !equal;
    case CMP_GEU: return unordered || !less;
    case CMP_T: return true;
    }
    return false;
}

uint64_t float_nan_f64(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t operands[] = {a, b, c}, magnitude = ~(1ull << 63), infinity = 0x7ffull << 52;
    uint64_t largest = infinity;
    for (int k = 0; k < 3; k++)
        if ((operands[k] & magnitude) > infinity && ((operands[k] | 1ull << 51) & magnitude) > largest)
            largest = (operands[k] | 1ull << 51) & magnitude;
    return largest > infinity ? largest | 1ull << 63 : 0;
}
