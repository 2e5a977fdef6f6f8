// Shapes of matrix instructions (inst.shape), and the registers that their operands take.
#pragma once
#include "isa/isa.h"

enum isa_mma {
    MMA_NONE,
#define MMA(name, text, m, n, k)                   MMA_##name,
#define MATRICES(name, text, count, is_transposed) MMA_##name,
#include "isa/mma.def"
#undef MATRICES
#undef MMA
    MMA_COUNT
};
_Static_assert(MMA_COUNT <= 32, "a set of shapes is 32 bits");

struct isa_mma_shape {
    const char *text;
    uint16_t m, n, k;
    uint8_t matrices; // of LDSM; 0: a product
    bool is_transposed;
};

extern const struct isa_mma_shape isa_mma_shapes[MMA_COUNT];

static inline bool isa_is_sparse(const struct inst *i)
{
    return i->op == OP_HMMASP || i->op == OP_IMMASP || i->op == OP_QMMASP || i->op == OP_WGMMASP ||
           i->op == OP_WGMMASSP;
}

// Asynchronous products of a warpgroup (isa_is_warpgroup).
// Columns of d and b, and depth: 256 bits of a row of a, of a sparse product 512.
static inline unsigned isa_warpgroup_columns(const struct inst *i) { return 8 * (i->shift + 1u); }
unsigned isa_warpgroup_depth(const struct inst *i);

// How the four products of an 884 of f16 lie. half: 0: all columns; 1: 0 to 3; 2: 4 to 7.
struct isa_quad {
    bool a_by_column, b_by_row;
    uint8_t half;
};
struct isa_quad isa_quad_of(unsigned shape);
// The shape of half 1 or 2 of an 884 of f16.
static inline enum isa_mma isa_half_quad(unsigned whole, unsigned half)
{
    return (enum isa_mma)(whole - MMA_884 + (half == 1 ? MMA_884_H0 : MMA_884_H1));
}

// Bits of an element; of 4 and 1 bit, too.
unsigned isa_element_bits(unsigned type);

// Registers of an operand of a product: rows * columns * bits / 1024, at least 1. LDSM: matrices. WGMMA: of d alone.
enum isa_factor { FACTOR_A, FACTOR_B, FACTOR_C, FACTOR_D };
unsigned isa_mma_registers(const struct inst *i, enum isa_factor which);
