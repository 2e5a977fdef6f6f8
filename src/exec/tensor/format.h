// Floating formats of tensor cores, and their values in whole numbers.
#pragma once
#include "exec/tensor/tensor.h"

struct tensor_format {
    uint8_t bits, exponent_bits, fraction_bits;
    uint8_t dropped; // low bits that the hardware does not read
    bool is_e4m3;    // no infinity; a single NaN; the highest exponent is ordinary
};

const struct tensor_format *tensor_format_of(unsigned type); // of a floating type up to 32 bits

enum tensor_kind { TENSOR_FINITE, TENSOR_INFINITE, TENSOR_NAN };

// Fraction bits that the hardware reads: weight of a significand's lowest bit.
static inline unsigned tensor_fraction_bits(const struct tensor_format *f)
{
    return (unsigned)f->fraction_bits - f->dropped;
}

struct tensor_value { // FINITE: (-1)^negative * significand * 2^(exponent - tensor_fraction_bits)
    uint8_t kind;     // enum tensor_kind
    bool negative;
    int32_t exponent; // of a subnormal value: the least of the format
    uint32_t significand;
};

struct tensor_value tensor_decode(const struct tensor_format *f, uint32_t bits);

// significand * 2^scale in format d: f16 to nearest even, f32 cut toward zero. Past the range: infinity. Zero is +0.
uint32_t tensor_pack(const struct tensor_format *d, bool negative, uint64_t significand, int32_t scale);

// c + d, rounded once to nearest even, of type f32 or f16: the addition behind emulated products.
uint32_t tensor_add(unsigned type, uint32_t x, uint32_t y);
