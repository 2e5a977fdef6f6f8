// Binary floating point in integer arithmetic: one exact multiply-add and one packing for every format and
// rounding mode. Covers operations without portable host arithmetic: 16-bit formats, directed rounding, and
// fused operations. Sums and products in f32 and f64 rounded to nearest are the host's own, per IEEE 754.
#pragma once
#include "base/bits.h"
#include "isa/fields.h"

__extension__ typedef unsigned __int128 soft_u128;

struct float_format {
    unsigned mantissa_bits; // stored
    unsigned exponent_bits;
    unsigned width; // total bits; a TF32 is stored as an f32 with 13 low bits of zero
};

extern const struct float_format float_f16, float_bf16, float_f32, float_f64;

static inline uint64_t float_sign_bit(const struct float_format *f) { return 1ull << (f->width - 1); }
static inline uint64_t float_infinity(const struct float_format *f)
{
    return bit_mask(f->exponent_bits) << f->mantissa_bits;
}
// Result NaN of an f64 operation on a, b and c (the rule in lane.h); 0 without a NaN operand.
uint64_t float_nan_f64(uint64_t a, uint64_t b, uint64_t c);
// PTX's NaN of the formats below f64: all bits one except the sign.
static inline uint64_t float_nan(const struct float_format *f) { return bit_mask(f->width - 1); }
static inline bool float_is_nan(const struct float_format *f, uint64_t x)
{
    return (x & bit_mask(f->width - 1)) > float_infinity(f);
}
static inline bool float_is_subnormal(const struct float_format *f, uint64_t x)
{
    uint64_t magnitude = x & bit_mask(f->width - 1);
    return magnitude && magnitude >> f->mantissa_bits == 0;
}
static inline uint64_t float_flush(const struct float_format *f, uint64_t x) // .ftz
{
    return float_is_subnormal(f, x) ? x & float_sign_bit(f) : x;
}

// (-1)^negative * mantissa * 2^exponent, rounded. Bits shifted out earlier must be or-ed into bit 0, at least
// two bits below the result's lowest bit.
uint64_t float_pack(const struct float_format *f, bool negative, int exponent, soft_u128 mantissa,
                    enum isa_round r);

// a * b + c with one rounding. NaN operands and invalid operations give float_nan(f).
uint64_t float_fma(const struct float_format *f, uint64_t a, uint64_t b, uint64_t c, enum isa_round r);
uint64_t float_add(const struct float_format *f, uint64_t a, uint64_t b, enum isa_round r);
uint64_t float_mul(const struct float_format *f, uint64_t a, uint64_t b, enum isa_round r);

// Converts a finite value between formats. Infinities stay infinities, NaN gives float_nan(to).
uint64_t float_convert(const struct float_format *to, const struct float_format *from, uint64_t x,
                       enum isa_round r);
uint64_t float_from_int(const struct float_format *f, bool negative, uint64_t magnitude, enum isa_round r);
// x rounded to an integral value, in the same format.
uint64_t float_integral(const struct float_format *f, uint64_t x, enum isa_round r);
// The rounded integral value of a finite number as sign and magnitude; false: the magnitude exceeds 64 bits.
bool float_to_int(const struct float_format *f, uint64_t x, enum isa_round r, bool *negative,
                  uint64_t *magnitude);

// min, max by PTX: -0 is less than +0, and a number beats NaN. Two NaN, or one under `nan`, give
// float_nan(f).
uint64_t float_min_max(const struct float_format *f, uint64_t a, uint64_t b, bool max, bool nan);
bool float_compare(const struct float_format *f, uint64_t a, uint64_t b, enum isa_cmp cmp);
