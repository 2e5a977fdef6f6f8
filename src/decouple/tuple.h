// Affine tuples over threads and blocks: one base and an offset a dimension stand for a register of all threads that an
// affine warp computes for (Wang and Lin, DAC, equation 1; its blocks: section 4.2).
//
//     value(thread, block) = base + Σ offset[d] · index[d]   modulo 2^bits,   d over threadIdx and blockIdx
//
// Words have 32 bits, addresses in pairs of registers 64. Sums and products with scalars are exact modulo 2^bits; whatever
// looks at the upper bits (widening, comparisons) is right only where the values do not wrap, and asks for the box of indices
// first. From a tuple come lines and masks (address expansion, 4.2) and predicates (predicate expansion, 4.3).
#pragma once
#include "isa/isa.h"

enum decouple_dimension {
    DECOUPLE_TID_X,
    DECOUPLE_TID_Y,
    DECOUPLE_TID_Z,
    DECOUPLE_CTAID_X,
    DECOUPLE_CTAID_Y,
    DECOUPLE_CTAID_Z,
    DECOUPLE_DIMENSIONS
};

struct decouple_tuple {
    unsigned bits;                        // 32 or 64
    uint64_t base;                        // below 2^bits
    uint64_t offset[DECOUPLE_DIMENSIONS]; // the same: negative ones in two's complement
};

struct decouple_box { // indices, the ends included
    uint32_t low[DECOUPLE_DIMENSIONS], high[DECOUPLE_DIMENSIONS];
};

struct decouple_tuple decouple_tuple_scalar(unsigned bits, uint64_t value);
struct decouple_tuple decouple_tuple_index(enum decouple_dimension d);
bool decouple_tuple_is_scalar(const struct decouple_tuple *t); // in the grid
bool decouple_tuple_is_block_scalar(const struct decouple_tuple *t);
bool decouple_tuple_equal(const struct decouple_tuple *a, const struct decouple_tuple *b);

// Equation 2, and its like; both of the same width.
struct decouple_tuple decouple_tuple_add(const struct decouple_tuple *a, const struct decouple_tuple *b);
struct decouple_tuple decouple_tuple_subtract(const struct decouple_tuple *a, const struct decouple_tuple *b);
// Equation 3: false when both vary.
bool decouple_tuple_multiply(const struct decouple_tuple *a, const struct decouple_tuple *b,
                             struct decouple_tuple *product);
uint64_t decouple_tuple_value(const struct decouple_tuple *t, const uint32_t index[DECOUPLE_DIMENSIONS]);

// The least and the greatest value in a box; false when they wrap there, read as signed or as unsigned numbers. The ends are
// those of the corners: where no corner wraps, nothing does.
struct decouple_range {
    int64_t low, high; // 64-bit tuples are read as signed
};
bool decouple_tuple_range(const struct decouple_tuple *t, const struct decouple_box *b, bool is_signed,
                          struct decouple_range *range);
// A word as a pair; false when it wraps in the box, so that the pair is no tuple.
bool decouple_tuple_widen(const struct decouple_tuple *t, const struct decouple_box *b, bool is_signed,
                          struct decouple_tuple *wide);

// The threads of a warp.
struct decouple_warp {
    uint32_t block[3], block_index[3];
    uint32_t warp, warp_size;
};
uint32_t decouple_warp_threads(const struct decouple_warp *w);
void decouple_warp_index(const struct decouple_warp *w, uint32_t lane, uint32_t index[DECOUPLE_DIMENSIONS]);
struct decouple_box decouple_warp_box(const struct decouple_warp *w);

// -- addresses
// A part of a warp's access: consecutive threads in one region of 32 granules, in the order of their addresses, in the
// opposite order, or all at one place (DAC 4.2, Figure 10). Granules are words, or as small as the access.
enum { DECOUPLE_REGION = 32, DECOUPLE_LINE = 128, DECOUPLE_RECORDS_MAX = 64 };
struct decouple_record {
    uint64_t region;   // address of its first granule
    uint32_t granules; // the mask
    uint8_t first;     // thread, counted among those that take part
    uint8_t granule;   // bytes: 1, 2, 4
    bool reversed, broadcast;
    bool last;
};
// Of the lanes that take part; `bytes` is what each accesses. How many records there are; 0: an address is not aligned to
// `bytes`, and the program is to fail when the access issues.
unsigned decouple_expand(const struct decouple_tuple *address, const struct decouple_warp *w, uint64_t lanes,
                         unsigned bytes, struct decouple_record records[DECOUPLE_RECORDS_MAX]);
// The address of each of `count` threads that take part, from records alone.
void decouple_record_addresses(const struct decouple_record *records, unsigned count_of_records,
                               unsigned bytes, unsigned count, uint64_t *addresses);

// -- predicates
// What a comparison of a tuple with a scalar costs: one comparison for the block, two for a warp where its ends decide for
// all between, or one a lane (DAC 4.3).
enum decouple_effort { EFFORT_BLOCK, EFFORT_ENDS, EFFORT_LANES };
struct decouple_comparison {
    enum decouple_effort effort;
    uint64_t lanes; // where it holds
};
// Words. The ends decide by order alone: for equality, both on one side of the scalar; and only where nothing wraps.
struct decouple_comparison decouple_compare(const struct decouple_tuple *a,
                                            const struct decouple_tuple *scalar, enum isa_cmp cmp,
                                            bool is_signed, const struct decouple_warp *w);
