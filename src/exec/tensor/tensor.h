// Matrix products of a warp, bit for bit as a card computes them. Values only: no launch, no time.
//
//   registers of 32 lanes ─ fragment.c ─▶ matrices ─ tile.c (fast) or group.c (any value) ─▶ matrix ─▶ registers
//
// docs/explanation/tensor.md has the rule of groups, alignment and rounding, and the sources.
#pragma once
#include "exec/launch.h"
#include "exec/tensor/card.h"
#include "isa/fields.h"

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_LANES = 32 };

enum { // sizes of matrices in a product of a warp
    TENSOR_ROWS = 16,
    TENSOR_COLUMNS = 8,
    TENSOR_DEPTH = 256,          // of b1; 32-bit words count as elements there
    TENSOR_FLOAT_DEPTH = 64,     // of every floating type below f64
    TENSOR_TILE_ELEMENTS = 1024, // of a or b in the fast path
    TENSOR_REGISTERS = 16        // of an operand
};

// The generation that code for sm_`target` first runs on; 0: Hopper, the measured one.
const struct tensor_card *tensor_card_of_target(unsigned target);

// A product d = a * b + c. Shape as in the mnemonic: k counts the columns of a sparse A before compression.
struct tensor_form {
    uint16_t m, n, k;
    uint8_t a, b, c, d; // enum isa_type
    uint8_t round;      // f64: enum isa_round
    bool is_sparse;
    bool saturates;   // integers: clamp to 32 bits
    bool ands;        // b1: and in place of exclusive or
    bool a_by_column; // m8n8k4 of f16: layouts other than .row.col
    bool b_by_row;
    uint8_t half; // m8n8k4 of f16 with c and d in f32: 1: columns 0 to 3 of d, 2: 4 to 7; 0: all
};

static inline bool tensor_is_quad_pair(const struct tensor_form *f) { return f->k == 4 && f->a == TYPE_F16; }

// Columns of A in registers.
static inline unsigned tensor_stored_depth(const struct tensor_form *f)
{
    return f->is_sparse ? f->k / 2u : f->k;
}

unsigned tensor_type_bits(unsigned type); // of an element: 1, 4, 8, 16, 32 or 64

// One element of d. a, b: `count` factors in increasing k (sparse: stored order; b1: words of 32 bits), the
// type's bits at the bottom. c: bits of type c.
uint64_t tensor_element(const struct tensor_card *card, const struct tensor_form *f, const uint64_t *a,
                        const uint64_t *b, unsigned count, uint64_t c);

// Registers of a product, each of 32 lanes. Unused entries are not read. d may be the same registers as a, b or c.
struct tensor_operands {
    const uint32_t *a[TENSOR_REGISTERS], *b[TENSOR_REGISTERS], *c[TENSOR_REGISTERS];
    const uint32_t *metadata; // sparse
    unsigned selector;        // sparse
    uint32_t *d[TENSOR_REGISTERS];
};

struct tensor_tiles;                                           // the fast path of an instruction set: tile.h
const struct tensor_tiles *tensor_tiles_of(enum exec_isa isa); // NULL: GENERAL

// The product of a warp with all 32 lanes. tiles NULL: element by element.
void tensor_product(const struct tensor_card *card, const struct tensor_form *f,
                    const struct tensor_operands *o, const struct tensor_tiles *tiles);
