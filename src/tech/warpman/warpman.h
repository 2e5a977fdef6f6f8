// WarpMan inside: what a launch decides, the workload buffer, and the books of an SM.
#pragma once
#include "sm/mech/duel.h"
#include "sm/mech/tech.h"

enum { WARPMAN_BLOCKS = 64 }; // of an SM, as the range of sm.blocks has it

enum warpman_variant {
    VARIANT_BASE,      // by block: counts, and decides nothing
    VARIANT_TEMPORAL,  // what ended warps leave: never more warps than there are by block
    VARIANT_SPATIAL,   // that, and what is too little for a block
    VARIANT_DUELING,   // the second where an SM that does so gets more done than one that does not
    VARIANT_THRESHOLD, // the second up to so many warps
};

struct warpman_options {
    int variant; // enum warpman_variant
    uint32_t limit, epoch, hold, leaders;
};

struct warpman_launch {
    const struct warpman_options *options;
    const struct tech_listener *listener; // NULL: nobody
    struct duel duel;
};

enum warpman_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/warpman/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// -- buffer.c: what an SM knows of the block whose warps have not all started --------------------------------
//
//      39 37 36              11 10   6 5     1  0
//     ├─────┼──────────────────┼──────┼──────┼─────┤   as the GTX 480 needs it (Xiang, Figure 31): 8 blocks,
//     │P_TB │       L_TB       │start │ end  │valid│   32 warps a block; `start` and `end` are the first and the
//     └─────┴──────────────────┴──────┴──────┴─────┘   last warp that have not started
struct warpman_buffer {
    unsigned physical; // the block's number on the SM
    uint64_t logical;  // its number in the grid
    uint32_t start, end;
    bool valid;
};

enum { BUFFER_LOGICAL_BITS = 26, BUFFER_WARP_BITS = 5 };

unsigned warpman_physical_bits(const struct gpu_config *c);
unsigned warpman_buffer_bits(const struct gpu_config *c);
uint64_t warpman_buffer_pack(const struct warpman_buffer *b, const struct gpu_config *c);
void warpman_buffer_unpack(struct warpman_buffer *b, uint64_t bits, const struct gpu_config *c);

// -- books.c: an SM ------------------------------------------------------------------------------------------

struct warpman {
    const struct warpman_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct warpman_buffer buffer;
    uint32_t by_block, resident; // warps: there at most, dispatching by block; there now
    uint64_t running;            // bits: blocks
    // By block: cycles, and warps.
    uint64_t start[WARPMAN_BLOCKS], last_end[WARPMAN_BLOCKS];
    uint64_t ended_at[WARPMAN_BLOCKS];    // sum over its warps that have, from its start
    uint64_t late_before[WARPMAN_BLOCKS]; // the counter, when it started
    uint32_t started[WARPMAN_BLOCKS];
    const char *broken; // the first rule that did not hold, static text; NULL: none
};

void warpman_block_start(void *state, unsigned block);
void warpman_block_end(void *state, unsigned block);
void warpman_warp_start(void *state, unsigned place);
void warpman_warp_end(void *state, unsigned place);
const char *warpman_check(const void *state);
