// Floating formats of tensor cores.
#include "exec/tensor/format.h"
#include "base/bits.h"
#include "exec/softfloat.h"

const struct tensor_format *tensor_format_of(unsigned type)
{
    static const struct tensor_format f16 = {16, 5, 10, 0, false}, bf16 = {16, 8, 7, 0, false},
                                      tf32 = {32, 8, 23, 13, false}, e4m3 = {8, 4, 3, 0, true},
                                      e5m2 = {8, 5, 2, 0, false}, f32 = {32, 8, 23, 0, false};
    switch (type) {
    case TYPE_F16: return &f16;
    case TYPE_BF16: return &bf16;
    case TYPE_TF32: return &tf32;
    case TYPE_E4M3: return &e4m3;
    case TYPE_E5M2: return &e5m2;
    default: return &f32;
    }
}

struct tensor_value tensor_decode(const struct tensor_format *f, uint32_t bits)
{
    bits = bits >> f->dropped << f->dropped;
    int32_t bias = (1 << (f->exponent_bits - 1)) - 1;
    uint32_t top = (uint32_t)bit_mask(f->exponent_bits), field = bits >> f->fraction_bits & top,
             fraction = bits & (uint32_t)bit_mask(f->fraction_bits);
    struct tensor_value v = {.negative = bits >> (f->bits - 1) & 1, .exponent = (int32_t)field - bias};
    if (f->is_e4m3 && field == top && fraction == bit_mask(f->fraction_bits)) v.kind = TENSOR_NAN;
    if (!f->is_e4m3 && field == top) v.kind = fraction ? TENSOR_NAN : TENSOR_INFINITE;
    v.significand = (fraction | (field ? 1u << f->fraction_bits : 0)) >> f->dropped;
    if (!field) v.exponent = 1 - bias;
    return v;
}

// significand / 2^shift: cut, or to nearest even.
static uint64_t divide(uint64_t significand, int32_t shift, bool to_nearest)
{
    if (shift >= 64) return 0; // the top bit lies below half a place: 63 < shift
    uint64_t q = significand >> shift, rest = significand & bit_mask((unsigned)shift),
             half = 1ull << (shift - 1);
    return q + (to_nearest && (rest > half || (rest == half && q & 1)));
}

uint32_t tensor_pack(const struct tensor_format *d, bool negative, uint64_t significand, int32_t scale)
{
    int32_t bias = (1 << (d->exponent_bits - 1)) - 1, least = 1 - bias;
    if (!significand) return 0;
    int32_t top = (int32_t)bit_highest(significand) + scale, exponent = top > least ? top : least;
    int32_t shift = exponent - d->fraction_bits - scale; // the last place is 2^(exponent - fraction bits)
    uint64_t q = shift > 0 ? divide(significand, shift, d->bits == 16) : significand << -shift;
    uint32_t infinity = (uint32_t)bit_mask(d->exponent_bits) << d->fraction_bits;
    // The hidden bit of a normal value adds 1 to the field.
    uint64_t field = top < least ? 0 : (uint64_t)(exponent + bias - 1),
             bits = (field << d->fraction_bits) + q;
    if (bits >= infinity) bits = infinity;
    return bits ? (uint32_t)bits | (uint32_t)negative << (d->bits - 1) : 0;
}

uint32_t tensor_add(unsigned type, uint32_t x, uint32_t y)
{
    return (uint32_t)float_add(type == TYPE_F16 ? &float_f16 : &float_f32, x, y, ROUND_RN);
}
