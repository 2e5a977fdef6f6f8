// Binary floating-point formats, and rounding done with integers.
//
// A number is sign, significand and exponent: (-1)^negative * m * 2^e, exact. Every conversion and every
// f16 and bf16 operation rounds to a format by one function.
#pragma once
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 swide;

struct number_format {
    int precision;    // bits of the significand, including the hidden bit
    int exponent_min; // of normal numbers
    int exponent_max;
    unsigned storage_bits; // of the whole
    unsigned low_zeros;    // tf32: unused low bits
    uint64_t nan;          // the NaN given by operations
};

enum number_class { NUMBER_ZERO, NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

struct number {
    enum number_class class;
    bool negative;
    wide m;
    int e;
    bool sticky; // a bit more than m * 2^e in magnitude, less than (m + 1) * 2^e
};

const struct number_format *
number_format(enum ptx_type type); // f16, bf16, tf32, f32, f64; x2 types: the half's
struct number number_decode(const struct number_format *f, uint64_t bits);
uint64_t number_encode(const struct number_format *f, struct number n, enum ptx_round round);
struct number number_from_integer(swide v);
// To an integer by an integral rounding mode (RNI … RPI), clamped to [low, high]; never NaN.
swide number_to_integer(struct number n, enum ptx_round round, swide low, swide high);
// To an integral value, staying a number.
struct number number_integral(struct number n, enum ptx_round round);
struct number number_negate(struct number n);
// `round` decides the sign of an exact 0.
struct number number_add(struct number a, struct number b, enum ptx_round round);
struct number number_multiply(struct number a, struct number b);
struct number number_divide(struct number a, struct number b);
struct number number_sqrt(struct number a);
bool number_is_subnormal(const struct number_format *f, uint64_t bits);
uint64_t number_flush(const struct number_format *f, uint64_t bits); // subnormal to zero of the same sign
