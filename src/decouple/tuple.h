// Affine tuples over threads and blocks. One base and an offset per dimension represent a register of all
// threads an affine warp computes for (Wang and Lin, DAC, equation 1; its blocks: section 4.2).
//
//     value(thread, block) = base + Σ offset[d] · index[d]   modulo 2^bits,   d over threadIdx and blockIdx
//
// Words have 32 bits, addresses in register pairs 64. Sums, and products with scalars, are exact modulo
// 2^bits. Operations on the upper bits (widening, comparisons) are right only for values that do not wrap;
// they first check the box of indices. Tuples expand to lines and masks (address expansion, 4.2) and to
// predicates (predicate expansion, 4.3).
#pragma once
#include "isa/fields.h"

#include <stdint.h>

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
    uint64_t offset[DECOUPLE_DIMENSIONS]; // below 2^bits; negative: two's complement
};

struct decouple_box { // inclusive ranges of indices
    uint32_t low[DECOUPLE_DIMENSIONS], high[DECOUPLE_DIMENSIONS];
};

struct decouple_tuple decouple_tuple_scalar(unsigned bits, uint64_t value);
struct decouple_tuple decouple_tuple_index(enum decouple_dimension d);
bool decouple_tuple_is_scalar(const struct decouple_tuple *t); // over the grid
bool decouple_tuple_is_block_scalar(const struct decouple_tuple *t);
bool decouple_tuple_equal(const struct decouple_tuple *a, const struct decouple_tuple *b);

// Sum (DAC, equation 2) and difference of two tuples of the same width.
struct decouple_tuple decouple_tuple_add(const struct decouple_tuple *a, const struct decouple_tuple *b);
struct decouple_tuple decouple_tuple_subtract(const struct decouple_tuple *a, const struct decouple_tuple *b);
// Product of a tuple and a scalar (DAC, equation 3); false: both operands vary.
bool decouple_tuple_multiply(const struct decouple_tuple *a, const struct decouple_tuple *b,
                             struct decouple_tuple *product);
uint64_t decouple_tuple_value(const struct decouple_tuple *t, const uint32_t index[DECOUPLE_DIMENSIONS]);

// Least and greatest value of a tuple in a box of indices, as signed or unsigned numbers; false: a value
// wraps. Extremes lie at corners of the box, so checking corners suffices.
struct decouple_range {
    int64_t low, high; // signed for 64-bit tuples
};
bool decouple_tuple_range(const struct decouple_tuple *t, const struct decouple_box *b, bool is_signed,
                          struct decouple_range *range);
// Widens a 32-bit tuple to 64 bits; false: a value wraps in the box, so the pair is no tuple. A 64-bit tuple
// is copied.
bool decouple_tuple_widen(const struct decouple_tuple *t, const struct decouple_box *b, bool is_signed,
                          struct decouple_tuple *wide);

// Identifies the threads of a warp.
struct decouple_warp {
    uint32_t block[3], block_index[3];
    uint32_t warp, warp_size;
};
uint32_t decouple_warp_threads(const struct decouple_warp *w);
void decouple_warp_index(const struct decouple_warp *w, uint32_t lane, uint32_t index[DECOUPLE_DIMENSIONS]);
struct decouple_box decouple_warp_box(const struct decouple_warp *w);

// -- addresses
// A part of a warp's access: consecutive participating threads in one region of 32 granules. Their addresses
// ascend, descend, or are all equal (DAC 4.2, Figure 10). A granule has four bytes, or the bytes of a smaller
// access.
enum { DECOUPLE_REGION = 32, DECOUPLE_LINE = 128, DECOUPLE_RECORDS_MAX = 64 };
struct decouple_record {
    uint64_t region;   // address of the first granule
    uint32_t granules; // bit mask
    uint8_t first;     // first thread, counted among participating threads
    uint8_t granule;   // bytes: 1, 2, 4
    bool reversed, broadcast;
    bool last;
};
// Expands the address tuple for the participating `lanes`; `bytes`: access size of a lane. Returns the number
// of records. 0: no lane takes part, or an address is not aligned to `bytes` and the access must fault.
unsigned decouple_expand(const struct decouple_tuple *address, const struct decouple_warp *w, uint64_t lanes,
                         unsigned bytes, struct decouple_record records[DECOUPLE_RECORDS_MAX]);
// Recovers the addresses of `count` participating threads from records alone.
void decouple_record_addresses(const struct decouple_record *records, unsigned count_of_records,
                               unsigned bytes, unsigned count, uint64_t *addresses);

// -- predicates
// Cost of comparing a tuple with a scalar: one comparison for the block; two for a warp whose end values
// decide for all lanes; or one per lane (DAC 4.3).
enum decouple_effort { EFFORT_BLOCK, EFFORT_ENDS, EFFORT_LANES };
struct decouple_comparison {
    enum decouple_effort effort;
    uint64_t lanes; // lanes for which the comparison holds
};
// Compares 32-bit tuples. EFFORT_ENDS: the range does not wrap, and both ends decide alike. For equality,
// both ends lie on one side of the scalar or are the same value.
struct decouple_comparison decouple_compare(const struct decouple_tuple *a,
                                            const struct decouple_tuple *scalar, enum isa_cmp cmp,
                                            bool is_signed, const struct decouple_warp *w);
