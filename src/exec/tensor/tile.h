// The fast path of products of at most 16 rows and eight columns: a row of d at a time, in vectors of columns.
//
// Exact because every number is small. Significands of factors are whole numbers of at most 11 bits, so products are exact in single
// precision; a term cut to a multiple of 2^(emax - F) is a conversion to a whole number toward zero, below 2^27; sums of up to 16
// terms stay below 2^31, and the sum of two is exact in double precision. Sums of products of 8-bit integers stay below 2^24.
//
// tile.c is compiled once for each instruction set, like src/exec/fast/.
#pragma once
#include "exec/tensor/group.h"

enum { TENSOR_NOTHING = -20000 }; // exponent of an element of value 0

struct tensor_factors {                             // elements decoded from bits
    _Alignas(32) float value[TENSOR_TILE_ELEMENTS]; // numbers, or whole significands with a sign
    _Alignas(32) int32_t exponent[TENSOR_TILE_ELEMENTS];
    bool is_special;  // an element is infinite or NaN
    bool is_moderate; // `value` has numbers: exponents lie within 50 of 0
};

struct tensor_tile {
    unsigned rows, depth;       // of a
    const uint8_t *columns;     // sparse: row of b for element k of row i at [i * depth + k]; NULL: dense
    struct tensor_factors a, b; // a[row * depth + k], b[k * 8 + column]
    _Alignas(32) uint32_t c[TENSOR_ROWS][TENSOR_COLUMNS], d[TENSOR_ROWS][TENSOR_COLUMNS]; // bits
};

struct tensor_left { // elements of d without a value, a bit per column: for tensor_element
    uint8_t columns[TENSOR_ROWS];
    bool any;
};

struct tensor_tiles { // of an instruction set
    // count: a multiple of 8. as_numbers: numbers if moderate, else significands in any case.
    void (*decode)(const struct tensor_format *f, const uint32_t *bits, unsigned count, bool as_numbers,
                   struct tensor_factors *to);
    void (*decode_whole)(unsigned type, const uint32_t *bits, unsigned count, struct tensor_factors *to);
    // d = a * b + c in groups of `length`; both factors are moderate, or neither. fraction: fraction bits of products.
    // is_emulated: c is added at last.
    struct tensor_left (*multiply)(struct tensor_tile *t, const struct tensor_rule *r, unsigned d_type,
                                   unsigned length, unsigned fraction, bool is_emulated);
    // The same of integers of up to 8 bits.
    void (*multiply_whole)(struct tensor_tile *t, bool saturates);
};
