// Fragments of wmma: how many registers PTX gives a matrix, and how warpfold fills a fragment (PTX ISA 9.7.14.3 leaves the layout open).
//
// A product is made of machine products of 16 or 8 rows and 8 columns. The left factor is a; for m8n32 the transposed b, whose
// side is longer:
//
//   m16n16   left: a, one tile of 16 rows       right: b, two tiles of 8 columns
//   m32n8    left: a, two tiles                 right: b, one tile
//   m8n32    left: b transposed, two tiles      right: a transposed, one tile; d is transposed, too
//   m8n8     left: a, one tile of 8 rows        right: b, one tile
//
// Registers of a fragment beyond the tiles repeat the tiles.
#pragma once
#include "ptx/ptx.h"

struct ptx_shape_size {
    uint16_t m, n, k;
};
extern const struct ptx_shape_size ptx_shape_sizes[]; // by enum ptx_shape

struct ptx_wmma {
    uint16_t m, n, k;
    bool is_swapped; // left factor is b
    uint8_t left_tiles, right_tiles;
    uint8_t registers[2]; // of a and b in PTX
    uint8_t left, right, sum,
        factor; // registers of a tile: of the left factor, the right one, d; elements of a register
};

// The product with a's type `a` and results `d`. False: PTX has no product of these types.
bool ptx_wmma_of(enum ptx_shape shape, enum ptx_type a, enum ptx_type d, struct ptx_wmma *w);
// The product that a wmma instruction computes or belongs to: a load or store fits several, with the same fragment. False: PTX has no product.
bool ptx_wmma_of_inst(const struct ptx_inst *i, struct ptx_wmma *w);
